--- The windows of the references: as large as those of the plugin, with nothing in them but text.
local M = {}

---@return integer buf, integer win of the transcript; the cursor stays in a window below, in Insert mode
function M.open()
  local buf = vim.api.nvim_create_buf(false, true)
  local width = math.floor(vim.o.columns * 0.42)
  local win = vim.api.nvim_open_win(buf, false, { split = 'right', win = -1, width = width })
  local below = { split = 'below', win = win, height = 2 }
  vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true, below)
  vim.cmd.startinsert()
  return buf, win
end

--- Writes at the end and goes there.
---@param buf integer
---@param win integer
---@param lines string[]
function M.append(buf, win, lines)
  vim.api.nvim_buf_set_text(buf, -1, -1, -1, -1, lines)
  vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(buf), 0 })
end

local ns = vim.api.nvim_create_namespace('bench')
local groups = { ['+'] = 'DiffAdd', ['-'] = 'DiffDelete' }

--- Writes lines of a diff at the end, in its colours.
---@param buf integer
---@param win integer
---@param lines string[]
function M.append_diff(buf, win, lines)
  local row = vim.api.nvim_buf_line_count(buf) - 1
  M.append(buf, win, lines)
  for index, line in ipairs(lines) do
    local group = groups[line:sub(1, 1)]
    if group then
      vim.api.nvim_buf_set_extmark(buf, ns, row + index - 1, 0, { line_hl_group = group })
    end
  end
end

--- The lines of a file that is open.
---@param file string
---@return string[]|nil
function M.lines(file)
  local buf = vim.fn.bufnr(file)
  return buf > 0 and vim.api.nvim_buf_get_lines(buf, 0, -1, false) or nil
end

return M
