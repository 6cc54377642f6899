--- What answers to mentions are made of.
local M = {}

local api = vim.api
-- The host sends at most this much text with a prompt.
local max_bytes, chunk_lines = 1024 * 1024, 1000

---@param text string
---@return acp.ContextAnswer
function M.problem(text)
  return { items = {}, problem = text }
end

--- The file of a buffer that the host can read by its path, from the buffer or from the disk.
---@param buf integer
---@return string|nil path
function M.file_of(buf)
  local name, kind = api.nvim_buf_get_name(buf), vim.bo[buf].buftype
  local is_path = vim.startswith(name, '/') or name:find('^%a:[/\\]') ~= nil
  local has_file = kind == '' or kind == 'acwrite' or kind == 'help'
  return is_path and has_file and name or nil
end

---@param buf integer
---@return string
local function title_of(buf)
  local name = api.nvim_buf_get_name(buf)
  return ('buffer %d (%s)'):format(buf, name == '' and 'no name' or name)
end

---@param buf integer
---@param range { first: integer, last: integer }
---@return string text, boolean is_cut
local function read(buf, range)
  local parts, size = {}, 0
  for first = range.first - 1, range.last - 1, chunk_lines do
    local last = math.min(first + chunk_lines, range.last)
    local part = table.concat(api.nvim_buf_get_lines(buf, first, last, false), '\n') .. '\n'
    table.insert(parts, part)
    size = size + #part
    if size > max_bytes then
      return table.concat(parts), last < range.last
    end
  end
  return table.concat(parts), false
end

--- Lines of a buffer, or all of it: a reference to its file, or their text if there is no file.
---@param buf integer
---@param range? { first: integer, last: integer }
---@return acp.ContextAnswer
function M.of_buffer(buf, range)
  local path = M.file_of(buf)
  if path then
    return { items = { { path = path, range = range } } }
  end
  if not api.nvim_buf_is_loaded(buf) then
    return M.problem(('buffer %d is not loaded and has no file'):format(buf))
  end
  local name = title_of(buf)
  if range then
    name = ('%s, lines %d-%d'):format(name, range.first, range.last)
  end
  local lines = range or { first = 1, last = api.nvim_buf_line_count(buf) }
  local text, is_cut = read(buf, lines)
  local problem = is_cut and 'only its first megabyte was read' or nil
  return { items = { { name = name, text = text } }, problem = problem }
end

--- A path as the agent would write it: relative to the folder of its session.
---@param path string
---@param cwd string
---@return string
function M.short_path(path, cwd)
  local folder = cwd:gsub('/$', '') .. '/'
  return vim.startswith(path, folder) and path:sub(#folder + 1) or path
end

--- The window that a mention is about and its buffer.
---@return integer|nil win, integer buf
function M.origin()
  local win = require('acp.context.origin').window()
  return win, win and api.nvim_win_get_buf(win) or 0
end

M.no_window = M.problem('this tab page has no window with a file')

return M
