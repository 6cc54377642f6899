--- The code blocks of a transcript: a background behind all of them, and colours for those on the screen. Those that
--- are far from the screen lose their colours, so the cost does not depend on the length of the chat.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.chat.code_blocks')
local colours_ns = api.nvim_create_namespace('acp.chat.code_colours')
local sorted = require('acp.chat.drawing.sorted')
local visible_blocks = require('acp.chat.drawing.visible_blocks')

-- Lines around those on the screen that get their colours too, lines above that are read for their context, and the
-- most text that is read.
local margin, context, max_bytes = 30, 200, 20000
-- Text that streams in is coloured at most this often, and in at most this share of the time.
local pause_ms, share = 100, 1 / 60
-- The rest waits for the next turn of the event loop.
local most_ms = 5

---@class acp.CodeBlock a range of `src/ports/frame.ts`; lines count from the start of its block
---@field from integer
---@field to? integer
---@field language string
---@field indent integer
---@field isDiff? boolean
---@field coloured? integer[] first line and line after the last that have their colours
---@field is_stale? boolean its text has grown since

---@class acp.CodeList
---@field by_block table<integer, acp.CodeBlock[]>
---@field coloured table<acp.CodeBlock, integer> the block of each that has colours
---@field waiting table<acp.CodeBlock, true>|nil the code that was on the screen when colours were requested
---@field grown_at number
---@field next_at number

---@type table<integer, acp.CodeList> by buffer
local lists = {}

local function now()
  return vim.uv.hrtime() / 1e6
end

---@param buf integer
function M.forget(buf)
  lists[buf] = nil
end

