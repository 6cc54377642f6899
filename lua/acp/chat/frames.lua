--- Draws frames of the host into buffers: the transcript, the plan, the list of a review. Nothing else writes there.
local M = {}

local api = vim.api
local blocks_ns = api.nvim_create_namespace('acp.blocks')
local prompts_ns = api.nvim_create_namespace('acp.prompts')
local line_highlights = require('acp.chat.drawing.line_highlights')
local code_blocks = require('acp.chat.drawing.code_blocks')
local margin = require('acp.chat.drawing.margin')
local figures = require('acp.chat.drawing.figures')
local inline_pictures = require('acp.pictures.inline')
local marks = require('acp.chat.drawing.marks')

---@class acp.ToolHeadings lines of a block, 0-based
---@field tool integer the heading of a tool call
---@field group? integer the heading of the open group that the call is the first of

---@class acp.Canvas what is known of a buffer that frames are drawn into
---@field count integer blocks drawn
---@field last integer the id of the last block
---@field below table<integer, integer> the block below each
---@field tick integer changedtick after the last frame
---@field headings table<integer, acp.ToolHeadings> by block
---@field on_drawn? fun() called after each frame

---@type table<integer, acp.Canvas> by buffer
local canvases = {}

--- Makes a buffer one that frames are drawn into.
---@param buf integer
---@param on_drawn? fun() called after each frame
function M.prepare(buf, on_drawn)
  vim.bo[buf].undolevels = -1
  vim.bo[buf].modifiable = false
  line_highlights.reset(buf)
  local tick = api.nvim_buf_get_changedtick(buf)
  canvases[buf] =
    { count = 0, last = 0, below = {}, tick = tick, headings = {}, on_drawn = on_drawn }
end

---@param buf integer
function M.forget(buf)
  canvases[buf] = nil
  figures.forget(buf)
  inline_pictures.forget(buf)
  line_highlights.forget(buf)
  code_blocks.forget(buf)
  margin.forget(buf)
end

-- A block without lines has no mark. Its place is above the next block that has lines.
---@param buf integer
---@param canvas acp.Canvas
---@param id integer
---@return integer row of the first line of a block
local function row_of(buf, canvas, id)
  assert(id == canvas.last or canvas.below[id], 'no block ' .. id)
  local each = id
  while each do
    local row = api.nvim_buf_get_extmark_by_id(buf, blocks_ns, each, {})[1]
    if row then
      return row
    end
    each = canvas.below[each]
  end
  return api.nvim_buf_line_count(buf) - 1
end

-- Returns the row of a new block.
---@param buf integer
---@param canvas acp.Canvas
---@param id integer
---@param above integer the block that it stands below; 0: there is none
---@return integer
local function insert_block(buf, canvas, id, above)
  local next_block = canvas.below[above]
  canvas.below[above], canvas.below[id] = id, next_block
  if above == canvas.last then
    canvas.last = id
  end
  return next_block and row_of(buf, canvas, next_block) or api.nvim_buf_line_count(buf) - 1
end

---@param buf integer
---@param row integer
---@param id integer
local function mark_block(buf, row, id)
  local others = api.nvim_buf_get_extmarks(buf, blocks_ns, { row, 0 }, { row, 0 }, {})
  local is_other = vim.iter(others):any(function(mark)
    return mark[1] ~= id
  end)
  if is_other or row == api.nvim_buf_line_count(buf) - 1 then
    api.nvim_buf_del_extmark(buf, blocks_ns, id)
  else
    api.nvim_buf_set_extmark(buf, blocks_ns, row, 0, { id = id })
  end
end

---@param canvas acp.Canvas
---@param p { id: integer, tool?: integer, group?: integer } no tool: its headings stay where they are
local function set_headings(canvas, p)
  if p.tool then
    canvas.headings[p.id] = { tool = p.tool, group = p.group }
  end
end

local function add_highlights(buf, row, p)
  line_highlights.add(buf, p.id, p.marks)
  for _, right in ipairs(p.right) do
    figures.add(buf, row + right[1], right[2])
  end
  for _, picture in ipairs(p.pictures or {}) do
    inline_pictures.add(buf, row + picture[1], unpack(picture, 2))
  end
end

