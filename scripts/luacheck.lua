-- Runs luacheck in Neovim: `nvim -l scripts/luacheck.lua <folder of its modules> <arguments of luacheck>`
local folder = table.remove(arg, 1)
package.path = ('%s/?.lua;%s/?/init.lua;'):format(folder, folder) .. package.path

-- The part of LuaFileSystem that luacheck uses.
package.preload.lfs = function()
  local function attributes(path, name)
    local stat = vim.uv.fs_stat(path)
    return stat and (name == 'mode' and stat.type or stat.mtime.sec)
  end
  local function dir(path)
    local entries = assert(vim.uv.fs_scandir(path))
    return function()
      return (vim.uv.fs_scandir_next(entries))
    end
  end
  return {
    _VERSION = 'LuaFileSystem 1.8.0',
    attributes = attributes,
    currentdir = vim.uv.cwd,
    dir = dir,
    mkdir = function(path)
      return vim.uv.fs_mkdir(path, tonumber('755', 8))
    end,
  }
end

require('luacheck.main')
