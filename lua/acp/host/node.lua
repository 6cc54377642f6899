--- The Node that the host runs on.
local M = {}

--- The path of the program that the option `node` names; nil if there is none.
---@return string|nil
function M.path()
  local name = require('acp.config').get().node
  if not name:find('/') and vim.fn.has('win32') == 0 then
    return require('acp.paths').program(name)
  end
  local file = vim.fn.exepath(require('acp.paths').expand(name))
  return file ~= '' and file or nil
end

return M
