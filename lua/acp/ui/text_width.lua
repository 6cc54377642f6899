--- The room that texts need in a window, and texts cut to fit into it.
local M = {}

--- The cells of a text. |strdisplaywidth()| adds those that the current window would leave empty where it wraps it.
---@param text string
---@return integer
function M.cells(text)
  local visible = text:gsub('\t', (' '):rep(8)):gsub('%c', '^A')
  return vim.api.nvim_strwidth(visible)
end

--- The cells that a window has for text.
---@param win integer
---@return integer
function M.room(win)
  local info = vim.fn.getwininfo(win)[1]
  return math.max(1, info.width - info.textoff)
end

---@param text string
---@param room integer cells
---@return boolean
function M.fits(text, room)
  return M.cells(text) <= room
end

--- The cells of the longest line.
---@param lines string[]
---@return integer
function M.longest(lines)
  local width = 0
  for _, line in ipairs(lines) do
    width = math.max(width, M.cells(line))
  end
  return width
end

--- The rows of a window that lines take, those that wrap included.
---@param lines string[]
---@param width integer of the window
---@return integer
function M.rows(lines, width)
  local rows = 0
  for _, line in ipairs(lines) do
    rows = rows + math.max(1, math.ceil(M.cells(line) / width))
  end
  return rows
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
  if M.fits(text, room) then
    return text
  end
  local kept = vim.fn.strcharpart(text, 0, math.max(0, room - 1))
  while kept ~= '' and not M.fits(kept, room - 1) do
    kept = vim.fn.strcharpart(kept, 0, vim.fn.strchars(kept) - 1)
  end
  return kept .. '…'
end

--- Joins as many pieces as fit, the first ones first. The first one is cut if it does not fit alone.
---@param pieces string[]
---@param room integer cells
---@return string
function M.join_fitting(pieces, room)
  local text = M.cut_right(pieces[1], room)
  for index = 2, #pieces do
    local longer = text .. ' · ' .. pieces[index]
    if not M.fits(longer, room) then
      break
    end
    text = longer
  end
  return text
end

return M
