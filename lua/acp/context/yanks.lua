--- Where whole lines were yanked. The text is not kept: it is compared with the lines that are there later.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.context.yanks')
local max_yanks = 10
M.max_lines = 2000

---@class acp.Yank
---@field buf? integer the buffer of a file
---@field row? integer the first line in that buffer, from 0
---@field mark? integer the extmark that moves with this line
---@field count? integer
---@field lines? string[] what was yanked or deleted in a prompt, which is no place to mention

---@type acp.Yank[] the newest one first
local yanks = {}

---@param yank acp.Yank
local function add(yank)
  table.insert(yanks, 1, yank)
  local oldest = table.remove(yanks, max_yanks + 1)
  if oldest and oldest.buf and api.nvim_buf_is_valid(oldest.buf) then
    api.nvim_buf_del_extmark(oldest.buf, ns, oldest.mark)
  end
end

-- Remembers the lines between the marks '[ and '], which a yank sets.
---@param buf integer
local function add_marked(buf)
  local first = api.nvim_buf_get_mark(buf, '[')[1]
  local last = api.nvim_buf_get_mark(buf, ']')[1]
  local count = last - first + 1
  local is_there = first > 0 and last <= api.nvim_buf_line_count(buf)
  if is_there and count > 0 and count <= M.max_lines then
    local mark = api.nvim_buf_set_extmark(buf, ns, first - 1, 0, {})
    add({ buf = buf, row = first - 1, mark = mark, count = count })
  end
end

-- Reading all of |v:event| would copy the text of every yank.
local function yanked()
  if api.nvim_eval('v:event.regtype') ~= 'V' then
    return
  end
  local buf = api.nvim_get_current_buf()
  if vim.bo[buf].filetype == 'acp-prompt' then
    if api.nvim_eval('len(v:event.regcontents)') <= M.max_lines then
      add({ lines = api.nvim_eval('v:event.regcontents') })
    end
  elseif api.nvim_eval('v:event.operator') == 'y' and require('acp.context.items').file_of(buf) then
    add_marked(buf)
  end
end

-- The lines may have been yanked before the first chat.
local function add_earlier()
  local buffers = vim.fn.getbufinfo({ bufloaded = 1 })
  table.sort(buffers, function(one, other)
    return one.lastused < other.lastused
  end)
  for _, info in ipairs(buffers) do
    if require('acp.context.items').file_of(info.bufnr) then
      add_marked(info.bufnr)
    end
  end
end

--- Remembers from now on where lines are yanked.
function M.watch()
  require('acp.ui.autocommands').group_once('context.yanks', function(on)
    add_earlier()
    on('TextYankPost', yanked)
  end)
end

-- A paste may have changed the indent.
local function is_same(line, other)
  return line == other or vim.trim(line) == vim.trim(other)
end

-- How much of a line stands before the line that was pasted behind it.
---@param line string
---@param pasted string
---@return integer|nil bytes
local function size_before(line, pasted)
  for _, text in ipairs({ pasted, vim.trim(pasted) }) do
    if text ~= '' and vim.endswith(line, text) then
      return #line - #text
    end
  end
end

-- Whether lines are those that were yanked. What was typed before them in the same line may belong to the same change.
---@param lines string[]
---@param yanked_lines string[]
---@return integer|nil bytes that were typed before them
local function match(lines, yanked_lines)
  if #lines ~= #yanked_lines then
    return nil
  end
  for index = 2, #lines do
    if not is_same(lines[index], yanked_lines[index]) then
      return nil
    end
  end
  if is_same(lines[1], yanked_lines[1]) then
    return 0
  end
  return #lines > 1 and size_before(lines[1], yanked_lines[1]) or nil
end

-- The rows where the lines of a yank may be now. A buffer that was loaded again has lost its extmarks.
---@param yank acp.Yank
---@return integer[]
local function rows_of(yank)
  if not api.nvim_buf_is_loaded(yank.buf) then
    return {}
  end
  local moved = api.nvim_buf_get_extmark_by_id(yank.buf, ns, yank.mark, {})[1]
  return (moved and moved ~= yank.row) and { moved, yank.row } or { yank.row }
end

---@class acp.YankedPlace
---@field path string
---@field range { first: integer, last: integer }
---@field size_before integer the bytes of the first line that were typed before it

---@param yank acp.Yank
---@param lines string[]
---@return acp.YankedPlace|nil
local function place_of(yank, lines)
  for _, row in ipairs(rows_of(yank)) do
    local size = match(lines, api.nvim_buf_get_lines(yank.buf, row, row + yank.count, false))
    local path = size and require('acp.context.items').file_of(yank.buf)
    if path then
      local range = { first = row + 1, last = row + #lines }
      return { path = path, range = range, size_before = size }
    end
  end
end

--- The place that lines were yanked from, if they are still there.
---@param lines string[]
---@return acp.YankedPlace|nil
function M.find(lines)
  for _, yank in ipairs(yanks) do
    if yank.lines and match(lines, yank.lines) then
      return nil
    end
    local place = yank.count == #lines and place_of(yank, lines)
    if place then
      return place
    end
  end
end

return M
