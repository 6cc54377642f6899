--- Changes a buffer of the user for an agent, and saves it.
local M = {}

local api = vim.api
local text = require('acp.buffers.text')
local times = require('acp.buffers.file_times')

-- Without these events no formatter runs on saving.
local save_events = { 'BufWritePre', 'BufWritePost' }

--- Writes the buffer as `:write` does, but ends the last line only if 'endofline' is set: the host knows how it ends.
---@param buf integer
---@param ignored_events string[]
local function save(buf, ignored_events)
  local ignored, is_fixed = vim.o.eventignore, vim.bo[buf].fixendofline
  vim.opt.eventignore:append(ignored_events)
  vim.bo[buf].fixendofline = false
  local ok, reason
  times.as_own_save(function()
    ok, reason = pcall(api.nvim_buf_call, buf, function()
      -- `write!`: the file may be newer than the buffer; the host has compared them.
      vim.cmd('silent keepalt lockmarks write! ++p')
    end)
  end)
  vim.o.eventignore = ignored
  if api.nvim_buf_is_valid(buf) then
    vim.bo[buf].fixendofline = is_fixed
  end
  return ok, reason
end

---@class acp.BufferChange: acp.TextKind
---@field path string the real path of the file
---@field buf integer
---@field tick integer the changedtick the edits are made for
---@field edits table[]
---@field isEmpty boolean
---@field isKeptUnsaved? boolean the buffer is not saved
---@field time? string the time of the file when the host read it
---@field unsaved? acp.UnsavedEdits restores unsaved text after the save

---@class acp.UnsavedEdits
---@field edits table[] applied after the save
---@field isEmpty boolean the buffer is empty after them
---@field whole table[] both lists of edits in one

-- The bytes of a file, to restore it: a write that fails on a full disk leaves half a file.
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

--- Why the encoding of a buffer can't express the new text, which `:write!` would damage.
---@return string|nil reason
local function inexpressible(buf, edits)
  local encoding = vim.bo[buf].fileencoding
  if text.is_utf8(buf) then
    return nil
  end
  for _, edit in ipairs(edits) do
    local wanted = table.concat(edit.lines, '\n')
    if vim.iconv(vim.iconv(wanted, 'utf-8', encoding), encoding, 'utf-8') ~= wanted then
      return ("'fileencoding' is %s, which can't express it"):format(encoding)
    end
  end
end

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

-- Whether both are names of one file (hard links), and `path` contains no symlink.
local function is_same_file(name, path)
  local file, other = vim.uv.fs_stat(name), vim.uv.fs_lstat(path)
  local is_same = file ~= nil and other ~= nil and file.ino == other.ino and file.dev == other.dev
  return is_same and times.real_path(path) == path
end

-- Why the file of a buffer is not written: a symlink leads elsewhere, or it is a pipe and Neovim would block.
---@return string|nil reason
local function misplaced(buf, path)
  local name = api.nvim_buf_get_name(buf)
  local has_folder = vim.uv.fs_realpath(vim.fs.dirname(name)) ~= nil
  if has_folder and times.real_path(name) ~= path and not is_same_file(name, path) then
    return 'its path leads through a symlink that was not there before'
  end
  local stat = vim.uv.fs_stat(name)
  return stat and stat.type ~= 'file' and 'it is not a regular file' or nil
end

-- Reverts the last changes and removes them from the undo tree.
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

-- The error of Neovim without the position in our code.
local function reason_of(failure)
  local message = tostring(failure)
  return message:match('E%d+: [^\n]*')
    or message:match('Autocommands for "[^"]*": ([^\n]*)')
    or message:match('[^\n]*')
end

