--- The colours of what a file was: those that the file itself has.
local M = {}

-- Only its colours: a filetype would start language servers for the buffer.
---@param buf integer what the file was
---@param file integer
function M.copy(buf, file)
  vim.treesitter.stop(buf)
  local active = vim.treesitter.highlighter.active[file]
  local is_started = active and pcall(vim.treesitter.start, buf, active.tree:lang())
  vim.bo[buf].syntax = is_started and '' or vim.bo[file].syntax
end

return M
