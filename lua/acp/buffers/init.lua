--- What the host may read of the user's buffers.
local M = {}

local api = vim.api
local text = require('acp.buffers.text')
local times = require('acp.buffers.file_times')
-- An answer about several buffers must not take long.
local enough_bytes = 64 * 1024

-- A buffer that a plugin reads and writes ('acwrite') counts as a file of the user.
local function has_file(buf)
  local kind = vim.bo[buf].buftype
  return api.nvim_buf_is_loaded(buf)
    and (kind == '' or kind == 'acwrite')
    and api.nvim_buf_get_name(buf) ~= ''
end

---@param path string
---@return string|nil
local function inode(path)
  local stat = vim.uv.fs_stat(path)
  return stat and ('%d %d'):format(stat.dev, stat.ino)
end

-- The loaded buffers by the name of their file.
---@return table<string, integer>
local function by_name()
  local found = {}
  for _, buf in ipairs(vim.tbl_filter(has_file, api.nvim_list_bufs())) do
    local name = api.nvim_buf_get_name(buf)
    found[name] = found[name] or buf
  end
  return found
end

--- Finds the loaded buffers of files, by whatever names they were opened: these may differ in links, and in case on
--- some file systems.
---@return fun(path: string): integer|nil find takes an absolute path, symlinks resolved
local function finder()
  local named = by_name()
  ---@type table<string, integer>|nil what the names lead to, by inode or by path
  local places
  local function place_of(path, is_name)
    return inode(path) or (is_name and times.real_path(path) or path)
  end
  local function find_places()
    places = {}
    for name, buf in pairs(named) do
      places[place_of(name, true)] = buf
    end
  end
  return function(path)
    if named[path] then
      return named[path]
    elseif times.real_path(path) ~= path then
      -- A link was put there after the host resolved the path, and nobody has checked what it leads to.
      return nil
    elseif not places then
      find_places()
    end
    return places[place_of(path, false)]
  end
end

---@param path string absolute, symlinks resolved
---@return integer|nil
local function find(path)
  return finder()(path)
end

---@class acp.BufferText: acp.TextKind
---@field buf integer
---@field tick integer
---@field joined? string its lines with newlines between them; absent: the host has them, or there are none
---@field isKnown boolean
---@field marks? integer see `marks` in lua/acp/buffers/text.lua
---@field isModified boolean
---@field time string the time of its file when it was last read or written
---@field isCurrent boolean the file still has that time
---@field isOpaque boolean only Neovim knows how the text is stored: a plugin writes it, or the encoding is a rare one
---@field trouble? string why it can't be changed

---@class acp.BufferRequest
---@field path string absolute, links resolved
---@field watcher? integer the chat that is notified when the file changes on disk under unsaved text
---@field known? { buf: integer, tick: integer } the buffer whose lines the host has

---@return string|nil
local function trouble_with(buf)
  if not vim.bo[buf].modifiable then
    return "is open in a buffer that can't be changed ('nomodifiable')"
  elseif vim.bo[buf].readonly then
    return "is open read-only ('readonly')"
  end
end

-- The encodings that the host can decode too.
local function is_common(buf)
  local encoding = vim.bo[buf].fileencoding
  local is_wide = vim.startswith(encoding, 'utf-16') or vim.startswith(encoding, 'ucs-2')
  return text.is_utf8(buf) or encoding == 'latin1' or (is_wide and vim.bo[buf].bomb)
end

---@param buf integer
---@param request acp.BufferRequest
---@return acp.BufferText
local function read(buf, request)
  local path, known = request.path, request.known
  if request.watcher then
    require('acp.buffers.external_changes').watch(buf, path, request.watcher)
  end
  local options = vim.bo[buf]
  local is_opaque = options.buftype == 'acwrite' or not is_common(buf)
  if is_opaque and not options.modified and not times.is_current(buf, path) then
    -- Only Neovim can read it again.
    pcall(vim.cmd, 'silent! checktime ' .. buf)
  end
  local tick = api.nvim_buf_get_changedtick(buf)
  local is_known = known ~= nil and known.buf == buf and known.tick == tick
  local joined
  if not is_known and not text.is_empty(buf) then
    -- One long string is sent several times faster than many short ones.
    joined = table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
  end
  return vim.tbl_extend('error', text.kind(buf), {
    buf = buf,
    tick = tick,
    joined = joined,
    isKnown = is_known,
    marks = text.marks(joined or ''),
    isModified = options.modified,
    time = times.known(buf),
    isCurrent = is_opaque or times.is_current(buf, path),
    isOpaque = is_opaque,
    trouble = trouble_with(buf),
  })
end

--- The text of a file as the user sees it; nil when no buffer has it loaded.
---@param request acp.BufferRequest
---@return acp.BufferText|nil
function M.read(request)
  times.watch()
  local buf = find(request.path)
  return buf and read(buf, request)
end

--- The texts of several files as the user sees them, one after the other until they are long enough for one answer.
---@param paths string[] absolute, links resolved
---@return { buffer?: acp.BufferText }[]
function M.read_all(paths)
  times.watch()
  local find_buffer, answers, bytes = finder(), {}, 0
  for index, path in ipairs(paths) do
    local buf = find_buffer(path)
    local buffer = buf and read(buf, { path = path })
    -- A table without a key would arrive as a list.
    answers[index] = buffer and { buffer = buffer } or vim.empty_dict()
    bytes = bytes + #(buffer and buffer.joined or '')
    if bytes > enough_bytes then
      break
    end
  end
  return answers
end

--- Everything that a write to a file depends on, in one answer.
---@param request acp.BufferRequest
---@return { buffer?: acp.BufferText, otherEditor?: { pid: integer } }
function M.write_target(request)
  return {
    buffer = M.read(request),
    otherEditor = require('acp.buffers.swap_files').other_editor(request.path),
  }
end

--- The files that are open.
---@return { path: string, stamp: string, isModified: boolean, isCurrent: boolean }[]
function M.files()
  times.watch()
  local files = {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local name = api.nvim_buf_get_name(buf)
    if api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == '' and name ~= '' then
      local path = times.real_path(name)
      table.insert(files, {
        path = path,
        stamp = ('%s %s'):format(times.of(path), inode(path) or ''),
        isModified = vim.bo[buf].modified,
        isCurrent = times.is_current(buf, path),
      })
    end
  end
  return files
end

--- Keeps Neovim from asking about files that an agent may change at any time.
---@param paths string[]
---@param chat integer
function M.watch(paths, chat)
  local find_buffer = finder()
  for _, path in ipairs(paths) do
    local buf = find_buffer(path)
    if buf then
      require('acp.buffers.external_changes').watch(buf, path, chat)
    end
  end
end

-- Deleting a buffer would close its windows.
---@param buf integer
local function leave_windows(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local other = api.nvim_win_call(win, function()
      return vim.fn.bufnr('#')
    end)
    local is_usable = other > 0 and other ~= buf and vim.bo[other].buflisted
    pcall(api.nvim_win_set_buf, win, is_usable and other or api.nvim_create_buf(true, false))
  end
end

--- Deletes the buffer of a deleted file, unless it has unsaved text.
---@param path string
function M.drop(path)
  local buf = find(path)
  if buf and not vim.bo[buf].modified then
    leave_windows(buf)
    pcall(api.nvim_buf_delete, buf, {})
  end
end

return M
