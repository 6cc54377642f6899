--- The end of the transcript in its windows: no window shows less than it could, and the wheel follows the end again.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.chat.wheel')
local was_wheel_down = false
---@type table<integer, integer> by window: the top line that was scrolled back last
local undone = {}

--- Starts to note when the mouse wheel is turned: no event of scrolling tells by what. A second call changes nothing.
function M.watch_wheel()
  local down = vim.keycode('<ScrollWheelDown>')
  vim.on_key(function(key)
    was_wheel_down = key == down
  end, ns)
end

---@param win integer
---@param first integer 1-based
---@return integer rows from this line to the end
local function rows_from(win, first)
  return api.nvim_win_text_height(win, { start_row = first - 1 }).all
end

---@param win integer
---@return boolean
local function shows_end(win)
  return vim.fn.line('w$', win) == api.nvim_buf_line_count(api.nvim_win_get_buf(win))
end

--- Scrolls back if there is room below the end. Neovim scrolls until only the last line is left.
---@param win integer
function M.fill(win)
  local height = vim.fn.getwininfo(win)[1].height
  local top = vim.fn.line('w0', win)
  if not shows_end(win) then
    return
  elseif vim.w[win].acp_tall then
    -- A line that is taller than the window is scrolled row by row.
    return require('acp.ui.scroll').return_to_end(win)
  end
  local wanted = top
  while wanted > 1 and rows_from(win, wanted - 1) <= height do
    wanted = wanted - 1
  end
  if wanted < top then
    undone[win] = top
    api.nvim_win_call(win, function()
      vim.fn.winrestview({ topline = wanted })
    end)
  end
end

local function is_selecting(win)
  return api.nvim_get_current_win() == win and api.nvim_get_mode().mode:find('^[vVsS\22\19]') ~= nil
end

---@param win integer
local function fill_and_follow(win)
  if not api.nvim_win_is_valid(win) then
    return
  end
  M.fill(win)
  if was_wheel_down and shows_end(win) and not is_selecting(win) then
    local last = api.nvim_buf_line_count(api.nvim_win_get_buf(win))
    api.nvim_win_set_cursor(win, { last, 0 })
  end
end

--- A window was scrolled. At the end it follows the text again if the wheel has brought it there.
---@param win integer
function M.on_scrolled(win)
  if vim.fn.has('nvim-0.11') == 1 then
    return fill_and_follow(win)
  end
  -- Neovim 0.10 remembers the view from before this event, so that the same scrolling would cause no event again.
  vim.schedule(function()
    fill_and_follow(win)
  end)
end

-- Neovim causes no event when a window is scrolled a second time to the line that was scrolled back.
api.nvim_set_decoration_provider(ns, {
  on_win = function(_, win, _, toprow)
    if undone[win] == toprow + 1 then
      undone[win] = nil
      vim.schedule(function()
        fill_and_follow(win)
      end)
    end
  end,
})

return M
