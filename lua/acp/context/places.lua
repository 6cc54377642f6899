--- Mentions of places in buffers: `@this`, `@selection`, `@buffer`, `@visible`, `@mark:a` and the like.
local M = {}

local api = vim.api
local items = require('acp.context.items')
local lines_around_mark = 10

---@type acp.ContextProvider
function M.this(_, _, answer)
  local win, buf = items.origin()
  if not win then
    return answer(items.no_window)
  end
  local range = require('acp.context.selection').current(win)
  if range then
    return answer(items.of_buffer(buf, range))
  end
  local line = api.nvim_win_get_cursor(win)[1]
  answer(items.of_buffer(buf, { first = line, last = line }))
end

---@type acp.ContextProvider
function M.selection(_, _, answer)
  local win, buf = items.origin()
  if not win then
    return answer(items.no_window)
  end
  local range = require('acp.context.selection').last(win)
  if not range then
    return answer(items.problem('nothing was selected in this buffer'))
  end
  answer(items.of_buffer(buf, range))
end

---@type acp.ContextProvider
function M.buffer(argument, _, answer)
  if not argument then
    local win, buf = items.origin()
    return answer(win and items.of_buffer(buf) or items.no_window)
  end
  local number, first, last = argument:match('^(%d+):?(%d*)%-?(%d*)$')
  local buf = tonumber(number)
  if not buf or buf < 1 or not api.nvim_buf_is_valid(buf) then
    return answer(items.problem(('there is no buffer %s; :ls lists them'):format(argument)))
  end
  local line = tonumber(first)
  local range = line and { first = line, last = tonumber(last) or line }
  answer(items.of_buffer(buf, range))
end

---@type acp.ContextProvider
function M.buffers(_, _, answer)
  local found = {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local path = vim.bo[buf].buflisted and items.file_of(buf)
    if path then
      table.insert(found, { path = path })
    end
  end
  if #found == 0 then
    return answer(items.problem('no buffer has a file'))
  end
  answer({ items = found })
end

---@type acp.ContextProvider
function M.visible(_, _, answer)
  local found, seen = {}, {}
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    if require('acp.context.origin').is_normal(win) then
      local buf = api.nvim_win_get_buf(win)
      local range = { first = vim.fn.line('w0', win), last = vim.fn.line('w$', win) }
      local key = ('%d:%d-%d'):format(buf, range.first, range.last)
      if not seen[key] then
        seen[key] = true
        vim.list_extend(found, items.of_buffer(buf, range).items)
      end
    end
  end
  answer(#found > 0 and { items = found } or items.no_window)
end

-- A mark with a capital letter or a digit is in any file, also in one that is not open.
---@param name string
---@return integer|nil line, integer|nil buf, string|nil path
local function find_mark(name)
  if name:find('^[%u%d]$') then
    local mark = api.nvim_get_mark(name, {})
    local line, _, buf, path = unpack(mark)
    return line, buf ~= 0 and buf or nil, path ~= '' and vim.fn.fnamemodify(path, ':p') or nil
  end
  local win, buf = items.origin()
  local ok, mark = pcall(api.nvim_buf_get_mark, buf, name)
  return win and ok and mark[1] or nil, buf
end

---@type acp.ContextProvider
function M.mark(argument, _, answer)
  local line, buf, path = find_mark(argument)
  if not line or line == 0 then
    return answer(items.problem(('the mark %s is not set'):format(argument)))
  end
  local range = { first = math.max(1, line - lines_around_mark), last = line + lines_around_mark }
  if buf and api.nvim_buf_is_loaded(buf) then
    range.last = math.min(range.last, api.nvim_buf_line_count(buf))
    return answer(items.of_buffer(buf, range))
  end
  answer(
    path and { items = { { path = path, range = range } } } or items.problem('its file is gone')
  )
end

return M
