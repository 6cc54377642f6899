--- Whether the user looks at a chat.
local M = {}

-- Terminals that do not report their focus count as focused.
local is_focused = true

---@return boolean
function M.is_focused()
  return is_focused
end

--- Whether a window of this tab page shows a chat.
---@param chat acp.Chat
---@return boolean
function M.is_shown(chat)
  local windows = require('acp.ui.windows')
  return windows.find(chat.buf) ~= nil or windows.find(chat.prompt) ~= nil
end

--- Has the host forget that the last turn of a chat was not looked at.
---@param chat acp.Chat
function M.check(chat)
  if chat.status and chat.status.unseen and is_focused and M.is_shown(chat) then
    require('acp.host').notify_if_running('chat.seen', { chat = chat.id })
  end
end

local function check_all()
  for _, chat in pairs(require('acp.chats').all()) do
    M.check(chat)
  end
end

--- Follows the focus of Neovim and what its windows show.
function M.watch()
  require('acp.ui.autocommands').group_once('attention', function(on)
    on({ 'FocusLost', 'VimSuspend' }, function()
      is_focused = false
    end)
    on('UILeave', function()
      is_focused = is_focused and #vim.api.nvim_list_uis() > 0
    end)
    on({ 'FocusGained', 'VimResume', 'UIEnter' }, function()
      is_focused = true
      check_all()
    end)
    on({ 'WinEnter', 'BufWinEnter', 'TabEnter' }, vim.schedule_wrap(check_all))
  end)
end

return M
