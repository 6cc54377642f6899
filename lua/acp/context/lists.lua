--- Mentions of lists with places in files: `@diagnostics`, `@quickfix` and `@loclist`.
local M = {}

local api = vim.api
local items = require('acp.context.items')
local max_lines = 1000

local severities = { 'error', 'warn', 'info', 'hint' }
local types = { E = 'error', W = 'warn', I = 'info', N = 'note' }

-- One line per entry, as compilers write it. Further lines of a message are indented.
---@param place string
---@param kind string|nil
---@param message string
---@param origin string|nil
local function format(place, kind, message, origin)
  local text = vim.trim(message):gsub('\r', ''):gsub('\n', '\n    ')
  local head = place .. ': ' .. (kind and kind .. ': ' or '')
  return head .. text .. (origin and (' [%s]'):format(origin) or '')
end

---@param lines string[]
---@param count integer how many there are
local function join(lines, count)
  if count > #lines then
    table.insert(lines, ('… %d more'):format(count - #lines))
  end
  return table.concat(lines, '\n') .. '\n'
end

local function path_of(buf, cwd)
  local name = api.nvim_buf_is_valid(buf) and api.nvim_buf_get_name(buf) or ''
  return name == '' and ('buffer %d'):format(buf) or items.short_path(name, cwd)
end

---@param argument string|nil such as `all`, `error` or `all:error`
---@return { is_all: boolean, severity?: integer }|nil
local function parse(argument)
  local query = { is_all = false }
  for _, word in ipairs(argument and vim.split(argument, ':', { plain = true }) or {}) do
    local severity = vim.fn.index(severities, word) + 1
    if word == 'all' then
      query.is_all = true
    elseif severity > 0 then
      query.severity = severity
    else
      return nil
    end
  end
  return query
end

---@param found vim.Diagnostic[]
---@param cwd string
---@return string
local function diagnostics_text(found, cwd)
  local paths = {}
  for _, each in ipairs(found) do
    paths[each.bufnr] = paths[each.bufnr] or path_of(each.bufnr, cwd)
  end
  table.sort(found, function(one, other)
    if one.bufnr ~= other.bufnr then
      return paths[one.bufnr] < paths[other.bufnr]
    end
    return one.lnum < other.lnum or (one.lnum == other.lnum and one.col < other.col)
  end)
  local lines = {}
  for index = 1, math.min(#found, max_lines) do
    local each = found[index]
    local place = ('%s:%d:%d'):format(paths[each.bufnr], each.lnum + 1, each.col + 1)
    local origin = vim.trim(('%s %s'):format(each.source or '', each.code or ''))
    local kind = severities[each.severity]
    table.insert(lines, format(place, kind, each.message, origin ~= '' and origin or nil))
  end
  return join(lines, #found)
end

---@type acp.ContextProvider
function M.diagnostics(argument, chat, answer)
  local query = parse(argument)
  if not query then
    local problem = 'write all, error, warn, info, hint, or all:error and the like after the colon'
    return answer(items.problem(problem))
  end
  local win, buf = items.origin()
  if not query.is_all and not win then
    return answer(items.no_window)
  end
  local found = vim.diagnostic.get(not query.is_all and buf or nil, { severity = query.severity })
  local kind = query.severity and severities[query.severity] .. ' diagnostics' or 'diagnostics'
  local place = query.is_all and 'all files' or path_of(buf, chat.cwd)
  if #found == 0 then
    return answer(items.problem(('there are no %s of %s'):format(kind, place)))
  end
  local item = { name = ('%s of %s'):format(kind, place), text = diagnostics_text(found, chat.cwd) }
  answer({ items = { item } })
end

local function entry_line(entry, cwd)
  if entry.bufnr == 0 or entry.valid == 0 then
    return (vim.trim(entry.text))
  end
  local place = path_of(entry.bufnr, cwd)
  if entry.lnum > 0 then
    place = ('%s:%d'):format(place, entry.lnum)
    place = entry.col > 0 and ('%s:%d'):format(place, entry.col) or place
  end
  local code = entry.nr and entry.nr > 0 and tostring(entry.nr) or nil
  return format(place, types[(entry.type or ''):upper()], entry.text, code)
end

---@param list { items: table[], title: string }
---@param name string
---@param cwd string
---@return acp.ContextAnswer
local function of_list(list, name, cwd)
  if #list.items == 0 then
    return items.problem(('the %s is empty'):format(name))
  end
  local lines = {}
  for index = 1, math.min(#list.items, max_lines) do
    table.insert(lines, entry_line(list.items[index], cwd))
  end
  local title = list.title ~= '' and ('%s: %s'):format(name, list.title) or name
  return { items = { { name = title, text = join(lines, #list.items) } } }
end

---@type acp.ContextProvider
function M.quickfix(_, chat, answer)
  answer(of_list(vim.fn.getqflist({ items = 0, title = 0 }), 'quickfix list', chat.cwd))
end

---@type acp.ContextProvider
function M.loclist(_, chat, answer)
  local win = items.origin()
  if not win then
    return answer(items.no_window)
  end
  answer(of_list(vim.fn.getloclist(win, { items = 0, title = 0 }), 'location list', chat.cwd))
end

return M
