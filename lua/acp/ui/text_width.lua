--- Whether texts fit into the room that a window has for them.
local M = {}

---@param text string
---@param room integer cells
---@return boolean
function M.fits(text, room)
  return vim.fn.strdisplaywidth(text) <= room
end

--- Cuts the beginning of a text that does not fit: the end of a long path says most.
---@param text string
---@param room integer cells
---@return string
function M.cut_left(text, room)
  local length = vim.fn.strchars(text)
  while length > 1 and not M.fits(text, room) do
    length = length - 1
    text = '…' .. vim.fn.strcharpart(text, vim.fn.strchars(text) - length + 1)
  end
  return text
end

--- Cuts the end of a text that does not fit.
---@param text string
---@param room integer cells
---@return string
function M.cut_right(text, room)
  local length = vim.fn.strchars(text)
  while length > 1 and not M.fits(text, room) do
    length = length - 1
    text = vim.fn.strcharpart(text, 0, length - 1) .. '…'
  end
  return text
end

return M
