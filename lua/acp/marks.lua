--- How the lines of a transcript look. What the host said of them is kept by block and set as they are drawn, so that
--- a flood of text leaves no thousands of extmarks behind.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.marks')
local blocks_ns = api.nvim_create_namespace('acp.blocks')

--- By buffer and block: the marks of each line as `from, to, group, from, to, group, …`
---@type table<integer, table<integer, table<integer, (integer|string)[]>>>
local kept = {}
--- By buffer: the blocks in the window that is being drawn, as `{ id, row }`
---@type table<integer, integer[][]>
local visible = {}

---@param buf integer
function M.reset(buf)
  kept[buf] = {}
end

---@param buf integer
function M.forget(buf)
  kept[buf] = nil
  visible[buf] = nil
end

--- Adds marks to the lines of a block.
---@param buf integer
---@param id integer
---@param marks (integer|string)[] four values each: line, from, to, group
function M.add(buf, id, marks)
  local lines = kept[buf][id] or {}
  kept[buf][id] = lines
  for at = 1, #marks, 4 do
    local line = lines[marks[at]] or {}
    lines[marks[at]] = line
    local count = #line
    line[count + 1], line[count + 2], line[count + 3] = marks[at + 1], marks[at + 2], marks[at + 3]
  end
end

--- Lines of a block were replaced: theirs go, those below move.
---@param buf integer
---@param id integer
---@param at integer first line
---@param count integer how many there were
---@param now integer how many there are
function M.splice(buf, id, at, count, now)
  local lines = {}
  for line, marks in pairs(kept[buf][id] or {}) do
    if line < at then
      lines[line] = marks
    elseif line >= at + count then
      lines[line + now - count] = marks
    end
  end
  kept[buf][id] = lines
end

--- The marks of one line go.
---@param buf integer
---@param id integer
---@param line integer
function M.clear(buf, id, line)
  if kept[buf][id] then
    kept[buf][id][line] = nil
  end
end

---@return integer[][] blocks that have a line between two rows
local function blocks_between(buf, top, bottom)
  local first = api.nvim_buf_get_extmarks(buf, blocks_ns, { top, -1 }, 0, { limit = 1 })
  local others = api.nvim_buf_get_extmarks(buf, blocks_ns, { top + 1, 0 }, { bottom, -1 }, {})
  return vim.list_extend(first, others)
end

---@return (integer|string)[] marks of a row that is being drawn
local function marks_of(buf, row)
  local blocks = visible[buf]
  for index = #blocks, 1, -1 do
    local id, start = blocks[index][1], blocks[index][2]
    if start <= row then
      return kept[buf][id] and kept[buf][id][row - start] or {}
    end
  end
  return {}
end

api.nvim_set_decoration_provider(ns, {
  on_win = function(_, _, buf, top, bottom)
    if not kept[buf] then
      return false
    end
    visible[buf] = blocks_between(buf, top, bottom)
  end,
  on_line = function(_, _, buf, row)
    local marks = marks_of(buf, row)
    for at = 1, #marks, 3 do
      local group = marks[at + 2]
      local options = { end_col = marks[at + 1], ephemeral = true }
      options[group == '' and 'conceal' or 'hl_group'] = group
      pcall(api.nvim_buf_set_extmark, buf, ns, row, marks[at], options)
    end
  end,
})

return M
