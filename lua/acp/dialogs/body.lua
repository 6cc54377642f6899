--- The text of a question in a buffer of its own.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.dialogs.body')

---@param buf integer
---@param marks (integer|string)[] four values each: line, first byte, byte after the last, group
function M.highlight(buf, marks)
  for at = 1, #marks, 4 do
    local group = marks[at + 3]
    local is_whole_row = marks[at + 2] == -1
    local options = is_whole_row and { end_row = marks[at] + 1, hl_eol = true, priority = 90 }
      or { end_col = marks[at + 2] }
    options[group == '' and 'conceal' or 'hl_group'] = group
    pcall(api.nvim_buf_set_extmark, buf, ns, marks[at], marks[at + 1], options)
  end
end

--- Creates a buffer with a text. It goes with its last window.
---@param body { lines: string[], marks: (integer|string)[] }
---@return integer buf
function M.create(body)
  local buf = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(buf, 0, -1, false, body.lines)
  M.highlight(buf, body.marks)
  vim.bo[buf].modifiable = false
  vim.bo[buf].bufhidden = 'wipe'
  require('acp.ui.mappings.file_keys').map(buf)
  return buf
end

return M
