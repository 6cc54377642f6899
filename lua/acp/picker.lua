--- Lets the user choose. Each item says what the host is told when it is taken.
local M = {}

---@class acp.Picker
---@field prompt string
---@field kind string
---@field items { label: string, op?: string, payload?: table }[]
---@field closed? { op: string, payload: table } what the host is told when none is taken
---@field isQuestion? boolean it belongs to a question of the agent

---@param picker acp.Picker
function M.open(picker)
  local question = require('acp.question')
  if picker.isQuestion and not question.hold() then
    return
  end
  vim.ui.select(picker.items, {
    prompt = picker.prompt,
    kind = picker.kind,
    format_item = function(item)
      return item.label
    end,
  }, function(item)
    if picker.isQuestion then
      question.release()
    end
    local told = item or picker.closed
    if told and told.op then
      require('acp.host').notify(told.op, told.payload)
    end
  end)
end

return M
