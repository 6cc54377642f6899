--- The cell to the left of each line of a transcript: a bar beside what the user said.
local M = {}

local api = vim.api
local visible_blocks = require('acp.chat.drawing.visible_blocks')

---@type table<integer, table<integer, integer>> the first line of what the user said, by buffer and block
local users = {}

---@param buf integer
function M.forget(buf)
  users[buf] = nil
end

---@param buf integer
---@param id integer
---@param line integer|nil the first line of what the user said, if it is a block of the user
function M.add(buf, id, line)
  if line then
    users[buf] = users[buf] or {}
    users[buf][id] = line
  end
end

--- The cell beside the line that is being drawn, for 'statuscolumn'. Its window is the current one meanwhile.
---@return string
function M.cell()
  local buf = api.nvim_get_current_buf()
  local ours = users[buf]
  if not ours then
    return ' '
  end
  local row = vim.v.lnum - 1
  -- The last line is no block: it shows the activity.
  if row == api.nvim_buf_line_count(buf) - 1 then
    return ' '
  end
  local id, line = visible_blocks.block_at(buf, row)
  local first = id and ours[id]
  return first and line >= first and '%#AcpUserBar#▎' or ' '
end

--- The value of 'statuscolumn'.
M.column = "%{%v:lua.require'acp.chat.drawing.margin'.cell()%}"

return M
