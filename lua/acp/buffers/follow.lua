--- Bringing a buffer of the user to what is on disk.
local M = {}

local api = vim.api
local text = require('acp.buffers.text')
local times = require('acp.buffers.times')

-- Whether Neovim finds what is in the buffer in its file. If only the time of that is new it does not mention it again.
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

-- Neovim asks about a file that is newer than its buffer unless only its time is; that of another size never is so.
-- So it first looks without a question, and then once more at a time that is a microsecond off.
---@param time string what the file was
---@return string time what it is now; empty when somebody else has written to it meanwhile
local function accept_time(buf, path, time)
  if is_in_file(buf) then
    return time
  end
  local stat = vim.uv.fs_stat(path)
  if not stat then
    return ''
  end
  local micros = math.floor(stat.mtime.nsec / 1000)
  -- Within the same millisecond, for those who look at no less.
  micros = micros % 1000 == 999 and micros - 1 or micros + 1
  local accessed = stat.atime.sec + stat.atime.nsec / 1e9
  -- Half of one more, because what is behind a microsecond may be cut off.
  if not vim.uv.fs_utime(path, accessed, stat.mtime.sec + (micros + 0.5) / 1e6) then
    return time
  end
  local marked = times.of(path)
  return is_in_file(buf) and marked or ''
end

---@class acp.BufferFollow: acp.BufferChange
---@field path string
---@field time string what the file was when it was read
---@field again table[] edits that bring back what is unsaved
---@field isEmptyAgain boolean nothing is left after them
---@field whole table[] both in one

--- Makes a buffer what is on disk already, as one undo step, with what was unsaved still in it. `changed`: buffer or file
--- were meanwhile; `busy`: it can't be changed at this moment.
---@param follow acp.BufferFollow
---@return 'done'|'changed'|'busy'
function M.run(follow)
  local buf = follow.buf
  if not api.nvim_buf_is_loaded(buf) or api.nvim_buf_get_changedtick(buf) ~= follow.tick then
    return 'changed'
  end
  -- What the host has read may have been written over meanwhile, by the user too.
  if times.of(follow.path) ~= follow.time then
    return 'changed'
  end
  if not require('acp.midst').is_ready(buf) then
    return 'busy'
  end
  local options = vim.bo[buf]
  local is_fixed, is_readonly = not options.modifiable, options.readonly
  local function adopt()
    options.modifiable, options.readonly = true, false
    text.end_undo_step(buf)
    text.edit(buf, follow.edits, follow.isEmpty)
    text.set_kind(buf, follow)
    options.modified = false
    api.nvim_buf_call(buf, function()
      vim.cmd('setlocal noautoread')
      times.keep(buf, accept_time(buf, follow.path, follow.time))
      vim.cmd('setlocal autoread<')
    end)
    text.edit(buf, follow.again, follow.isEmptyAgain)
    text.end_undo_step(buf)
  end
  local ok, trouble = pcall(function()
    if #follow.again == 0 then
      adopt()
    else
      require('acp.buffers.cursors').keep(buf, follow.whole, adopt)
    end
  end)
  options.modifiable, options.readonly = not is_fixed, is_readonly
  if not ok and not text.is_locked(trouble) then
    error(trouble, 0)
  end
  return ok and 'done' or 'busy'
end

return M
