--- Whether the user looks at a chat.
local M = {}

-- Terminals that do not report their focus count as focused.
local has_focus = true

---@return boolean
function M.is_focused()
  return has_focus and not require('acp.screen').is_hidden()
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
  if chat.status and chat.status.unseen and M.is_focused() and M.is_shown(chat) then
    require('acp.host').notify_if_running('chat.seen', { chat = chat.id })
  end
end

local function check_all()
  for _, chat in pairs(require('acp.chats').all()) do
    M.check(chat)
  end
end

local function gain_focus()
  has_focus = true
  check_all()
end

--- Follows the focus of Neovim and what its windows show.
function M.watch()
  require('acp.ui.autocommands').group_once('attention', function(on)
    on('FocusLost', function()
      has_focus = false
    end)
    on('FocusGained', gain_focus)
    on({ 'WinEnter', 'BufWinEnter', 'TabEnter' }, vim.schedule_wrap(check_all))
  end)
  require('acp.screen').on_return(gain_focus)
end

return M
