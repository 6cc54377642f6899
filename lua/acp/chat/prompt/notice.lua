--- What was reported while the user was writing, below the text of a prompt.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.chat.prompt.notice')

---@param buf integer
---@param message string
local function show(buf, message)
  local room = require('acp.ui.text_width').room(api.nvim_get_current_win())
  local lines = vim.tbl_map(function(line)
    return { { line, 'AcpHint' } }
  end, require('acp.messages').split(message, room))
  local last = api.nvim_buf_line_count(buf) - 1
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  api.nvim_buf_set_extmark(buf, ns, last, 0, { virt_lines = lines })
end

--- Shows messages in a buffer while the user is in Insert mode there, until the text changes.
---@param buf integer
---@param fit fun() gives the window the height of its text
function M.watch(buf, fit)
  require('acp.messages').on_insert_message(buf, function(message)
    show(buf, message)
    fit()
  end)
  local autocommands = require('acp.ui.autocommands')
  local on = autocommands.group('prompt.notice.' .. buf, buf)
  local events = vim.list_extend({ 'InsertLeave' }, autocommands.text_changed)
  on(events, function()
    if #api.nvim_buf_get_extmarks(buf, ns, 0, -1, { limit = 1 }) > 0 then
      api.nvim_buf_clear_namespace(buf, ns, 0, -1)
      fit()
    end
  end)
end

return M
