--- Keeps the cursors in a buffer while unsaved text is removed and restored.
local M = {}

local api = vim.api

-- The row of a cursor after edits above it.
local function row_after(row, edits)
  local shift = 0
  for _, edit in ipairs(edits) do
    if edit.endRow < row or (edit.endRow == row and edit.endColumn == 0) then
      shift = shift + #edit.lines - 1 - (edit.endRow - edit.startRow)
    end
  end
  return row + shift
end

---@param buf integer
---@param edits table[] the edits from the text before to the text after
---@param run fun(): boolean|nil returns false when the text was not changed
function M.keep(buf, edits, run)
  local cursors = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    cursors[win] = api.nvim_win_get_cursor(win)
  end
  if run() == false then
    return
  end
  for win, cursor in pairs(cursors) do
    pcall(api.nvim_win_set_cursor, win, { row_after(cursor[1] - 1, edits) + 1, cursor[2] })
  end
end

return M
