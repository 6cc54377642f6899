--- Updates a buffer of the user to its file on disk.
local M = {}

local api = vim.api
local text = require('acp.buffers.text')
local times = require('acp.buffers.file_times')

-- Whether Neovim finds that only the time of the file has changed. It then stores the time and does not warn again.
local function is_in_file(buf)
  local reason
  local quiet = api.nvim_create_autocmd('FileChangedShell', {
    buffer = buf,
    callback = function()
      reason = vim.v.fcs_reason
      vim.v.fcs_choice = reason == 'time' and 'ask' or ''
    end,
  })
  pcall(vim.cmd, 'silent checktime ' .. buf)
  api.nvim_del_autocmd(quiet)
  return reason == 'time'
end

-- Makes Neovim accept the time of a file whose text we have just put into the buffer. Otherwise the next `:write` asks
-- "WARNING: The file has been changed since reading it!!!", because the file is newer than the time that Neovim has
-- stored for the buffer (b_mtime_read), and no API sets that time. Neovim stores it only when `:checktime` finds that
-- nothing but the time has changed (v:fcs_reason is 'time'). A file that has another size too is 'changed' at the first
-- check, even if its text is the text of the buffer, but Neovim stores the new size then. A second check would find
-- only the time changed, but there is none as long as the file keeps the time that Neovim has just seen. So the time of
-- the file is moved by one microsecond between the two checks. See https://github.com/neovim/neovim/issues/7959.
---@param time string the time of the file
---@return string time the time now; empty when another program has written to the file meanwhile
local function accept_time(buf, path, time)
  if is_in_file(buf) then
    return time
  end
  local stat = vim.uv.fs_stat(path)
  if not stat then
    return ''
  end
  local micros = math.floor(stat.mtime.nsec / 1000)
  -- Programs that compare milliseconds, such as build tools, must not see a change.
  micros = micros % 1000 == 999 and micros - 1 or micros + 1
  local accessed = stat.atime.sec + stat.atime.nsec / 1e9
  -- Half a microsecond more, because the conversion to an integer may round down.
  if not vim.uv.fs_utime(path, accessed, stat.mtime.sec + (micros + 0.5) / 1e6) then
    return time
  end
  local marked = times.of(path)
  return is_in_file(buf) and marked or ''
end

---@class acp.BufferSyncRequest: acp.BufferChange
---@field path string
---@field time string the time of the file when the host read it
---@field again table[] edits that restore the unsaved text
---@field isEmptyAgain boolean the buffer is empty after them
---@field whole table[] both lists of edits in one

--- Updates a buffer to the file on disk as one undo step, and keeps unsaved changes in it. `changed`: the buffer or the
--- file changed meanwhile; `busy`: the buffer can't be changed at this moment.
---@param request acp.BufferSyncRequest
---@return 'done'|'changed'|'busy'
function M.run(request)
  local buf = request.buf
  if not api.nvim_buf_is_loaded(buf) or api.nvim_buf_get_changedtick(buf) ~= request.tick then
    return 'changed'
  end
  -- The file may have been written since the host read it, also by the user.
  if times.of(request.path) ~= request.time then
    return 'changed'
  end
  if not require('acp.buffers.user_activity').is_ready(buf) then
    return 'busy'
  end
  local options = vim.bo[buf]
  local is_fixed, is_readonly = not options.modifiable, options.readonly
  local function adopt()
    options.modifiable, options.readonly = true, false
    text.end_undo_step(buf)
    text.edit(buf, request.edits, request.isEmpty)
    text.set_kind(buf, request)
    text.mark_saved(buf)
    api.nvim_buf_call(buf, function()
      vim.cmd('setlocal noautoread')
      times.keep(buf, accept_time(buf, request.path, request.time))
      vim.cmd('setlocal autoread<')
    end)
    text.edit(buf, request.again, request.isEmptyAgain)
    text.end_undo_step(buf)
  end
  local ok, trouble = pcall(function()
    if #request.again == 0 then
      adopt()
    else
      require('acp.buffers.cursors').keep(buf, request.whole, adopt)
    end
  end)
  options.modifiable, options.readonly = not is_fixed, is_readonly
  if not ok and not text.is_temporary(trouble) then
    error(trouble, 0)
  end
  return ok and 'done' or 'busy'
end

return M
