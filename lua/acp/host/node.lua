--- The Node that the host runs on.
local M = {}

-- With a folder such as ./node_modules/.bin in PATH, the project could have a program of that name.
---@param name string
---@return string|nil
local function find(name)
  for _, folder in ipairs(vim.split(vim.env.PATH or '', ':', { plain = true })) do
    local file = vim.fs.joinpath(folder, name)
    if vim.startswith(folder, '/') and vim.fn.executable(file) == 1 then
      return file
    end
  end
end

--- The path of the program that the option `node` names; nil if there is none.
---@return string|nil
function M.path()
  local name = require('acp.config').get().node
  if not name:find('/') and vim.fn.has('win32') == 0 then
    return find(name)
  end
  local file = vim.fn.exepath(vim.fn.expand(name))
  return file ~= '' and file or nil
end

return M
