--- Windows that show the end of a growing buffer, also when its lines are taller than the window.
local M = {}

local api = vim.api

--- The windows that show the end of a buffer and should continue to.
---@param buf integer
---@return integer[]
function M.followers(buf)
  local last = api.nvim_buf_line_count(buf)
  return vim.tbl_filter(function(win)
    return api.nvim_win_get_cursor(win)[1] == last
  end, vim.fn.win_findbuf(buf))
end

---@param win integer
---@param rows integer
---@return boolean whether a visible line takes at least so many rows
local function shows_line_of(win, rows)
  local buf = api.nvim_win_get_buf(win)
  local first = math.max(0, vim.fn.line('w0', win) - 2)
  local last = math.min(api.nvim_buf_line_count(buf) - 1, vim.fn.line('w$', win))
  local fewest_bytes = rows * api.nvim_win_get_width(win) / 2
  local start = api.nvim_buf_get_offset(buf, first)
  for row = first, last do
    local stop = api.nvim_buf_get_offset(buf, row + 1)
    local size = stop - start
    start = stop
    if size > fewest_bytes then
      local range = { start_row = row, end_row = row }
      if api.nvim_win_text_height(win, range).all >= rows then
        return true
      end
    end
  end
  return false
end

-- Without 'linebreak' a line takes fewer rows, which must not switch it on again.
local tall_share, still_tall_share = 0.9, 0.6

--- Lets a line that is taller than the window be scrolled through row by row. Neovim draws such a line wrongly with
--- 'linebreak', so words are broken meanwhile.
---@param win integer
---@return boolean is_tall
function M.adapt_to_lines(win)
  local was_tall = vim.w[win].acp_tall == true
  local share = was_tall and still_tall_share or tall_share
  local is_tall = shows_line_of(win, math.floor(api.nvim_win_get_height(win) * share))
  if is_tall ~= was_tall then
    vim.w[win].acp_tall = is_tall
    local options = { smoothscroll = is_tall, linebreak = not is_tall }
    require('acp.ui.window_options').set(win, options)
  end
  return is_tall
end

-- Where the view has to begin so that the last row of the text is the last of the window. |zb| fails at that with lines
-- that are taller than the window.
---@param win integer
---@param last integer
---@return { topline: integer, skipcol: integer }
local function view_of_end(win, last)
  local info = vim.fn.getwininfo(win)[1]
  local row, rows = last, 0
  repeat
    row = row - 1
    rows = rows + api.nvim_win_text_height(win, { start_row = row, end_row = row }).all
  until row == 0 or rows >= info.height
  local hidden = math.max(0, rows - info.height)
  return { topline = row + 1, skipcol = hidden * require('acp.ui.text_width').room(win) }
end

--- Leaves no rows empty below the end of a buffer that a window shows. The cursor stays.
---@param win integer
function M.fill(win)
  local last = api.nvim_buf_line_count(api.nvim_win_get_buf(win))
  if vim.fn.line('w$', win) < last then
    return
  end
  local view = view_of_end(win, last)
  local topline = view.skipcol > 0 and view.topline + 1 or view.topline
  if topline < vim.fn.line('w0', win) then
    api.nvim_win_call(win, function()
      vim.fn.winrestview({ topline = topline })
    end)
  end
end

--- Shows the end of a buffer at the bottom of a window.
---@param win integer
---@param is_far? boolean so many lines are new that Neovim would show the end in the middle
function M.go_to_end(win, is_far)
  local last = api.nvim_buf_line_count(api.nvim_win_get_buf(win))
  api.nvim_win_set_cursor(win, { last, 0 })
  local is_tall = M.adapt_to_lines(win)
  api.nvim_win_call(win, function()
    if is_tall then
      vim.fn.winrestview(view_of_end(win, last))
    elseif is_far then
      vim.cmd.normal({ 'zb', bang = true })
    end
  end)
end

--- Goes back to the end in a window with tall lines that was scrolled beyond it, as by |G|.
---@param win integer
function M.return_to_end(win)
  local buf = api.nvim_win_get_buf(win)
  if not vim.list_contains(M.followers(buf), win) then
    return
  end
  local view = api.nvim_win_call(win, vim.fn.winsaveview)
  local wanted = view_of_end(win, api.nvim_buf_line_count(buf))
  local is_beyond = view.topline > wanted.topline
    or view.topline == wanted.topline and view.skipcol > wanted.skipcol
  if is_beyond then
    M.go_to_end(win)
  end
end

--- Changes the height of a window, which stays at the end of its buffer or where it is read. Neovim puts the cursor
--- into its old relative place instead, and never begins in the middle of a line above that: if such a line is taller
--- than the window, nothing but the last line is left.
---@param win integer
---@param resize fun()
function M.keep_while(win, resize)
  local height, view = api.nvim_win_get_height(win), api.nvim_win_call(win, vim.fn.winsaveview)
  local is_at_end = vim.list_contains(M.followers(api.nvim_win_get_buf(win)), win)
  resize()
  if api.nvim_win_get_height(win) == height then
    return
  elseif is_at_end then
    return M.go_to_end(win, true)
  end
  M.adapt_to_lines(win)
  api.nvim_win_call(win, function()
    vim.fn.winrestview(view)
  end)
end

return M
