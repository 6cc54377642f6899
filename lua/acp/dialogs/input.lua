--- Lets the user type a line. Sends the text to the host, or no text if the input was cancelled.
local M = {}

---@class acp.Input
---@field prompt string
---@field default string
---@field op string
---@field payload table
---@field isQuestion? boolean it belongs to a question of the agent
---@field isSecret? boolean it must not stay in the history
---@field chat? integer
---@field id? integer the question
---@field opensByItself? boolean

-- Neovim adds the text to the input history, which is written to the shada file.
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

local function send(input, text)
  local payload = vim.tbl_extend('force', input.payload, { text = text })
  require('acp.host').notify(input.op, payload)
end

---@param input acp.Input
function M.open(input)
  if not input.isQuestion then
    return require('acp.dialogs.picker').when_ready(vim.trim(input.prompt), function()
      show(input, function(text)
        send(input, text)
      end)
    end)
  end
  require('acp.dialogs.question').dialog({
    chat = input.chat,
    id = input.id,
    step = vim.inspect(input.payload),
    opensByItself = input.opensByItself,
    open = function(answered)
      show(input, answered)
    end,
    on_answer = function(text)
      send(input, text)
    end,
    -- The text may have been meant as the answer, so it is offered again.
    retry = function(text)
      M.open(vim.tbl_extend('force', input, { default = text or input.default }))
    end,
  })
end

return M
