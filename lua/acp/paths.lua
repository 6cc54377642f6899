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

--- A file or folder of ours that can be downloaded or made again.
---@param ... string
---@return string
function M.cache(...)
  return vim.fs.joinpath(vim.fn.stdpath('cache'), 'acp', ...)
end

---@return string
function M.log()
  return vim.fs.joinpath(vim.fn.stdpath('log'), 'acp.log')
end

return M
