--- A window with a text to read. `q` closes it.
local M = {}

local api = vim.api

--- Shows a text in a split; a text with the same title replaces it.
---@param title string
---@param lines string[]
function M.show(title, lines)
  local names = require('acp.ui.buffer_names')
  local name = names.make((title:gsub('[^%w]+', '-')))
  local old = names.find(name)
  if old then
    pcall(api.nvim_buf_delete, old, { force = true })
  end
  local buf = api.nvim_create_buf(false, true)
  names.set(buf, name)
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modifiable = false
  local height = math.max(3, math.min(#lines, math.floor(vim.o.lines / 2)))
  require('acp.ui.windows').open_at_edge(buf, 'below', height)
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, desc = 'acp: close', nowait = true })
  require('acp.ui.key_help').map(buf, title)
  vim.bo[buf].filetype = 'acp-text'
end

return M
