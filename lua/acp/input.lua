--- Lets the user type a line. What was typed goes to the host; so does that nothing was.
local M = {}

---@class acp.Input
---@field prompt string
---@field default string
---@field op string
---@field payload table
---@field isQuestion? boolean it belongs to a question of the agent
---@field isSecret? boolean nothing of it may be remembered

-- Neovim keeps what is typed into an input, and writes it to the shada file.
local function forget(text)
  vim.fn.histdel('input', [[\V\^]] .. vim.fn.escape(text, [[\]]) .. [[\$]])
end

---@param input acp.Input
function M.open(input)
  local question = require('acp.question')
  if input.isQuestion and not question.hold() then
    return
  end
  vim.ui.input({ prompt = input.prompt, default = input.default }, function(text)
    if input.isQuestion then
      question.release()
    end
    if input.isSecret and text then
      forget(text)
    end
    local payload = vim.tbl_extend('force', input.payload, { text = text })
    require('acp.host').notify(input.op, payload)
  end)
end

return M