-- Saves the buffer. A failing autocommand of the user does not make the write of the agent fail.
---@return boolean ok, string|nil reason
local function save_changed(buf)
  local is_formatted = require('acp.config').get().format_on_write
  local ok, failure = save(buf, is_formatted and {} or { 'BufWritePre' })
  if not ok and is_formatted and tostring(failure):find('BufWritePre', 1, true) then
    ok, failure = save(buf, { 'BufWritePre' })
  end
  if ok then
    return true
  end
  if not vim.bo[buf].modified then
    local message = '%s was saved, but an autocommand failed: %s'
    local name = vim.fs.basename(api.nvim_buf_get_name(buf))
    require('acp.messages').warn(message:format(name, reason_of(failure)))
    return true
  end
  return false, reason_of(failure)
end

-- The lines of a buffer if `run` changed them, for example by a formatter.
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

-- Saves the text for the disk, and restores the unsaved text in the same undo step.
---@return boolean ok, string|nil reason
local function save_without(buf, unsaved)
  local ok, failure = save(buf, save_events)
  if not ok then
    return false, reason_of(failure)
  end
  times.keep(buf, times.of(api.nvim_buf_get_name(buf)))
  text.edit(buf, unsaved.edits, unsaved.isEmpty)
  text.end_undo_step(buf)
  return true
end

---@param change acp.BufferChange
---@return { status: 'saved'|'kept'|'busy'|'failed', reason?: string, formatted?: string[] }
local function run(change)
  local buf = change.buf
  local options = vim.bo[buf]
  local before = { options.fileformat, options.endofline, options.bomb }
  local views = views_of(buf)
  local number_before = last_change(buf)
  text.end_undo_step(buf)
  local is_changed, trouble = pcall(text.edit, buf, change.edits, change.isEmpty)
  if not change.unsaved then
    text.end_undo_step(buf)
  end
  local number = last_change(buf)
  local own_changes = number == number_before and 0 or 1
  if not is_changed then
    take_back(buf, own_changes, views)
    return {
      status = text.is_temporary(trouble) and 'busy' or 'failed',
      reason = reason_of(trouble),
    }
  end
  text.set_kind(buf, change)
  if change.isKeptUnsaved then
    return { status = 'kept' }
  end
  local name = times.real_path(api.nvim_buf_get_name(buf))
  local bytes = bytes_of(name)
  local ok, failure, formatted
  if change.unsaved then
    ok, failure = save_without(buf, change.unsaved)
  else
    formatted = lines_changed_by(buf, function()
      ok, failure = save_changed(buf)
    end)
  end
  if ok then
    return { status = 'saved', formatted = formatted }
  end
  -- A failed write leaves buffer and file unchanged.
  put_back(name, bytes)
  take_back(buf, own_changes + last_change(buf) - number, views)
  options.fileformat, options.endofline, options.bomb = unpack(before)
  return { status = text.is_temporary(failure) and 'busy' or 'failed', reason = failure }
end

--- Changes a buffer as one undo step and writes it. `changed`: buffer or file have changed since the edits were made;
--- `busy`: the buffer can't be changed at this moment.
---@param change acp.BufferChange
---@return { status: 'saved'|'kept'|'changed'|'busy'|'failed', reason?: string, formatted?: string[] }
function M.run(change)
  local buf = change.buf
  if not api.nvim_buf_is_loaded(buf) or api.nvim_buf_get_changedtick(buf) ~= change.tick then
    return { status = 'changed' }
  elseif change.time and times.of(change.path) ~= change.time then
    return { status = 'changed' }
  elseif not require('acp.buffers.user_activity').is_ready(buf) then
    return { status = 'busy' }
  end
  local unsaved = change.unsaved
  local reason = not change.isKeptUnsaved and misplaced(buf, change.path) or nil
  reason = reason or inexpressible(buf, change.edits)
  if reason then
    return { status = 'failed', reason = reason }
  elseif not unsaved then
    return run(change)
  end
  local result
  require('acp.buffers.cursors').keep(buf, unsaved.whole, function()
    result = run(change)
    return result.status == 'saved'
  end)
  return result
end

return M