-- Every patch of src/view/frame.ts. The last line of the buffer is not a block: it shows the activity.
local patch = {}

function patch.reset(buf, canvas)
  api.nvim_buf_clear_namespace(buf, -1, 0, -1)
  figures.forget(buf)
  inline_pictures.forget(buf)
  code_blocks.forget(buf)
  margin.forget(buf)
  api.nvim_buf_set_lines(buf, 0, -1, false, { '' })
  line_highlights.reset(buf)
  canvas.count, canvas.last, canvas.below, canvas.headings = 0, 0, {}, {}
end

patch['new'] = function(buf, canvas, p)
  local row = insert_block(buf, canvas, p.id, p.below or canvas.last)
  if p.row then
    row = p.row
  else
    api.nvim_buf_set_lines(buf, row, row, false, p.lines)
  end
  if #p.lines > 0 then
    mark_block(buf, row, p.id)
  end
  if p.prompt then
    api.nvim_buf_set_extmark(buf, prompts_ns, row + p.prompt, 0, {})
  end
  set_headings(canvas, p)
  margin.add(buf, p.id, p.user)
  add_highlights(buf, row, p)
  canvas.count = canvas.count + 1
end

-- Neovim leaves the cursor on its row when the line there is removed, which is the row of another entry then.
---@param buf integer
---@param last integer the last row, 1-based, that is left of the replaced ones
---@param before integer the last row, 1-based, before that
local function keep_cursors(buf, last, before)
  for _, win in ipairs(last < before and vim.fn.win_findbuf(buf) or {}) do
    local row = api.nvim_win_get_cursor(win)[1]
    if row > last and row <= before then
      api.nvim_win_set_cursor(win, { last, 0 })
    end
  end
end

