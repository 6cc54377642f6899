--- Mentions of files, as the user would write them in a prompt.
local M = {}

-- Other names are quoted: the host would take a part of them for something else.
local plain = '^[%w_/~.+-]*[%w_/+-]$'

---@param path string
---@param cwd string
---@return string
local function relative(path, cwd)
  local folder = cwd:gsub('/$', '') .. '/'
  return vim.startswith(path, folder) and path:sub(#folder + 1) or path
end

-- A file may be called like a mention by name, such as `buffer`.
local function unambiguous(name)
  return name:find('^%l+$') and './' .. name or name
end

--- The mention of a file or some of its lines: `@src/a.ts:10-20`.
---@param path string absolute
---@param cwd string the folder of the chat
---@param range? { first: integer, last: integer }
---@return string|nil mention nil for a name that no mention can have
function M.of(path, cwd, range)
  local name = unambiguous(relative(path, cwd))
  if name:find('["%c]') then
    return nil
  end
  local quoted = name:find(plain) and name or ('"%s"'):format(name)
  if not range then
    return '@' .. quoted
  end
  local format = range.first == range.last and '@%s:%d' or '@%s:%d-%d'
  return format:format(quoted, range.first, range.last)
end

return M
