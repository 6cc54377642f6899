--- `:AcpAsk` and its mappings: a question about what is at the cursor.
local M = {}

--- Opens the window that asks.
---@param range? { first: integer, last: integer }
function M.open(range)
  local lifecycle, place = require('acp.lifecycle'), require('acp.context.place')
  local chat = lifecycle.ensure(nil, function()
    M.open(range)
  end)
  if not chat then
    return
  end
  lifecycle.prepare(chat)
  local attached = range and place.mentions(chat.cwd, range) or place.at_cursor(chat.cwd)
  require('acp.ask').open(chat, attached)
end

--- Asks about the line of the cursor, or about as many lines as the count says.
function M.at_cursor()
  local line, count = vim.fn.line('.'), vim.v.count
  local last = math.min(line + count - 1, vim.fn.line('$'))
  M.open(count > 0 and { first = line, last = last } or nil)
end

--- Asks about the selected lines.
function M.about_selection()
  local first, last = vim.fn.line('v'), vim.fn.line('.')
  vim.api.nvim_feedkeys(vim.keycode('<Esc>'), 'nx', false)
  M.open({ first = math.min(first, last), last = math.max(first, last) })
end

---@param args vim.api.keyset.create_user_command.command_args
function M.run(args)
  M.open(args.range > 0 and { first = args.line1, last = args.line2 } or nil)
end

return M
