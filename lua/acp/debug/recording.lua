--- Recordings of the protocol messages of a connection.
local M = {}

local function default_file(chat)
  local name = ('%s-%s.jsonl'):format(chat.agent, os.date('%Y%m%d-%H%M%S'))
  return require('acp.paths').state('recordings', name)
end

---@param chat acp.Chat
---@param args { bang: boolean, args: string }
function M.run(chat, args)
  local host = require('acp.host')
  if args.bang then
    return host.notify('recording.stop', { chat = chat.id })
  end
  local file = args.args == '' and default_file(chat) or vim.fn.fnamemodify(args.args, ':p')
  host.notify('recording.start', { chat = chat.id, file = file })
end

return M
