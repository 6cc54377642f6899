--- Lets the user choose. Each item says what the host is told when it is taken.
local M = {}

---@class acp.Picker
---@field prompt string
---@field kind string
---@field items { label: string, op?: string, payload?: table }[]

---@param picker acp.Picker
function M.open(picker)
  vim.ui.select(picker.items, {
    prompt = picker.prompt,
    kind = picker.kind,
    format_item = function(item)
      return item.label
    end,
  }, function(item)
    if item and item.op then
      require('acp.host').notify(item.op, item.payload)
    end
  end)
end

return M
