--- Where the plugin and its files are.
local M = {}

--- The folder of the plugin.
M.root = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))))

--- A file or folder of ours that is kept: journals, drafts, recordings.
---@param ... string
---@return string
function M.state(...)
  return vim.fs.joinpath(vim.fn.stdpath('state'), 'acp', ...)
end

--- The folder of the worktrees that were made for sessions. It is not in a folder of Neovim, where every write of an
--- agent needs consent.
---@return string
function M.worktrees()
  return vim.fs.joinpath(vim.fs.dirname(vim.fn.stdpath('data')), 'acp-worktrees')
end

--- A file or folder of ours that can be downloaded or made again.
---@param ... string
---@return string
function M.cache(...)
  return vim.fs.joinpath(vim.fn.stdpath('cache'), 'acp', ...)
end

--- The folders that Neovim executes files of or keeps its data in, and the first file that it executes.
---@return string[]
function M.editor_folders()
  local folders = { vim.env.MYVIMRC }
  for _, name in ipairs({ 'config', 'data', 'state', 'cache', 'config_dirs', 'data_dirs' }) do
    vim.list_extend(folders, vim.iter({ vim.fn.stdpath(name) }):flatten():totable())
  end
  return vim.tbl_map(vim.fs.normalize, folders)
end

--- The program of a name. With a folder such as ./node_modules/.bin in PATH, the project could have one of that name.
---@param name string
---@return string|nil
function M.program(name)
  for _, folder in ipairs(vim.split(vim.env.PATH or '', ':', { plain = true })) do
    local file = vim.fs.joinpath(folder, name)
    if vim.startswith(folder, '/') and vim.fn.executable(file) == 1 then
      return file
    end
  end
end

--- A path as the user wrote it, with `~`, `%`, variables and wildcards expanded. Neovim would run what is in
--- backticks, and completion offers the names of files.
---@param word string
---@return string
function M.expand(word)
  return word:find('`', 1, true) and word or vim.fn.expand(word)
end

-- A file in /proc has no size.
local least_read = 4096

--- The content of a file of ours. Neovim must not wait for a pipe, and a device has no end.
---@param path string
---@param max_bytes? integer
---@return string|nil content nil if it can't be read, is too large or no regular file
function M.read(path, max_bytes)
  local uv = vim.uv
  local flags = bit.bor(uv.constants.O_RDONLY, uv.constants.O_NONBLOCK or 0)
  local handle = uv.fs_open(path, flags, 0)
  local stat = handle and uv.fs_fstat(handle)
  local is_regular = stat and stat.type == 'file' and stat.size <= (max_bytes or 1024 * 1024)
  local content = is_regular and uv.fs_read(handle, math.max(stat.size, least_read), 0)
  if handle then
    uv.fs_close(handle)
  end
  return content or nil
end

---@return string
function M.log()
  return vim.fs.joinpath(vim.fn.stdpath('log'), 'acp.log')
end

return M
