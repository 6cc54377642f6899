--- The user's buffers, as the host may read and change them.
local M = {}

local api = vim.api
local is_own_save = false
local endings = { unix = '\n', dos = '\r\n', mac = '\r' }

---@type table<integer, string> by buffer: what its file was when it was last read or written
local times = {}

local function time_of(path)
  local stat = vim.uv.fs_stat(path)
  return stat and ('%d %d %d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size) or ''
end

local function is_current(buf, path)
  return times[buf] ~= nil and times[buf] == time_of(path)
end

-- Where a name really leads; what is not there yet is where it would be.
local function real_path(name)
  local real = vim.uv.fs_realpath(name)
  if real then
    return real
  end
  local folder = vim.uv.fs_realpath(vim.fs.dirname(name))
  return folder and vim.fs.joinpath(folder, vim.fs.basename(name)) or name
end

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
    return real_path(name) == path
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

---@class acp.BufferText
---@field buf integer
---@field tick integer
---@field lines? string[] absent: those that are known
---@field ending string
---@field isEnded boolean the last line would be written with its end
---@field hasBom boolean
---@field bytes integer of the lines, each with one for its end if that would be written
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

-- A buffer without text has a line all the same, which is not written; one with an empty line has that.
local function is_empty(buf)
  if api.nvim_buf_line_count(buf) > 1 or api.nvim_buf_get_lines(buf, 0, 1, false)[1] ~= '' then
    return false
  end
  return api.nvim_buf_call(buf, function()
    return vim.fn.wordcount().bytes == 0
  end)
end

-- Elsewhere the mark belongs to the encoding, and nobody who writes text has a say in it.
local function is_utf8(buf)
  local encoding = vim.bo[buf].fileencoding
  return encoding == '' or encoding == 'utf-8'
end

-- What the host takes the bytes of a file for as well. All others only Neovim can read.
local function is_common(buf)
  local encoding = vim.bo[buf].fileencoding
  local is_wide = vim.startswith(encoding, 'utf-16') or vim.startswith(encoding, 'ucs-2')
  return is_utf8(buf) or encoding == 'latin1' or (is_wide and vim.bo[buf].bomb)
end

--- What a file is as the user sees it; nothing when it is not loaded.
---@param path string
---@param guard? integer the chat that is told when it changes on disk below unsaved text
---@param known? { buf: integer, tick: integer } what the host has the lines of
---@return acp.BufferText|nil
function M.read(path, guard, known)
  M.watch()
  local buf = find(path)
  if not buf then
    return nil
  end
  if guard then
    require('acp.guard').watch(buf, path, guard)
  end
  local options = vim.bo[buf]
  local is_apart = options.buftype == 'acwrite' or not is_common(buf)
  if is_apart and not options.modified and not is_current(buf, path) then
    -- Neovim knows how to read it again.
    pcall(vim.cmd, 'silent! checktime ' .. buf)
  end
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
    time = times[buf] or '',
    isCurrent = is_apart or is_current(buf, path),
    isApart = is_apart,
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
local function edit_text(buf, edits, has_no_text)
  require('acp.midst').keep(buf, function()
    if has_no_text then
      return api.nvim_buf_set_lines(buf, 0, -1, false, {})
    elseif is_empty(buf) then
      -- From here on it has a line.
      api.nvim_buf_set_lines(buf, 0, -1, false, { '' })
    end
    for _, edit in ipairs(edits) do
      local from, to = { edit.startRow, edit.startColumn }, { edit.endRow, edit.endColumn }
      api.nvim_buf_set_text(buf, from[1], from[2], to[1], to[2], edit.lines)
    end
  end)
end

local function apply(buf, edits, has_no_text)
  end_undo_step(buf)
  edit_text(buf, edits, has_no_text)
  end_undo_step(buf)
end

--- Writes the buffer as `:write` does. What formats on saving is left out unless it is wanted.
---@param buf integer
---@param is_formatted boolean
local function save(buf, is_formatted)
  local ignored = vim.o.eventignore
  is_own_save = true
  if not is_formatted then
    vim.opt.eventignore:append('BufWritePre')
  end
  local ok, reason = pcall(api.nvim_buf_call, buf, function()
    -- The host has looked at the file: that it is newer than the buffer is no news.
    vim.cmd('silent keepalt lockmarks write! ++p')
  end)
  vim.o.eventignore = ignored
  is_own_save = false
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

---@return table<integer, vim.fn.winsaveview.ret> by window
local function views_of(buf)
  local views = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local cursor = api.nvim_win_get_cursor(win)
    local topline = vim.fn.getwininfo(win)[1].topline
    views[win] = { lnum = cursor[1], col = cursor[2], topline = topline }
  end
  return views
end

local function last_change(buf)
  return api.nvim_buf_call(buf, vim.fn.changenr)
end

-- Leaves no trace of the last changes, in the undo tree neither.
local function take_back(buf, count, views)
  api.nvim_buf_call(buf, function()
    for _ = 1, count do
      vim.cmd('silent undo!')
    end
  end)
  for win, view in pairs(views) do
    api.nvim_win_call(win, function()
      vim.fn.winrestview(view)
    end)
  end
end

-- |textlock|: nothing may be changed until something of the user's own has ended.
local function is_locked(failure)
  return tostring(failure):find('E565:', 1, true) ~= nil
end

-- What Neovim says, without where in our code it said so.
local function reason_of(failure)
  local text = tostring(failure)
  return text:match('E%d+: [^\n]*')
    or text:match('Autocommands for "[^"]*": ([^\n]*)')
    or text:match('[^\n]*')
end

-- Saves it; what an autocommand of the user spoils is not the agent's fault.
---@return boolean ok, string|nil reason
local function save_changed(buf)
  local is_formatted = require('acp.config').get().format_on_write
  local ok, failure = save(buf, is_formatted)
  if not ok and is_formatted and tostring(failure):find('BufWritePre', 1, true) then
    ok, failure = save(buf, false)
  end
  if ok then
    return true
  end
  if not vim.bo[buf].modified then
    local message = 'acp: %s was saved, but an autocommand failed: %s'
    local name = vim.fs.basename(api.nvim_buf_get_name(buf))
    vim.notify(message:format(name, reason_of(failure)), vim.log.levels.WARN)
    return true
  end
  return false, reason_of(failure)
end

-- The lines of a buffer if something changed them meanwhile, such as a formatter.
---@param run fun()
---@return string[]|nil
local function lines_changed_by(buf, run)
  local is_over, is_changed = false, false
  api.nvim_buf_attach(buf, false, {
    on_lines = function()
      is_changed = is_changed or not is_over
      return is_over
    end,
  })
  run()
  is_over = true
  return is_changed and api.nvim_buf_get_lines(buf, 0, -1, false) or nil
end

--- Changes a buffer as one undo step and writes it. `changed`: it is not the text that the edits are made for; `busy`:
--- it can't be changed at this moment.
---@param change acp.BufferChange
---@return { status: 'saved'|'kept'|'changed'|'busy'|'failed', reason?: string, formatted?: string[] }
function M.change(change)
  local buf = change.buf
  if not api.nvim_buf_is_loaded(buf) or api.nvim_buf_get_changedtick(buf) ~= change.tick then
    return { status = 'changed' }
  elseif not require('acp.midst').is_ready(buf) then
    return { status = 'busy' }
  end
  local reason = inexpressible(buf, change.edits)
  if reason then
    return { status = 'failed', reason = reason }
  end
  local options = vim.bo[buf]
  local before = { options.fileformat, options.endofline, options.bomb }
  local views = views_of(buf)
  local number_before = last_change(buf)
  local is_changed, trouble = pcall(apply, buf, change.edits, change.isEmpty)
  local number = last_change(buf)
  local own_changes = number == number_before and 0 or 1
  if not is_changed then
    take_back(buf, own_changes, views)
    return { status = is_locked(trouble) and 'busy' or 'failed', reason = reason_of(trouble) }
  end
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
  local ok, failure
  local formatted = lines_changed_by(buf, function()
    ok, failure = save_changed(buf)
  end)
  if ok then
    return { status = 'saved', formatted = formatted }
  end
  -- What was not written was not changed either.
  put_back(name, bytes)
  take_back(buf, own_changes + last_change(buf) - number, views)
  options.fileformat, options.endofline, options.bomb = unpack(before)
  return { status = 'failed', reason = failure }
end

-- Neovim asks about a file that is newer than its buffer unless only its time is; that of another size never is so.
-- So it first looks without a question, and then once more at a time that is a microsecond off.
local function accept_time(buf, path)
  local quiet = api.nvim_create_autocmd('FileChangedShell', {
    buffer = buf,
    callback = function()
      vim.v.fcs_choice = ''
    end,
  })
  pcall(vim.cmd, 'silent checktime ' .. buf)
  local stat = vim.uv.fs_stat(path)
  if stat then
    local micros = math.floor(stat.mtime.nsec / 1000)
    -- Within the same millisecond, for those who look at no less.
    micros = micros % 1000 == 999 and micros - 1 or micros + 1
    local accessed = stat.atime.sec + stat.atime.nsec / 1e9
    if vim.uv.fs_utime(path, accessed, stat.mtime.sec + micros / 1e6) then
      api.nvim_del_autocmd(quiet)
      quiet = nil
      local ignored = vim.o.eventignore
      vim.opt.eventignore:append('FileChangedShell')
      pcall(vim.cmd, 'silent checktime ' .. buf)
      vim.o.eventignore = ignored
    end
  end
  if quiet then
    api.nvim_del_autocmd(quiet)
  end
end

-- Where a cursor is after edits above it.
local function row_after(row, edits)
  local shift = 0
  for _, edit in ipairs(edits) do
    if edit.endRow < row or (edit.endRow == row and edit.endColumn == 0) then
      shift = shift + #edit.lines - 1 - (edit.endRow - edit.startRow)
    end
  end
  return row + shift
end

-- What the user is in the middle of goes and comes back: the cursor must not notice.
local function keep_cursors(buf, edits, run)
  local cursors = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    cursors[win] = api.nvim_win_get_cursor(win)
  end
  run()
  for win, cursor in pairs(cursors) do
    pcall(api.nvim_win_set_cursor, win, { row_after(cursor[1] - 1, edits) + 1, cursor[2] })
  end
end

---@class acp.BufferFollow: acp.BufferChange
---@field path string
---@field time string what the file was when it was read
---@field again table[] edits that bring back what is unsaved
---@field whole table[] both in one

--- Makes a buffer what is on disk already, as one undo step, with what was unsaved still in it. `changed`: buffer or file
--- were meanwhile; `busy`: it can't be changed at this moment.
---@param follow acp.BufferFollow
---@return 'done'|'changed'|'busy'
function M.follow(follow)
  local buf = follow.buf
  if not api.nvim_buf_is_loaded(buf) or api.nvim_buf_get_changedtick(buf) ~= follow.tick then
    return 'changed'
  end
  -- What the host has read may have been written over meanwhile, by the user too.
  if time_of(follow.path) ~= follow.time then
    return 'changed'
  end
  if not require('acp.midst').is_ready(buf) then
    return 'busy'
  end
  local options = vim.bo[buf]
  local is_fixed, is_readonly = not options.modifiable, options.readonly
  local function adopt()
    options.modifiable, options.readonly = true, false
    end_undo_step(buf)
    edit_text(buf, follow.edits, follow.isEmpty)
    options.fileformat = formats[follow.ending]
    options.endofline = follow.isEnded
    if is_utf8(buf) then
      options.bomb = follow.hasBom
    end
    options.modified = false
    api.nvim_buf_call(buf, function()
      vim.cmd('setlocal noautoread')
      accept_time(buf, follow.path)
      vim.cmd('setlocal autoread<')
      times[buf] = time_of(follow.path)
    end)
    edit_text(buf, follow.again, false)
    end_undo_step(buf)
  end
  local ok, trouble = pcall(function()
    if #follow.again == 0 then
      adopt()
    else
      keep_cursors(buf, follow.whole, adopt)
    end
  end)
  options.modifiable, options.readonly = not is_fixed, is_readonly
  if not ok and not is_locked(trouble) then
    error(trouble, 0)
  end
  return ok and 'done' or 'busy'
end

--- The files that are open.
---@return { path: string, isModified: boolean, isCurrent: boolean }[]
function M.files()
  M.watch()
  local files = {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local name = api.nvim_buf_get_name(buf)
    if api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == '' and name ~= '' then
      local path = real_path(name)
      local is_modified = vim.bo[buf].modified
      table.insert(
        files,
        { path = path, isModified = is_modified, isCurrent = is_current(buf, path) }
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

local is_watching = false

--- Knows from here on what the user reads and saves, and tells the host of what they save: no agent did that.
function M.watch()
  if is_watching then
    return
  end
  is_watching = true
  local group = api.nvim_create_augroup('acp.files', {})
  local function note(buf)
    local name = api.nvim_buf_get_name(buf)
    if vim.bo[buf].buftype == '' and name ~= '' then
      times[buf] = time_of(name)
      return name
    end
  end
  api.nvim_create_autocmd('BufReadPost', {
    group = group,
    callback = function(event)
      local is_again = times[event.buf] ~= nil
      local name = note(event.buf)
      if name and is_again then
        require('acp.host').notify('file.reread', { path = real_path(name) })
      end
    end,
  })
  api.nvim_create_autocmd('BufWritePost', {
    group = group,
    callback = function(event)
      local name = note(event.buf)
      if name and not is_own_save then
        require('acp.host').notify('file.saved', { path = real_path(name) })
      end
    end,
  })
  api.nvim_create_autocmd('BufWipeout', {
    group = group,
    callback = function(event)
      times[event.buf] = nil
    end,
  })
  vim.tbl_map(note, vim.tbl_filter(api.nvim_buf_is_loaded, api.nvim_list_bufs()))
end

return M
