--- The user's buffers, as the host may read and change them.
local M = {}

local api = vim.api
local endings = { unix = '\n', dos = '\r\n', mac = '\r' }

-- Where a name really leads; what is not there yet is where it would be.
local function real_path(name)
  local real = vim.uv.fs_realpath(name)
  if real then
    return real
  end
  local folder = vim.uv.fs_realpath(vim.fs.dirname(name))
  return folder and vim.fs.joinpath(folder, vim.fs.basename(name)) or name
end

--- The loaded buffer of a file, by whatever name it was opened.
---@param path string absolute, symlinks resolved
---@return integer|nil
local function find(path)
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == '' then
      local name = api.nvim_buf_get_name(buf)
      if name ~= '' and (name == path or real_path(name) == path) then
        return buf
      end
    end
  end
end

---@class acp.BufferText
---@field buf integer
---@field tick integer
---@field lines? string[] absent: those that are known
---@field ending string
---@field isEnded boolean the last line would be written with its end
---@field hasBom boolean
---@field bytes integer of the lines, each with one for its end
---@field isModified boolean
---@field trouble? string why it can't be changed

---@return string|nil
local function trouble_with(buf)
  if not vim.bo[buf].modifiable then
    return "is open in a buffer that can't be changed ('nomodifiable')"
  elseif vim.bo[buf].readonly then
    return "is open read-only ('readonly')"
  end
end

-- A buffer without text has a line all the same, which is not written; one with an empty line has that.
local function is_empty(buf)
  if api.nvim_buf_line_count(buf) > 1 or api.nvim_buf_get_lines(buf, 0, 1, false)[1] ~= '' then
    return false
  end
  return api.nvim_buf_call(buf, function()
    return vim.fn.line2byte(2) == -1
  end)
end

-- Elsewhere the mark belongs to the encoding, and nobody who writes text has a say in it.
local function is_utf8(buf)
  local encoding = vim.bo[buf].fileencoding
  return encoding == '' or encoding == 'utf-8'
end

--- What a file is as the user sees it; nothing when it is not loaded.
---@param path string
---@param guard? integer the chat that is told when it changes on disk below unsaved text
---@param known? { buf: integer, tick: integer } what the host has the lines of
---@return acp.BufferText|nil
function M.read(path, guard, known)
  local buf = find(path)
  if not buf then
    return nil
  end
  if guard then
    require('acp.guard').watch(buf, path, guard)
  end
  local options = vim.bo[buf]
  local count = api.nvim_buf_line_count(buf)
  local tick = api.nvim_buf_get_changedtick(buf)
  local is_known = known and known.buf == buf and known.tick == tick
  local lines
  if not is_known then
    lines = is_empty(buf) and {} or api.nvim_buf_get_lines(buf, 0, -1, false)
  end
  return {
    buf = buf,
    tick = tick,
    lines = lines,
    ending = endings[options.fileformat],
    isEnded = options.endofline or (options.fixendofline and not options.binary),
    hasBom = options.bomb and is_utf8(buf),
    bytes = api.nvim_buf_get_offset(buf, count),
    isModified = options.modified,
    trouble = trouble_with(buf),
  }
end

-- Setting it ends the undo step that is open, and the next change begins another.
local function end_undo_step(buf)
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
end

---@param buf integer
---@param edits { startRow: integer, startColumn: integer, endRow: integer, endColumn: integer, lines: string[] }[]
---@param has_no_text boolean
local function apply(buf, edits, has_no_text)
  end_undo_step(buf)
  if has_no_text then
    api.nvim_buf_set_lines(buf, 0, -1, false, {})
    return end_undo_step(buf)
  end
  for _, edit in ipairs(edits) do
    api.nvim_buf_set_text(
      buf,
      edit.startRow,
      edit.startColumn,
      edit.endRow,
      edit.endColumn,
      edit.lines
    )
  end
  end_undo_step(buf)
end

--- Writes the buffer as `:write` does. What formats on saving is left out unless it is wanted.
---@param buf integer
---@param is_formatted boolean
local function save(buf, is_formatted)
  local ignored = vim.o.eventignore
  if not is_formatted then
    vim.opt.eventignore:append('BufWritePre')
  end
  local ok, reason = pcall(api.nvim_buf_call, buf, function()
    -- The host has looked at the file: that it is newer than the buffer is no news.
    vim.cmd('silent keepalt lockmarks write! ++p')
  end)
  vim.o.eventignore = ignored
  return ok, reason
end

---@class acp.BufferChange
---@field buf integer
---@field tick integer what the edits are made for
---@field edits table[]
---@field isEmpty boolean
---@field ending? string
---@field isEnded? boolean
---@field hasBom? boolean
---@field isKeptUnsaved? boolean it is not written

-- What is in a file, and putting it back: a write that fails half-way on a full disk leaves half a file.
local function bytes_of(name)
  local file = io.open(name, 'rb')
  local bytes = file and file:read('*a')
  if file then
    file:close()
  end
  return bytes
end

local function put_back(name, bytes)
  if bytes and bytes_of(name) ~= bytes then
    local file = io.open(name, 'wb')
    if file then
      file:write(bytes)
      file:close()
    end
  end
end

--- What the encoding of a buffer has no way to write, which `:write!` would spoil.
---@return string|nil reason
local function inexpressible(buf, edits)
  local encoding = vim.bo[buf].fileencoding
  if is_utf8(buf) then
    return nil
  end
  for _, edit in ipairs(edits) do
    local text = table.concat(edit.lines, '\n')
    if vim.iconv(vim.iconv(text, 'utf-8', encoding), encoding, 'utf-8') ~= text then
      return ("'fileencoding' is %s, which can't express it"):format(encoding)
    end
  end
end

local formats = { ['\n'] = 'unix', ['\r\n'] = 'dos', ['\r'] = 'mac' }

--- Changes a buffer as one undo step and writes it. `changed`: it is not the text that the edits are made for.
---@param change acp.BufferChange
---@return { status: 'saved'|'kept'|'changed'|'failed', reason?: string }
function M.change(change)
  local buf = change.buf
  if not api.nvim_buf_is_loaded(buf) or api.nvim_buf_get_changedtick(buf) ~= change.tick then
    return { status = 'changed' }
  end
  local reason = inexpressible(buf, change.edits)
  if reason then
    return { status = 'failed', reason = reason }
  end
  local options = vim.bo[buf]
  local before = { options.fileformat, options.endofline, options.bomb }
  apply(buf, change.edits, change.isEmpty)
  options.fileformat = formats[change.ending]
  options.endofline = change.isEnded
  if is_utf8(buf) then
    options.bomb = change.hasBom
  end
  if change.isKeptUnsaved then
    return { status = 'kept' }
  end
  local name = real_path(api.nvim_buf_get_name(buf))
  local bytes = bytes_of(name)
  local ok, failure = save(buf, require('acp.config').get().format_on_write)
  if ok then
    return { status = 'saved' }
  end
  -- What was not written was not changed either.
  put_back(name, bytes)
  if #change.edits > 0 then
    api.nvim_buf_call(buf, function()
      vim.cmd('silent undo')
    end)
  end
  options.fileformat, options.endofline, options.bomb = unpack(before)
  return { status = 'failed', reason = tostring(failure) }
end

return M
