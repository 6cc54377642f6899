--- Other Neovims that have a file open with unsaved changes, found by their swap files.
local M = {}

local function is_alive(pid)
  return pid ~= 0 and vim.uv.kill(pid, 0) == 0
end

-- Neovim names a swap file after its file. It lies beside the file or in a folder of 'directory'; there it is named by
-- the full path if the name of the folder ends with two slashes.
local function swap_files(path)
  local names = {}
  local base = vim.fs.basename(path) .. '.sw'
  for _, folder in ipairs(vim.opt.directory:get()) do
    local is_beside = folder == '.' or vim.startswith(folder, './')
    local place = is_beside and vim.fs.dirname(path) or vim.fs.normalize(folder)
    local whole = path:gsub('/', '%%') .. '.sw'
    local start = is_beside and '.' .. base or vim.endswith(folder, '//') and whole or base
    for name in vim.fs.dir(place) do
      if vim.startswith(name, start) then
        table.insert(names, vim.fs.joinpath(place, name))
      end
    end
  end
  return names
end

--- The other Neovim that has unsaved changes of a file, if there is one.
---@param path string
---@return { pid: integer }|nil
function M.other_editor(path)
  for _, name in ipairs(swap_files(path)) do
    local swap = vim.fn.swapinfo(name)
    if swap.dirty == 1 and swap.pid ~= vim.fn.getpid() and is_alive(swap.pid) then
      return { pid = swap.pid }
    end
  end
end

return M
