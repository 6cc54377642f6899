--- The plugin, started and asked as a user does it.
local M = {}

local function chat()
  return require('acp.chats').current()
end

function M.open()
  vim.cmd('AcpChat flood')
end

function M.send(text)
  vim.cmd('AcpSend ' .. text)
end

function M.buf()
  return chat().buf
end

--- The sign of life below the transcript is there as long as something goes on.
function M.is_over()
  local ns = vim.api.nvim_get_namespaces()['acp.activity']
  return #vim.api.nvim_buf_get_extmarks(M.buf(), ns, 0, -1, {}) == 0
end

--- The winbar has the name that the agent reported.
function M.is_ready()
  local winbar = vim.wo[vim.fn.bufwinid(M.buf())].winbar
  return winbar:find('Flood', 1, true) ~= nil and M.is_over()
end

return M
