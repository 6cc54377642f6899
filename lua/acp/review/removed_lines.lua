--- The lines that a hunk removed, as virtual lines of the file, in the colours of its language.
local M = {}

-- Lines above a hunk that are read for their context, and the most text that is read.
local context, max_bytes = 50, 20000

---@alias acp.RemovedLine { [1]: string, [2]: string|string[] }[] pieces of text and their highlights

---@param text string
---@param groups table<integer, string> by byte, from 1
---@return acp.RemovedLine
local function pieces_of(text, groups)
  local pieces, from = {}, 1
  for column = 1, #text do
    if column == #text or groups[column] ~= groups[column + 1] then
      local group = groups[from] and { 'AcpDiffDelete', groups[from] } or 'AcpDiffDelete'
      table.insert(pieces, { text:sub(from, column), group })
      from = column + 1
    end
  end
  -- Neovim cuts it at the edge of the window, so the background is as wide as that.
  table.insert(pieces, { (' '):rep(vim.o.columns), 'AcpDiffDelete' })
  return pieces
end

---@param lines string[]
---@param marks acp.CodeMark[]
---@param first integer index of the first line that is wanted
---@return acp.RemovedLine[]
local function paint(lines, marks, first)
  local groups = {}
  for row = first, #lines do
    groups[row] = {}
  end
  for _, mark in ipairs(marks) do
    for row = math.max(first, mark.row + 1), math.min(#lines, mark.end_row + 1) do
      local from = row == mark.row + 1 and mark.from or 0
      local to = row == mark.end_row + 1 and mark.to or #lines[row]
      for column = from + 1, to do
        groups[row][column] = mark.group
      end
    end
  end
  local painted = {}
  for row = first, #lines do
    table.insert(painted, pieces_of(lines[row], groups[row]))
  end
  return painted
end

--- The removed lines without the colours of their language.
---@param hunk acp.ReviewHunk
---@return acp.RemovedLine[]
function M.plain(hunk)
  return paint(hunk.removed, {}, 1)
end

--- The removed lines with the colours of their language.
---@param path string the file
---@param before string[] what the file was
---@param hunk acp.ReviewHunk
---@return acp.RemovedLine[]
function M.coloured(path, before, hunk)
  local from = math.max(0, hunk.old - context)
  local lines = vim.list_slice(before, from + 1, hunk.old + #hunk.removed)
  if #table.concat(lines, '\n') > max_bytes then
    from, lines = hunk.old, hunk.removed
  end
  if #table.concat(lines, '\n') > max_bytes then
    return M.plain(hunk)
  end
  local first = hunk.old - from
  local colours = require('acp.chat.drawing.code_highlight')
  local marks = colours.marks(vim.fs.basename(path), lines, first, #lines)
  return paint(lines, marks, first + 1)
end

return M
