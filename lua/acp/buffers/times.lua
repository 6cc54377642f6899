--- What each file was when its buffer was last read or written, and so whether the two still go together.
local M = {}

local api = vim.api
local is_watching, is_own_save = false, false

---@type table<integer, string> by buffer
local times = {}

--- What a file is now, as src/workspace/disk.ts tells it.
---@param path string
---@return string
function M.of(path)
  local stat = vim.uv.fs_stat(path)
  return stat and ('%d %d %d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size) or ''
end

--- What the file of a buffer was when the two last went together.
---@param buf integer
---@return string
function M.known(buf)
  return times[buf] or ''
end

---@param buf integer
---@param path string
---@return boolean
function M.is_current(buf, path)
  return times[buf] ~= nil and times[buf] == M.of(path)
end

--- A buffer holds what its file was.
---@param buf integer
---@param time string
function M.keep(buf, time)
  times[buf] = time
end

--- Where a name really leads; what is not there yet is where it would be.
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

--- Saves something that is not the user's doing.
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
    times[buf] = M.of(name)
    return name
  end
end

--- Knows from here on what the user reads and saves, and tells the host of what they save: no agent did that.
function M.watch()
  if is_watching then
    return
  end
  is_watching = true
  local group = api.nvim_create_augroup('acp.files', {})
  api.nvim_create_autocmd('BufReadPost', {
    group = group,
    callback = function(event)
      local is_again = times[event.buf] ~= nil
      local name = note(event.buf)
      if name and is_again then
        require('acp.host').mention('file.reread', { path = M.real_path(name) })
      end
    end,
  })
  api.nvim_create_autocmd('BufWritePost', {
    group = group,
    callback = function(event)
      local name = note(event.buf)
      if name and not is_own_save then
        require('acp.host').mention('file.saved', { path = M.real_path(name) })
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
