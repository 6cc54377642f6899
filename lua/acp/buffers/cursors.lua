--- The cursors in a buffer of the user while its text is taken away and brought back.
local M = {}

local api = vim.api

-- Where a cursor is after edits above it.
local function row_after(row, edits)
  local shift = 0
  for _, edit in ipairs(edits) do
    if edit.endRow < row or (edit.endRow == row and edit.endColumn == 0) then
      shift = shift + #edit.lines - 1 - (edit.endRow - edit.startRow)
    end
  end
  return row + shift
end

-- What the user is in the middle of goes and comes back: the cursor must not notice.
---@param buf integer
---@param edits table[] all that becomes of the text in the end
---@param run fun(): boolean|nil false when the text is as it was
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
