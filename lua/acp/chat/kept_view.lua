--- Where the user was in a transcript that no window shows, for the next window that does.
local M = {}

local api = vim.api

---@type table<integer, { buf: integer, view: table }> by chat
local views = {}

--- Keeps what a window shows of a chat. A window at the end follows the chat, so there is nothing to keep.
---@param chat acp.Chat
---@param win integer
function M.keep(chat, win)
  local is_at_end = vim.list_contains(require('acp.ui.scroll').followers(chat.buf), win)
  views[chat.id] = not is_at_end
      and { buf = chat.buf, view = api.nvim_win_call(win, vim.fn.winsaveview) }
    or nil
end

--- Shows in a window what was kept; the end if nothing was.
---@param chat acp.Chat
---@param win integer
function M.restore(chat, win)
  local kept = views[chat.id]
  views[chat.id] = nil
  if not kept or kept.buf ~= chat.buf then
    return require('acp.ui.scroll').go_to_end(win)
  end
  api.nvim_win_call(win, function()
    vim.fn.winrestview(kept.view)
  end)
end

---@param chat acp.Chat
function M.forget(chat)
  views[chat.id] = nil
end

return M
