--- `:AcpSend`.
local M = {}

--- Sends without leaving the window the user is in.
---@param text string
function M.send(text)
  local lifecycle = require('acp.lifecycle')
  local chat = lifecycle.ensure(nil, function()
    M.send(text)
  end)
  if not chat then
    return
  end
  lifecycle.prepare(chat)
  require('acp.chat.window').open(chat)
  require('acp.chat.actions').send(chat, text)
end

---@param args { args: string, range: integer, line1: integer, line2: integer }
function M.run(args)
  local parts = {}
  if args.args ~= '' then
    table.insert(parts, args.args)
  end
  if args.range > 0 then
    local range = { first = args.line1, last = args.line2 }
    local mentions = require('acp.context.place').mentions(require('acp.chats').folder(), range)
    table.insert(parts, table.concat(mentions, ' '))
  end
  if #parts == 0 then
    local message = 'nothing to send: give a text or a range (:AcpSend explain it)'
    return require('acp.messages').warn(message)
  end
  M.send(table.concat(parts, '\n\n'))
end

return M
