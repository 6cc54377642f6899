--- `:AcpForget`
local M = {}

--- Shows what is kept of the session of the current chat or of the folder, and asks whether to delete it.
---@param what 'session'|'folder'
function M.run(what)
  local chats = require('acp.chats')
  local chat = chats.current()
  local place = { folder = require('acp.paths').state(), pid = vim.fn.getpid() }
  if what == 'session' and not chat then
    local message = 'there is no chat; :AcpForget folder is about all sessions of this folder'
    return require('acp.messages').warn(message)
  end
  -- The drafts are written a moment after they are changed.
  vim.tbl_map(require('acp.chat.drafts').flush, chats.all())
  if what == 'session' then
    place.chat = chat.id
    return require('acp.host').notify('forget.session', place)
  end
  place.cwd = chats.folder()
  require('acp.host').notify('forget.folder', place)
end

return M
