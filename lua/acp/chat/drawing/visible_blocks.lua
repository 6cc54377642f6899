--- Where the blocks of a transcript are. An extmark at the first line of each block has its id.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.blocks')
local marks = require('acp.chat.drawing.marks')

---@param buf integer
---@param id integer
---@return integer|nil row of the first line of a block
function M.row_of(buf, id)
  return api.nvim_buf_get_extmark_by_id(buf, ns, id, {})[1]
end

---@param buf integer
---@param id integer
---@return integer row of the first line of a block, integer stop row after its last line
function M.rows_of(buf, id)
  local row = assert(M.row_of(buf, id), 'no block ' .. id)
  local below = api.nvim_buf_get_extmarks(buf, ns, { row + 1, 0 }, -1, { limit = 1 })[1]
  return row, below and below[2] or api.nvim_buf_line_count(buf) - 1
end

---@class acp.FoundBlock
---@field buf integer
---@field tick integer
---@field id integer
---@field first integer row
---@field stop integer row after its last line

-- Rows are drawn one after the other, and the search takes longer the longer a block is.
---@type acp.FoundBlock|nil
local found

---@param buf integer
---@param row integer
---@return acp.FoundBlock|nil
local function find(buf, row)
  local tick = api.nvim_buf_get_changedtick(buf)
  local is_known = found and found.buf == buf and found.tick == tick
  if not is_known or row < found.first or row >= found.stop then
    local mark = marks.upwards(buf, ns, row)()
    local stop = mark and select(2, M.rows_of(buf, mark[1]))
    found = mark and { buf = buf, tick = tick, id = mark[1], first = mark[2], stop = stop }
  end
  return found
end

--- The block a line belongs to.
---@param buf integer
---@param row integer
---@return integer|nil id, integer|nil line which of its lines, 0-based
function M.block_at(buf, row)
  local block = find(buf, row)
  if block then
    return block.id, row - block.first
  end
end

--- The blocks that have a line between two rows.
---@param buf integer
---@param top integer
---@param bottom integer
---@return integer[][] blocks each as `{ id, row }`, from top to bottom
function M.between(buf, top, bottom)
  local first = find(buf, top)
  local others = api.nvim_buf_get_extmarks(buf, ns, { top + 1, 0 }, { bottom, -1 }, {})
  return vim.list_extend({ first and { first.id, first.first } }, others)
end

return M
