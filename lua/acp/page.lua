--- Brings the user to pages of the web, once they have said that they want to see them.
local M = {}

---@param url string
function M.open(url)
  local ok, _, problem = pcall(vim.ui.open, url)
  if not ok or problem then
    local message = 'no browser could be opened; the address is in the chat'
    require('acp.notice').say(message, vim.log.levels.WARN)
  end
end

--- Puts a text where it can be pasted from: on the clipboard, if there is one, and in the unnamed register.
---@param text string
function M.copy(text)
  vim.fn.setreg('"', text)
  if vim.fn.has('clipboard') == 1 then
    pcall(vim.fn.setreg, '+', text)
  end
  require('acp.notice').say('the address is copied')
end

return M
