--- Mentions of texts outside of files: `@register:a` and `@help:tag`.
local M = {}

local api = vim.api
local items = require('acp.context.items')
local max_help_lines = 100

---@type acp.ContextProvider
function M.register(argument, _, answer)
  local name = argument or '"'
  if not name:find('^[%w"+*/:.%%#_=-]$') then
    return answer(items.problem(('there is no register %s'):format(name)))
  end
  -- The last two arguments: the expression register is not evaluated, and a NUL stays a line break.
  local lines = vim.fn.getreg(name, 1, true)
  if type(lines) ~= 'table' or #lines == 0 then
    return answer(items.problem(('the register %s is empty'):format(name)))
  end
  local text = table.concat(lines, '\n') .. '\n'
  answer({ items = { { name = 'register ' .. name, text = text } } })
end

---@param tag string
---@return string|nil file
local function find_tag(tag)
  for _, tags in ipairs(api.nvim_get_runtime_file('doc/tags', true)) do
    for line in io.lines(tags) do
      local file = vim.startswith(line, tag .. '\t') and line:match('^[^\t]*\t([^\t]*)')
      if file then
        return vim.fs.joinpath(vim.fs.dirname(tags), file)
      end
    end
  end
end

-- From the line with the tag to the next one with a tag, if there is text between them.
---@param file string
---@param tag string
---@return { first: integer, last: integer }|nil
local function section(file, tag)
  local number, first, has_text = 0, nil, false
  for line in io.lines(file) do
    number = number + 1
    local has_tag = line:find('%*%S+%*%s*$') ~= nil
    if
      first
      and (number - first >= max_help_lines or (has_text and (has_tag or line:find('^[=-]+$'))))
    then
      return { first = first, last = number - 1 }
    elseif not first then
      first = line:find('*' .. tag .. '*', 1, true) and number or nil
    end
    has_text = has_text or (first ~= nil and not has_tag and line:find('%S') ~= nil)
  end
  return first and { first = first, last = number }
end

---@type acp.ContextProvider
function M.help(argument, _, answer)
  local ok, matches = pcall(vim.fn.getcompletion, argument, 'help')
  local tag = argument
  local file = find_tag(argument)
  if not file and ok and matches[1] then
    tag = matches[1]
    file = find_tag(tag)
  end
  local range = file and section(file, tag)
  if not range then
    return answer(items.problem('the help has no such topic'))
  end
  answer({ items = { { path = file, range = range } } })
end

return M
