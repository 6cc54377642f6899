--- The window the user writes code in, which mentions such as `@this` are about while they are in a chat.
local M = {}

local api = vim.api
---@type table<integer, integer> when each window was left, as a count
local left = {}
local count = 0

local kinds = { [''] = true, acwrite = true, help = true }

--- Whether a buffer is made by this plugin.
---@param buf integer
---@return boolean
function M.is_ours(buf)
  return require('acp.ui.buffer_names').has_our_name(buf)
end

--- Whether a window shows a text of the user: no float, no terminal, no list, none of our buffers.
---@param win integer
---@return boolean
function M.is_normal(win)
  local buf = api.nvim_win_get_buf(win)
  return api.nvim_win_get_config(win).relative == ''
    and kinds[vim.bo[buf].buftype] ~= nil
    and not M.is_ours(buf)
end

--- Remembers from now on in which order windows are left.
function M.watch()
  local on = require('acp.ui.autocommands').group('context.origin')
  on('WinLeave', function()
    local win = api.nvim_get_current_win()
    if M.is_normal(win) then
      count = count + 1
      left[win] = count
    end
  end)
  -- A window is left before it is closed.
  on('WinClosed', function(args)
    left[tonumber(args.match)] = nil
  end)
end

-- Neovim knows when a buffer was used, in seconds.
local function last_used(win)
  local info = vim.fn.getbufinfo(api.nvim_win_get_buf(win))[1]
  return { left[win] or 0, info and info.lastused or 0 }
end

local function most_recent(wins)
  local best, best_time
  for _, win in ipairs(wins) do
    local time = last_used(win)
    if
      not best
      or time[1] > best_time[1]
      or (time[1] == best_time[1] and time[2] > best_time[2])
    then
      best, best_time = win, time
    end
  end
  return best
end

--- The current window if it shows a text of the user, else the previous one, else the one of this tab page that was
--- used last.
---@return integer|nil window
function M.window()
  local current = api.nvim_get_current_win()
  if M.is_normal(current) then
    return current
  end
  local previous = vim.fn.win_getid(vim.fn.winnr('#'))
  if previous ~= 0 and M.is_normal(previous) then
    return previous
  end
  return most_recent(vim.tbl_filter(M.is_normal, api.nvim_tabpage_list_wins(0)))
end

return M
