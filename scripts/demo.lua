-- The init file of the demo: loads the plugin from this checkout and opens a chat with the tour agent.
local root = vim.fs.dirname(vim.fs.dirname(vim.fn.expand('<sfile>:p')))
vim.opt.runtimepath:prepend(root)

local deadline = 60000

-- Without a terminal, choose the first option of every question.
local function answer_first(items, _, on_choice)
  on_choice(items[1], 1)
end

-- Without a terminal, accept the default of every input.
local function type_default(options, on_confirm)
  on_confirm(options.default)
end

local function is_over()
  if require('acp.chats').with_question() then
    vim.cmd.AcpAnswer()
  end
  local status = require('acp.host').request('host.status', {})
  local chat = status and status.chats[1]
  local is_answered = chat ~= nil and chat.phase == 'idle' and chat.entries > 2
  return is_answered and status.isDrawn
end

local function print_conversation()
  -- Nobody types, so questions can open and close immediately.
  require('acp.dialogs.dialog').guard_ms = 0
  vim.ui.select = answer_first
  vim.ui.input = type_default
  vim.g.acp = { insert = false }
  vim.cmd.AcpChat('tour')
  vim.cmd.AcpSend('tour')
  local finished = vim.wait(deadline, is_over, 50)
  local buf = require('acp.chats').current().buf
  io.stdout:write(table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n') .. '\n')
  vim.cmd(finished and 'qall!' or 'cquit')
end

vim.api.nvim_create_autocmd('VimEnter', {
  callback = vim.schedule_wrap(function()
    if vim.env.ACP_DEMO == 'print' then
      print_conversation()
    else
      vim.cmd.AcpChat('tour')
    end
  end),
})