function patch.set(buf, canvas, p)
  local row = row_of(buf, canvas, p.id)
  local first = row + p.at
  figures.clear(buf, first, first + p.count)
  inline_pictures.clear(buf, first, first + p.count)
  code_blocks.clear(buf, first, first + p.count)
  api.nvim_buf_set_lines(buf, first, first + p.count, true, p.lines)
  keep_cursors(buf, math.max(1, first + #p.lines), first + p.count)
  line_highlights.splice(buf, p.id, p.at, p.count, #p.lines)
  -- Replacing the first line of a block moves its mark to the end of the block.
  mark_block(buf, row, p.id)
  set_headings(canvas, p)
  add_highlights(buf, row, p)
end

---@param text string
---@return string[]
local function split_lines(text)
  local lines, count, from = {}, 1, 1
  local at = text:find('\n', 1, true)
  while at do
    lines[count] = text:sub(from, at - 1)
    count, from = count + 1, at + 1
    at = text:find('\n', from, true)
  end
  lines[count] = text:sub(from)
  return lines
end

function patch.add(buf, canvas, p)
  local line = row_of(buf, canvas, p.id) + p.at
  local lines = split_lines(p.text)
  api.nvim_buf_set_text(buf, line, p.column, line, p.column, lines)
  line_highlights.append(buf, p.id, p.at, #lines, p.marks)
  code_blocks.grow(buf, p.id)
end

function patch.code(buf, _, p)
  if p.isAll then
    code_blocks.remove(buf, p.id)
  end
  code_blocks.add(buf, p.id, p.ranges)
end

-- Adds the lines of this and the following new blocks at the end, and stores the row of each. Neovim scrolls the
-- windows after each call that adds lines above the cursor, which takes longer than adding them.
---@param buf integer
---@param patches table[]
---@param index integer of the first new block
local function add_lines_at_end(buf, patches, index)
  local end_row = api.nvim_buf_line_count(buf) - 1
  local lines = {}
  for at = index, #patches do
    local p = patches[at]
    if p.op == 'new' and not p.below then
      p.row = end_row + #lines
      vim.list_extend(lines, p.lines)
    elseif p.op ~= 'code' then
      break
    end
  end
  api.nvim_buf_set_lines(buf, end_row, end_row, false, lines)
end

---@return string|nil error
local function apply(buf, canvas, patches)
  vim.bo[buf].modifiable = true
  figures.begin_frame(buf)
  local ok, failure = pcall(function()
    for index, p in ipairs(patches) do
      if p.op == 'new' and not p.below and not p.row then
        add_lines_at_end(buf, patches, index)
      end
      patch[p.op](buf, canvas, p)
    end
  end)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
  canvas.tick = api.nvim_buf_get_changedtick(buf)
  return not ok and tostring(failure) or nil
end

--- Draws the patches of a frame. `stale`: the buffer is not as the host assumes.
---@param buf integer
---@param frame { patches: table[], blocks: integer }
---@return 'drawn'|'stale'|{ failure: string }
function M.draw(buf, frame)
  local canvas, patches = canvases[buf], frame.patches
  local is_reset = patches[1] and patches[1].op == 'reset'
  if not is_reset and canvas.tick ~= api.nvim_buf_get_changedtick(buf) then
    return 'stale'
  end
  local failure = #patches > 0 and apply(buf, canvas, patches)
  if failure then
    return { failure = failure }
  end
  if #patches > 0 and canvas.count ~= frame.blocks then
    return 'stale'
  end
  if #patches > 0 then
    inline_pictures.refresh()
  end
  if canvas.on_drawn then
    canvas.on_drawn()
  end
  return 'drawn'
end

--- The row of the n-th prompt below a row, or above it if n is negative; at most the last one there.
---@param buf integer
---@param row integer 0-based
---@param steps integer
---@return integer|nil row
function M.prompt_from(buf, row, steps)
  local is_down = steps > 0
  local found, left = nil, math.abs(steps)
  local near = is_down and marks.downwards(buf, prompts_ns, row + 1)
    or marks.upwards(buf, prompts_ns, row - 1)
  for mark in near do
    found, left = mark[2], left - 1
    if left == 0 then
      break
    end
  end
  return found
end

--- The row of the n-th tool call below a row, or above it if n is negative; at most the last one there.
---@param buf integer
---@param row integer 0-based
---@param steps integer
---@return integer|nil row
function M.tool_from(buf, row, steps)
  local headings, is_down = canvases[buf].headings, steps > 0
  -- The heading of a call may be below the first row of its block, which is blank then.
  local from = is_down and (M.block_start(buf, row) or 0) or row
  local found, left = nil, math.abs(steps)
  for mark in (is_down and marks.downwards or marks.upwards)(buf, blocks_ns, from) do
    local of_block = headings[mark[1]]
    local heading = of_block and mark[2] + of_block.tool
    if heading and (is_down and heading > row or not is_down and heading < row) then
      found, left = heading, left - 1
    end
    if left == 0 then
      break
    end
  end
  return found
end

--- Whether a row is the heading of a tool call or of a group of them.
---@param buf integer
---@param row integer 0-based
---@return boolean
function M.is_tool_heading(buf, row)
  local block, line = M.block_at(buf, row)
  local headings = block and canvases[buf].headings[block]
  if not headings or row == api.nvim_buf_line_count(buf) - 1 then
    return false
  end
  return line == headings.tool or line == headings.group
end

--- The first row of every block, 0-based.
---@param buf integer
---@return table<integer, integer> by id
function M.block_rows(buf)
  local rows = {}
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, blocks_ns, 0, -1, {})) do
    rows[mark[1]] = mark[2]
  end
  return rows
end

---@param buf integer
---@param id integer
---@return integer|nil row of the first line of a block
function M.row_of_block(buf, id)
  return api.nvim_buf_get_extmark_by_id(buf, blocks_ns, id, {})[1]
end

---@param buf integer
---@param row integer 0-based
---@return integer|nil row of the first line of the block that a line belongs to
function M.block_start(buf, row)
  local mark = marks.upwards(buf, blocks_ns, row)()
  return mark and mark[2]
end

---@param buf integer
---@param id integer
---@return integer|nil row of the last line of a block; the last line of the buffer belongs to none
function M.last_row_of_block(buf, id)
  local first = M.row_of_block(buf, id)
  local below = first and marks.downwards(buf, blocks_ns, first + 1)()
  return first and (below and below[2] or api.nvim_buf_line_count(buf) - 1) - 1
end

--- The block a line belongs to.
---@param buf integer
---@param row integer 0-based
---@return integer|nil id, integer|nil line which of its lines, 0-based
function M.block_at(buf, row)
  return require('acp.chat.drawing.visible_blocks').block_at(buf, row)
end

return M
