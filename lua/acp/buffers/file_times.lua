--- The time of each file when its buffer was last read or written: it shows whether the two still match.
local M = {}

local api = vim.api
local records = require('acp.buffers.records')
local is_watching, is_own_save = false, false

--- The modification time and size of a file, written as in src/workspace/files/disk.ts; empty if there is no file.
---@param path string
---@return string
function M.of(path)
  local stat = vim.uv.fs_stat(path)
  return stat and ('%d %d %d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size) or ''
end

--- The time of a buffer's file when the two last matched; empty if it is unknown.
---@param buf integer
---@return string
function M.known(buf)
  return records.get(buf).time or ''
end

--- Whether the file has not changed since it last matched its buffer.
---@param buf integer
---@param path string
---@return boolean
function M.is_current(buf, path)
  return records.get(buf).time == M.of(path)
end

--- Records that buffer and file match.
---@param buf integer
---@param time string
function M.keep(buf, time)
  records.get(buf).time = time
end

--- The real path of a name, links resolved; a missing file has the path it would be created at.
---@param name string
---@return string
function M.real_path(name)
  local real = vim.uv.fs_realpath(name)
  if real then
    return real
  end
  local folder = vim.uv.fs_realpath(vim.fs.dirname(name))
  return folder and vim.fs.joinpath(folder, vim.fs.basename(name)) or name
end

--- Runs a save of ours, which is not reported as a save of the user.
---@param run fun()
function M.as_own_save(run)
  is_own_save = true
  run()
  is_own_save = false
end

---@return string|nil name
local function note(buf)
  local name = api.nvim_buf_get_name(buf)
  if vim.bo[buf].buftype == '' and name ~= '' then
    records.get(buf).time = M.of(name)
    return name
  end
end

--- Records from here on when files are read and saved, and reports saves and reloads of the user to the host.
function M.watch()
  if is_watching then
    return
  end
  is_watching = true
  local group = api.nvim_create_augroup('acp.files', {})
  api.nvim_create_autocmd('BufReadPost', {
    group = group,
    callback = function(event)
      local is_again = records.get(event.buf).time ~= nil
      local name = note(event.buf)
      if name and is_again then
        require('acp.host').notify_if_running('file.reloaded', { path = M.real_path(name) })
      end
    end,
  })
  api.nvim_create_autocmd('BufWritePost', {
    group = group,
    callback = function(event)
      local name = note(event.buf)
      if name and not is_own_save then
        require('acp.host').notify_if_running('file.saved', { path = M.real_path(name) })
      end
    end,
  })
  vim.tbl_map(note, vim.tbl_filter(api.nvim_buf_is_loaded, api.nvim_list_bufs()))
end

return M
