--- The user's buffers, as the host may see them.
local M = {}

local api = vim.api
local text = require('acp.buffers.text')
local times = require('acp.buffers.times')

-- What a plugin reads and writes in its own way is a file of the user like any other.
local function has_file(buf)
  local kind = vim.bo[buf].buftype
  return api.nvim_buf_is_loaded(buf)
    and (kind == '' or kind == 'acwrite')
    and api.nvim_buf_get_name(buf) ~= ''
end

-- Names may differ in their links, and in their case where that does not matter.
local function is_same_file(name, path, stat)
  if not stat then
    return times.real_path(name) == path
  end
  local other = vim.uv.fs_stat(name)
  return other ~= nil and other.ino == stat.ino and other.dev == stat.dev
end

--- The loaded buffer of a file, by whatever name it was opened.
---@param path string absolute, symlinks resolved
---@return integer|nil
local function find(path)
  local bufs = vim.tbl_filter(has_file, api.nvim_list_bufs())
  for _, buf in ipairs(bufs) do
    if api.nvim_buf_get_name(buf) == path then
      return buf
    end
  end
  local stat = vim.uv.fs_stat(path)
  for _, buf in ipairs(bufs) do
    if is_same_file(api.nvim_buf_get_name(buf), path, stat) then
      return buf
    end
  end
end

---@class acp.BufferText: acp.TextKind
---@field buf integer
---@field tick integer
---@field joined? string its lines with newlines between them; absent: those that are known, or none
---@field isKnown boolean
---@field marks? integer of them, as lua/acp/buffers/text.lua counts
---@field isModified boolean
---@field time string what its file was when it was last read or written
---@field isCurrent boolean it still is that
---@field isApart boolean only Neovim knows how its text is written on disk: by a plugin, or in a rare encoding
---@field trouble? string why it can't be changed

---@return string|nil
local function trouble_with(buf)
  if not vim.bo[buf].modifiable then
    return "is open in a buffer that can't be changed ('nomodifiable')"
  elseif vim.bo[buf].readonly then
    return "is open read-only ('readonly')"
  end
end

-- What the host takes the bytes of a file for as well. All others only Neovim can read.
local function is_common(buf)
  local encoding = vim.bo[buf].fileencoding
  local is_wide = vim.startswith(encoding, 'utf-16') or vim.startswith(encoding, 'ucs-2')
  return text.is_utf8(buf) or encoding == 'latin1' or (is_wide and vim.bo[buf].bomb)
end

--- What a file is as the user sees it; nothing when it is not loaded.
---@param path string
---@param guard? integer the chat that is told when it changes on disk below unsaved text
---@param known? { buf: integer, tick: integer } what the host has the lines of
---@return acp.BufferText|nil
function M.read(path, guard, known)
  times.watch()
  local buf = find(path)
  if not buf then
    return nil
  end
  if guard then
    require('acp.guard').watch(buf, path, guard)
  end
  local options = vim.bo[buf]
  local is_apart = options.buftype == 'acwrite' or not is_common(buf)
  if is_apart and not options.modified and not times.is_current(buf, path) then
    -- Neovim knows how to read it again.
    pcall(vim.cmd, 'silent! checktime ' .. buf)
  end
  local tick = api.nvim_buf_get_changedtick(buf)
  local is_known = known ~= nil and known.buf == buf and known.tick == tick
  local joined
  if not is_known and not text.is_empty(buf) then
    -- One long string is told several times faster than many short ones.
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
    isCurrent = is_apart or times.is_current(buf, path),
    isApart = is_apart,
    trouble = trouble_with(buf),
  })
end

--- The files that are open.
---@return { path: string, isModified: boolean, isCurrent: boolean }[]
function M.files()
  times.watch()
  local files = {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local name = api.nvim_buf_get_name(buf)
    if api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == '' and name ~= '' then
      local path = times.real_path(name)
      local is_modified = vim.bo[buf].modified
      table.insert(
        files,
        { path = path, isModified = is_modified, isCurrent = times.is_current(buf, path) }
      )
    end
  end
  return files
end

--- Does not let Neovim ask about files that an agent may change at any time.
---@param paths string[]
---@param chat integer
function M.guard(paths, chat)
  for _, path in ipairs(paths) do
    local buf = find(path)
    if buf then
      require('acp.guard').watch(buf, path, chat)
    end
  end
end

--- A file is gone: so is its buffer, unless there is unsaved text in it.
---@param path string
function M.drop(path)
  local buf = find(path)
  if buf and not vim.bo[buf].modified then
    pcall(api.nvim_buf_delete, buf, {})
  end
end

return M
