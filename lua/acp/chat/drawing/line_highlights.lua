--- The highlights of the lines of a transcript. They are stored by block and set by a decoration provider when a line
--- is drawn, so that a long transcript does not need thousands of extmarks.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.chat.line_highlights')
local visible_blocks = require('acp.chat.drawing.visible_blocks')

-- By buffer and block: the highlights of each line as `from, to, group, from, to, group, …`
---@type table<integer, table<integer, table<integer, (integer|string)[]>>>
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

--- Adds highlights to the lines of a block.
---@param buf integer
---@param id integer
---@param marks (integer|string)[] four values each: line, from, to, group
function M.add(buf, id, marks)
  local lines = stored[buf][id] or {}
  stored[buf][id] = lines
  for at = 1, #marks, 4 do
    local line = lines[marks[at]] or {}
    lines[marks[at]] = line
    local count = #line
    line[count + 1], line[count + 2], line[count + 3] = marks[at + 1], marks[at + 2], marks[at + 3]
  end
end

--- Lines of a block were replaced: removes their highlights and moves those below.
---@param buf integer
---@param id integer
---@param at integer first line
---@param count integer number of replaced lines
---@param now integer number of lines in their place
function M.splice(buf, id, at, count, now)
  if count == now then
    for line = at, at + count - 1 do
      M.clear(buf, id, line)
    end
    return
  end
  local lines = {}
  for line, marks in pairs(stored[buf][id] or {}) do
    if line < at then
      lines[line] = marks
    elseif line >= at + count then
      lines[line + now - count] = marks
    end
  end
  stored[buf][id] = lines
end

--- Removes the highlights of one line.
---@param buf integer
---@param id integer
---@param line integer
function M.clear(buf, id, line)
  if stored[buf][id] then
    stored[buf][id][line] = nil
  end
end

---@return (integer|string)[] marks of a row that is being drawn
local function marks_of(buf, row)
  local blocks = visible[buf]
  for index = #blocks, 1, -1 do
    local id, start = blocks[index][1], blocks[index][2]
    if start <= row then
      return stored[buf][id] and stored[buf][id][row - start] or {}
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
    local line = ('─'):rep(require('acp.ui.scroll').text_width(win))
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
