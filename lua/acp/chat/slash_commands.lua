--- The slash commands of the agent: the hint for their argument.
local M = {}

--- What the agent expects after its command, as long as nothing stands there.
---@param chat acp.Chat
---@param text string
---@return string?
function M.argument_hint(chat, text)
  for _, command in ipairs(chat.commands or {}) do
    if text == '/' .. command.name or text == '/' .. command.name .. ' ' then
      return command.hint
    end
  end
end

return M
