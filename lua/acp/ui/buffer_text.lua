--- The text of a buffer of the plugin.
local M = {}

local api = vim.api

---@param buf integer
---@return boolean
function M.is_empty(buf)
  return api.nvim_buf_line_count(buf) == 1 and api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ''
end

return M
