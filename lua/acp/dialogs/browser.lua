--- Opens web pages, pictures and sounds in the programs of the user.
local M = {}

---@param url string
function M.open(url)
  local ok, _, problem = pcall(vim.ui.open, url)
  if not ok or problem then
    require('acp.messages').warn('could not open a browser for ' .. url)
  end
end

--- Opens a picture or a sound, which Neovim can't show.
---@param path string
function M.open_file(path)
  local ok, _, problem = pcall(vim.ui.open, path)
  if not ok or problem then
    require('acp.messages').warn(('could not open %s with a program of the system'):format(path))
  end
end

--- Copies a text to the unnamed register and, if there is one, to the clipboard.
---@param text string
function M.copy(text)
  vim.fn.setreg('"', text)
  if vim.fn.has('clipboard') == 1 then
    pcall(vim.fn.setreg, '+', text)
  end
  require('acp.messages').info('copied the address')
end

return M
