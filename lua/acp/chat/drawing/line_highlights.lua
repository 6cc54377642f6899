--- The highlights of the lines of a transcript. They are stored by block and set by a decoration provider when a line
--- is drawn, so that a long transcript does not need thousands of extmarks.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.chat.line_highlights')
local sorted = require('acp.chat.drawing.sorted')
local visible_blocks = require('acp.chat.drawing.visible_blocks')

---@class acp.MarkedText the highlights of lines as text, see `MarkedLines` of `src/ports/frame.ts`
---@field first integer
---@field last integer
---@field marks string

---@class acp.BlockHighlights
---@field lines table<integer, (integer|string)[]> by line, where they were read: `from, to, group, from, …`
---@field texts acp.MarkedText[] the others, the upper lines first; where two have the same line, the later one counts

---@type table<integer, table<integer, acp.BlockHighlights>> by buffer and block
local stored = {}
-- By buffer: the blocks in the window that is being drawn, as `{ id, row }`
---@type table<integer, integer[][]>
local visible = {}

---@param buf integer
function M.reset(buf)
  stored[buf] = {}
end

---@param buf integer
function M.forget(buf)
  stored[buf] = nil
  visible[buf] = nil
end

---@param buf integer
---@param id integer
---@return acp.BlockHighlights
local function block_of(buf, id)
  local block = stored[buf][id] or { lines = {}, texts = {} }
  stored[buf][id] = block
  return block
end

---@param texts acp.MarkedText[]
---@param line integer
---@return acp.MarkedText|nil the last one that has a line
local function text_of(texts, line)
  local text = texts[sorted.last_at_most(texts, 'first', line)]
  return text and text.last >= line and text or nil
end

-- The lines are in order, and a fast answer has thousands of them.
---@param marks string
---@param line integer
---@return integer|nil position of the colon behind the number of a line
local function find_line(marks, line)
  local low, high = 1, #marks
  while low <= high do
    local middle = math.floor((low + high) / 2)
    local _, colon, number = marks:find('\n(%d+):', middle)
    number = tonumber(number)
    if number == line then
      return colon
    elseif number and number < line then
      low = colon + 1
    else
      high = middle - 1
    end
  end
end

---@param text acp.MarkedText
---@param line integer
---@return (integer|string)[]
local function read_marks(text, line)
  local before = find_line(text.marks, line)
  if not before then
    return {}
  end
  local after = text.marks:find('\n', before, true) or 0
  local marks = {}
  for from, to, group in text.marks:sub(before + 1, after - 1):gmatch('(%d+),(%d+),([^;]*);') do
    local count = #marks
    marks[count + 1], marks[count + 2], marks[count + 3] = tonumber(from), tonumber(to), group
  end
  return marks
end

local none = {}

---@param block acp.BlockHighlights
---@param line integer
---@return (integer|string)[]
local function line_of(block, line)
  local text = not block.lines[line] and text_of(block.texts, line)
  if text then
    block.lines[line] = read_marks(text, line)
  end
  return block.lines[line] or none
end

--- Adds highlights to the lines of a block.
---@param buf integer
---@param id integer
---@param marks (integer|string)[] four values each: line, from, to, group
function M.add(buf, id, marks)
  local block = block_of(buf, id)
  for at = 1, #marks, 4 do
    local line = line_of(block, marks[at])
    line = line == none and {} or line
    block.lines[marks[at]] = line
    local count = #line
    line[count + 1], line[count + 2], line[count + 3] = marks[at + 1], marks[at + 2], marks[at + 3]
  end
end

--- Text was added to a block: its highlights replace those of its first line.
---@param buf integer
---@param id integer
---@param at integer first line
---@param count integer of lines
---@param marks string see `MarkedLines` of `src/ports/frame.ts`
function M.append(buf, id, at, count, marks)
  local block = block_of(buf, id)
  local texts = block.texts
  local last = texts[#texts]
  if marks == '' and not block.lines[at] and not (last and last.last >= at) then
    return
  end
  block.lines[at] = nil
  local is_same_line = last and last.first == at and last.last == at
  texts[is_same_line and #texts or #texts + 1] =
    { first = at, last = at + count - 1, marks = marks }
end

--- Lines of a block were replaced: removes their highlights and moves those below.
---@param buf integer
---@param id integer
---@param at integer first line
---@param count integer number of replaced lines
---@param now integer number of lines in their place
function M.splice(buf, id, at, count, now)
  local block = block_of(buf, id)
  if count == now then
    for line = at, at + count - 1 do
      block.lines[line] = {}
    end
    return
  end
  for _, text in ipairs(block.texts) do
    for line = text.first, text.last do
      line_of(block, line)
    end
  end
  local lines = {}
  for line, marks in pairs(block.lines) do
    if line < at then
      lines[line] = marks
    elseif line >= at + count then
      lines[line + now - count] = marks
    end
  end
  block.lines, block.texts = lines, {}
end

---@return (integer|string)[] marks of a row that is being drawn
local function marks_of(buf, row)
  local blocks = visible[buf]
  for index = #blocks, 1, -1 do
    local id, start = blocks[index][1], blocks[index][2]
    if start <= row then
      return stored[buf][id] and line_of(stored[buf][id], row - start) or {}
    end
  end
  return {}
end

local groups_of_signs = { ['•'] = 'AcpListMarker', ['▎'] = 'AcpQuote', ['│'] = 'AcpMarkup' }

-- What a mark of `src/ports/frame.ts` looks like.
---@param mark string
---@param win integer
---@return vim.api.keyset.set_extmark
local function look_of(mark, win)
  if mark == '' then
    return { conceal = '' }
  elseif mark == '==' then
    local line = ('─'):rep(require('acp.ui.text_width').room(win))
    return { virt_text = { { line, 'AcpMarkup' } }, virt_text_pos = 'overlay' }
  elseif vim.startswith(mark, '=') then
    return { virt_text = { { mark:sub(2), 'AcpMarkup' } }, virt_text_pos = 'overlay' }
  elseif mark:find('^%a') then
    return { hl_group = mark }
  end
  return { conceal = mark, hl_group = groups_of_signs[mark] }
end

local function draw_mark(buf, win, row, from, to, mark)
  local options = look_of(mark, win)
  -- The line of the cursor shows its markup.
  local is_at_cursor = options.virt_text and api.nvim_win_get_cursor(win)[1] == row + 1
  if not is_at_cursor then
    options.ephemeral = true
    if to == -1 then
      -- Behind the colours of code.
      options.end_row, options.hl_eol, options.priority = row + 1, true, 90
    else
      options.end_col = to
    end
    pcall(api.nvim_buf_set_extmark, buf, ns, row, from, options)
  end
end

api.nvim_set_decoration_provider(ns, {
  on_win = function(_, _, buf, top, bottom)
    if not stored[buf] then
      return false
    end
    visible[buf] = visible_blocks.between(buf, top, bottom)
  end,
  on_line = function(_, win, buf, row)
    local marks = marks_of(buf, row)
    for at = 1, #marks, 3 do
      draw_mark(buf, win, row, marks[at], marks[at + 1], marks[at + 2])
    end
  end,
})

return M