--- Code blocks begin, or are closed.
---@param buf integer
---@param id integer
---@param ranges acp.CodeBlock[]
function M.add(buf, id, ranges)
  -- The first code is part of an answer that grows, as a rule.
  lists[buf] = lists[buf] or { by_block = {}, coloured = {}, grown_at = now(), next_at = 0 }
  local blocks = lists[buf].by_block
  blocks[id] = blocks[id] or {}
  local list = blocks[id]
  for _, range in ipairs(ranges) do
    local last = list[#list]
    if last and last.from == range.from then
      last.to = range.to
    else
      table.insert(list, range)
    end
  end
end

--- The text of lines is about to be replaced.
---@param buf integer
---@param first integer row
---@param last integer row after the last
function M.clear(buf, first, last)
  if lists[buf] then
    api.nvim_buf_clear_namespace(buf, colours_ns, first, last)
  end
end

--- Removes the code blocks of a block.
---@param buf integer
---@param id integer
function M.remove(buf, id)
  local list = lists[buf]
  if not list or not list.by_block[id] then
    return
  end
  if visible_blocks.row_of(buf, id) then
    local row, stop = visible_blocks.rows_of(buf, id)
    api.nvim_buf_clear_namespace(buf, colours_ns, row, stop)
  end
  for _, range in ipairs(list.by_block[id]) do
    list.coloured[range] = nil
  end
  list.by_block[id] = nil
end

--- Text was added to a block.
---@param buf integer
---@param id integer
function M.grow(buf, id)
  local list = lists[buf]
  if not list then
    return
  end
  list.grown_at = now()
  local ranges = list.by_block[id] or {}
  local last = ranges[#ranges]
  if last and (not last.to or last.coloured) then
    last.is_stale = true
  end
end

---@class acp.VisibleCode
---@field range acp.CodeBlock
---@field block integer
---@field start integer row of the first line of its block
---@field first integer row of the first line of code
---@field last integer row after the last line of code

--- The code between two rows, fences included.
---@return acp.VisibleCode[]
local function code_between(buf, top, bottom)
  local found = {}
  local blocks = visible_blocks.between(buf, top, bottom)
  -- The last line belongs to no block: it shows the activity.
  local last_row = api.nvim_buf_line_count(buf) - 1
  for index, block in ipairs(blocks) do
    local id, start = block[1], block[2]
    local ranges = lists[buf].by_block[id] or {}
    local stop = blocks[index + 1] and blocks[index + 1][2] or math.min(bottom + 1, last_row)
    for at = sorted.last_at_most(ranges, 'from', bottom + 1 - start), 1, -1 do
      local range = ranges[at]
      local last = range.to and start + range.to or stop
      if last < top then
        break
      end
      table.insert(
        found,
        { range = range, block = id, start = start, first = start + range.from, last = last }
      )
    end
  end
  return found
end

---@param code acp.VisibleCode
---@param top integer
---@param bottom integer
local function needs_colours(code, top, bottom)
  local range = code.range
  if range.language == '' then
    return false
  end
  if range.is_stale or not range.coloured then
    return true
  end
  local first = math.max(code.first, top) - code.start
  local last = math.min(code.last, bottom + 1) - code.start
  return first < range.coloured[1] or last > range.coloured[2]
end

-- The lines without the indentation of their fence. Of very long lines, nothing.
---@param range acp.CodeBlock
---@return string[] lines, integer indent
local function read_lines(buf, first, last, range)
  local indent = range.indent
  local size = api.nvim_buf_get_offset(buf, last) - api.nvim_buf_get_offset(buf, first)
  if size > max_bytes then
    return {}, 0
  end
  local lines = api.nvim_buf_get_lines(buf, first, last, false)
  local blanks = '^' .. (' '):rep(indent)
  local is_indented = vim.iter(lines):all(function(line)
    return line:find(blanks) ~= nil or not line:find('%S')
  end)
  if indent == 0 or not (is_indented or range.isDiff) then
    return lines, 0
  end
  return vim.tbl_map(function(line)
    return line:sub(indent + 1)
  end, lines), indent
end

---@param buf integer
---@param code acp.VisibleCode
---@param top integer
---@param bottom integer
local function colour(buf, code, top, bottom)
  local range = code.range
  local end_of_buffer = api.nvim_buf_line_count(buf) - 1
  local first = math.max(code.first, top - margin)
  local last = math.min(code.last, bottom + 1 + margin, end_of_buffer)
  local read_from = math.max(code.first, first - context)
  local lines, indent = read_lines(buf, read_from, last, range)
  if #lines == 0 then
    read_from = first
    lines, indent = read_lines(buf, first, last, range)
  end
  local marks = require('acp.chat.drawing.code_highlight').marks(
    range.language,
    lines,
    first - read_from,
    #lines
  )
  api.nvim_buf_clear_namespace(buf, colours_ns, code.first, math.max(code.last, last))
  for _, mark in ipairs(marks) do
    pcall(api.nvim_buf_set_extmark, buf, colours_ns, read_from + mark.row, mark.from + indent, {
      end_row = read_from + mark.end_row,
      end_col = mark.to + indent,
      hl_group = mark.group,
      priority = 100,
    })
  end
  range.is_stale = false
  range.coloured = { first - code.start, last - code.start }
  lists[buf].coloured[range] = code.block
end

---@return integer[][] the first and last row of each window of a buffer
local function views_of(buf)
  return vim.tbl_map(function(win)
    return { vim.fn.line('w0', win) - 1, vim.fn.line('w$', win) - 1 }
  end, vim.fn.win_findbuf(buf))
end

-- Code that is far from every window loses its colours.
local function drop_distant(buf, views)
  local list = lists[buf]
  for range, block in pairs(list.coloured) do
    local row = visible_blocks.row_of(buf, block)
    local first, last = row and row + range.coloured[1], row and row + range.coloured[2]
    local is_near = row
      and vim.iter(views):any(function(view)
        return last >= view[1] - context and first <= view[2] + context
      end)
    if not is_near then
      if row then
        api.nvim_buf_clear_namespace(buf, colours_ns, first, last)
      end
      range.coloured = nil
      list.coloured[range] = nil
    end
  end
end

---@return table[] code on the screen without its colours, with the first and last row of its window
local function without_colours(buf, views)
  local found = {}
  for _, view in ipairs(views) do
    for _, code in ipairs(code_between(buf, view[1], view[2])) do
      if needs_colours(code, view[1], view[2]) then
        table.insert(found, { code, view[1], view[2] })
      end
    end
  end
  return found
end

---@return boolean is_done
local function colour_visible(buf)
  local began = now()
  local views = views_of(buf)
  for _, found in ipairs(without_colours(buf, views)) do
    if now() - began > most_ms then
      return false
    end
    colour(buf, unpack(found))
  end
  drop_distant(buf, views)
  lists[buf].next_at = now() + math.max(pause_ms, (now() - began) / share)
  return true
end

---@param codes acp.VisibleCode[]
---@return table<acp.CodeBlock, true>
local function ranges_of(codes)
  local ranges = {}
  for _, code in ipairs(codes) do
    ranges[code.range] = true
  end
  return ranges
end

---@return boolean
local function is_growing(list)
  return now() - list.grown_at < pause_ms
end

-- Code that was not on the screen when colours were requested, while more text streams in: it leaves the screen before
-- its colours could be seen.
---@return acp.VisibleCode[]|nil
local function passing_code(buf)
  local list = lists[buf]
  local codes = vim.tbl_map(function(found)
    return found[1]
  end, is_growing(list) and without_colours(buf, views_of(buf)) or {})
  local stays = vim.iter(codes):any(function(code)
    return list.waiting[code.range]
  end)
  return #codes > 0 and not stays and codes or nil
end

-- Not within a redraw, where Neovim must not be held up.
---@param buf integer
---@param codes acp.VisibleCode[] on the screen
local function request_colours(buf, codes)
  local list = lists[buf]
  if list.waiting then
    return
  end
  list.waiting = ranges_of(codes)
  local function run()
    if lists[buf] ~= list then
      return
    end
    local passing = passing_code(buf)
    if passing then
      list.waiting = ranges_of(passing)
      vim.defer_fn(run, pause_ms)
    elseif colour_visible(buf) then
      list.waiting = nil
    else
      -- |vim.wait()| does not end while something is scheduled.
      vim.defer_fn(run, 1)
    end
  end
  local wait = is_growing(list) and math.max(pause_ms, math.ceil(list.next_at - now())) or 0
  vim.defer_fn(run, wait)
end

---@type acp.VisibleCode[] of the window that is being drawn
local visible = {}

local function draw_window(_, _, buf, top, bottom)
  if not lists[buf] then
    return false
  end
  visible = code_between(buf, top, bottom)
  for _, code in ipairs(visible) do
    if needs_colours(code, top, bottom) then
      request_colours(buf, visible)
      break
    end
  end
  return #visible > 0
end

local function draw_line(_, _, buf, row)
  for _, code in ipairs(visible) do
    local range = code.range
    local is_within = row >= code.first - 1 and row <= code.last and (row < code.last or range.to)
    if is_within and not range.isDiff then
      api.nvim_buf_set_extmark(buf, ns, row, 0, {
        end_row = row + 1,
        hl_group = 'AcpCodeBlock',
        hl_eol = true,
        ephemeral = true,
        priority = 50,
      })
      return
    end
  end
end

api.nvim_set_decoration_provider(ns, { on_win = draw_window, on_line = draw_line })

return M
