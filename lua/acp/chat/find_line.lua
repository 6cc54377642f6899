--- Goes to a line of a transcript that was searched for, as soon as it is drawn.
local M = {}

local api = vim.api

-- A session that is loaded by its agent may take this long.
local patience = 15000

-- The transcript hides the markup of Markdown, and breaks no lines.
---@param text string
---@return string
local function without_markup(text)
  return vim.trim((text:gsub('[%s%*`_#>]+', ' ')))
end

---@param buf integer
---@param line string without markup
---@return integer|nil row of that line, else of the first one that contains it
local function row_of(buf, line)
  local longer
  for row, text in ipairs(api.nvim_buf_get_lines(buf, 0, -1, false)) do
    local words = without_markup(text)
    if words == line then
      return row
    end
    longer = longer or (words:find(line, 1, true) and row)
  end
  return longer
end

---@param chat acp.Chat
---@param line string
---@return boolean is_there
local function try(chat, line)
  local is_valid = chat.buf and api.nvim_buf_is_valid(chat.buf)
  local win = is_valid and require('acp.ui.windows').find(chat.buf)
  local row = win and row_of(chat.buf, line)
  if not row then
    return false
  end
  api.nvim_set_current_win(win)
  vim.cmd.stopinsert()
  vim.cmd.normal({ "m'", bang = true })
  api.nvim_win_set_cursor(win, { row, 0 })
  vim.cmd.normal({ 'zz', bang = true })
  return true
end

---@param chat acp.Chat
---@param text string|nil
function M.go(chat, text)
  local line = text and without_markup(text)
  if not line or line == '' then
    return
  end
  local is_there, is_over = try(chat, line), false
  vim.defer_fn(function()
    is_over = true
  end, patience)
  api.nvim_buf_attach(chat.buf, false, {
    on_lines = function(_, _, _, first, last, new_last)
      -- A frame that draws everything again empties the buffer first.
      if first == 0 and new_last <= 1 and last > 1 then
        is_there = false
      end
      if not is_over and not is_there then
        vim.schedule(function()
          is_there = is_there or is_over or try(chat, line)
        end)
      end
      return is_over
    end,
  })
end

return M
