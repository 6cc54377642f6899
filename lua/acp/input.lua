--- Lets the user type a line. What was typed goes to the host; so does that nothing was.
local M = {}

---@class acp.Input
---@field prompt string
---@field default string
---@field op string
---@field payload table
---@field isQuestion? boolean it belongs to a question of the agent
---@field isSecret? boolean nothing of it may be remembered
---@field chat? integer
---@field id? integer the question
---@field isUnasked? boolean

-- Neovim keeps what is typed into an input, and writes it to the shada file.
local function forget(text)
  vim.fn.histdel('input', [[\V\^]] .. vim.fn.escape(text, [[\]]) .. [[\$]])
end

local function show(input, answered)
  vim.ui.input({ prompt = input.prompt, default = input.default }, function(text)
    if input.isSecret and text then
      forget(text)
    end
    answered(text)
  end)
end

local function take(input, text)
  local payload = vim.tbl_extend('force', input.payload, { text = text })
  require('acp.host').notify(input.op, payload)
end

---@param input acp.Input
function M.open(input)
  if not input.isQuestion then
    return require('acp.picker').when_ready(vim.trim(input.prompt), function()
      show(input, function(text)
        take(input, text)
      end)
    end)
  end
  require('acp.question').dialog({
    chat = input.chat,
    id = input.id,
    step = vim.inspect(input.payload),
    isUnasked = input.isUnasked,
    open = function(answered)
      show(input, answered)
    end,
    take = function(text)
      take(input, text)
    end,
    -- What was typed may be what was meant, so it is there to be sent.
    retry = function(text)
      M.open(vim.tbl_extend('force', input, { default = text or input.default }))
    end,
  })
end

return M
