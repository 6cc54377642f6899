--- Mentions of what a window shows: lines of a file, of a buffer without a file, or files of a tree.
local M = {}

local api = vim.api

local function is_file(buf)
  local name = api.nvim_buf_get_name(buf)
  return name ~= '' and vim.bo[buf].buftype == '' and not name:find('^%a[%w+.-]*://')
end

---@param range? { first: integer, last: integer }
local function number_of(buf, range)
  if not range then
    return ('@buffer:%d'):format(buf)
  end
  local format = range.first == range.last and '@buffer:%d:%d' or '@buffer:%d:%d-%d'
  return format:format(buf, range.first, range.last)
end

-- The text of a list says little about the files in it; that of a terminal is what it is about.
local lists = { nofile = true, nowrite = true, prompt = true, quickfix = true }

---@param buf integer
---@return string|nil problem
local function list_problem(buf)
  local kind = vim.bo[buf].buftype
  if not lists[kind] then
    return nil
  end
  if kind == 'quickfix' then
    return 'this window has no file; @quickfix or @loclist mentions its entries'
  end
  local what = vim.bo[buf].filetype
  local name = what == '' and '' or (' (%s)'):format(what)
  return ('this window has no file%s; open one, select lines, or name it: :AcpAdd {file}'):format(
    name
  )
end

--- The mention of a buffer or some of its lines. A buffer without a file is mentioned by its number.
---@param buf integer
---@param cwd string the folder of the chat
---@param range? { first: integer, last: integer }
---@return string
function M.mention(buf, cwd, range)
  local path = is_file(buf) and api.nvim_buf_get_name(buf)
  return path and require('acp.context.reference').of(path, cwd, range) or number_of(buf, range)
end

--- The mentions of the current window: the files of a tree, else the buffer.
---@param cwd string the folder of the chat
---@param range? { first: integer, last: integer } else the whole buffer, or the line of the cursor in a tree
---@return string[] mentions, string|nil problem why there are none
function M.mentions(cwd, range)
  local paths = require('acp.context.trees').paths(range)
  if not paths then
    local buf = api.nvim_get_current_buf()
    local problem = not range and list_problem(buf) or nil
    return problem and {} or { M.mention(buf, cwd, range) }, problem
  end
  local mentions = vim.tbl_map(function(path)
    local is_root = path == (cwd:gsub('/$', '')) .. '/'
    return is_root and '@./' or require('acp.context.reference').of(path, cwd)
  end, paths)
  return vim.tbl_values(mentions), #mentions == 0 and 'there is no file in this line' or nil
end

--- What a question about the line of the cursor is about; nothing in a window without a file or a tree.
---@param cwd string
---@return string[]
function M.at_cursor(cwd)
  local buf, line = api.nvim_get_current_buf(), vim.fn.line('.')
  if require('acp.context.trees').is_tree(buf) then
    return M.mentions(cwd)
  end
  return is_file(buf) and { M.mention(buf, cwd, { first = line, last = line }) } or {}
end

---@class acp.NearbyPlace
---@field kind 'file'|'lines'
---@field mention string
---@field others string[] mentions by name that are the same place

--- Where the user is in a window with a file: the file, and the selection or else the line of the cursor.
---@param win integer
---@param cwd string
---@param wanted { file: boolean, cursor: boolean, selection: boolean }
---@return acp.NearbyPlace[]
function M.nearby(win, cwd, wanted)
  local buf, found = api.nvim_win_get_buf(win), {}
  if not is_file(buf) then
    return found
  end
  if wanted.file then
    table.insert(found, { kind = 'file', mention = M.mention(buf, cwd), others = { '@buffer' } })
  end
  local selected = wanted.selection and require('acp.context.selection').current(win)
  local line = api.nvim_win_get_cursor(win)[1]
  local range = selected or (wanted.cursor and { first = line, last = line })
  if range then
    local others = selected and { '@this', '@selection' } or { '@this' }
    table.insert(found, { kind = 'lines', mention = M.mention(buf, cwd, range), others = others })
  end
  return found
end

return M
