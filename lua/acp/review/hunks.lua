--- The hunks of the file that a review shows: their marks, and how the windows go to them.
local M = {}

local api = vim.api
local hunks_ns = api.nvim_create_namespace('acp.review')
local current_ns = api.nvim_create_namespace('acp.review.here')

---@class acp.ReviewHunk
---@field from integer first row, 0-based
---@field to integer row after the last
---@field old integer first row of what it was
---@field removed string[]

-- How often the hunks of each file were marked: colours that are still to come belong to the marks of before.
---@type table<integer, integer> by buffer
local rounds = {}

--- Removes all marks from a file.
---@param buf integer
function M.clear(buf)
  rounds[buf] = nil
  api.nvim_buf_clear_namespace(buf, hunks_ns, 0, -1)
  api.nvim_buf_clear_namespace(buf, current_ns, 0, -1)
end

-- The hunk that a key would be about: the first one that ends below the cursor, else the last.
local function current_hunk(hunks, row)
  for index, hunk in ipairs(hunks) do
    if row < math.max(hunk.to, hunk.from + 1) then
      return index
    end
  end
  return #hunks
end

-- Behind the line, or over its end if the window cuts the line.
---@param win integer
---@param buf integer
---@param row integer 0-based
---@param text string
---@return 'eol'|'right_align'
local function place_of_mark(win, buf, row, text)
  if not api.nvim_win_is_valid(win) or vim.wo[win].wrap then
    return 'eol'
  end
  local text_width = require('acp.ui.text_width')
  local line = api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
  local fits = text_width.fits(line .. ' ' .. text, text_width.room(win))
  return fits and 'eol' or 'right_align'
end

--- Marks the hunk that a key would be about, also while the cursor is in another window.
---@param review acp.Review
function M.mark_current(review)
  local buf, hunks = review.file, review.hunks
  if not buf or not api.nvim_buf_is_valid(buf) then
    return
  end
  api.nvim_buf_clear_namespace(buf, current_ns, 0, -1)
  if #hunks == 0 or buf == review.empty or require('acp.config').get().plain then
    return
  end
  local index = current_hunk(hunks, require('acp.review.windows').cursor_row(review))
  local last = api.nvim_buf_line_count(buf) - 1
  local text = ('◂ %d/%d'):format(index, #hunks)
  local row = math.min(hunks[index].from, last)
  local place = place_of_mark(review.now, buf, row, text)
  api.nvim_buf_set_extmark(buf, current_ns, row, 0, {
    virt_text = { { place == 'eol' and text or ' ' .. text, 'AcpMuted' } },
    virt_text_pos = place,
    hl_mode = 'combine',
  })
end

---@param buf integer
---@param hunk acp.ReviewHunk
---@param lines acp.RemovedLine[]
---@param id? integer the mark, if it has one
---@return integer id
local function put_removed(buf, hunk, lines, id)
  local last = api.nvim_buf_line_count(buf) - 1
  return api.nvim_buf_set_extmark(buf, hunks_ns, math.min(hunk.from, last), 0, {
    id = id,
    virt_lines = lines,
    virt_lines_above = hunk.from <= last,
  })
end

-- One hunk at a time, because reading a language takes time. |vim.wait()| does not end while something is scheduled.
local pause_ms = 1

---@param shown acp.ReviewFile
---@param buf integer
---@param left { [1]: acp.ReviewHunk, [2]: integer }[] hunks and their marks
local function colour_removed(shown, buf, left)
  local round = rounds[buf]
  local function step()
    local hunk, id = unpack(table.remove(left, 1) or {})
    if not hunk or rounds[buf] ~= round or not api.nvim_buf_is_valid(buf) then
      return
    end
    local lines = require('acp.review.removed_lines').coloured(shown.path, shown.before, hunk)
    put_removed(buf, hunk, lines, id)
    vim.defer_fn(step, pause_ms)
  end
  vim.schedule(step)
end

--- Marks hunks in the file itself.
---@param buf integer
---@param shown acp.ReviewFile
function M.show_inline(buf, shown)
  api.nvim_buf_clear_namespace(buf, hunks_ns, 0, -1)
  rounds[buf] = (rounds[buf] or 0) + 1
  local last = api.nvim_buf_line_count(buf) - 1
  local removed = {}
  for _, hunk in ipairs(shown.hunks) do
    for row = hunk.from, math.min(hunk.to - 1, last) do
      api.nvim_buf_set_extmark(buf, hunks_ns, row, 0, { line_hl_group = 'AcpDiffAdd' })
    end
    if #hunk.removed > 0 then
      local lines = require('acp.review.removed_lines').plain(hunk)
      table.insert(removed, { hunk, put_removed(buf, hunk, lines) })
    end
  end
  colour_removed(shown, buf, removed)
end

local function centre(win, row)
  if win and api.nvim_win_is_valid(win) then
    local last = api.nvim_buf_line_count(api.nvim_win_get_buf(win))
    api.nvim_win_set_cursor(win, { math.min(row + 1, last), 0 })
    api.nvim_win_call(win, function()
      -- Folds that the cursor had opened elsewhere are closed again, so that both sides stay level.
      vim.cmd('silent! normal! zXzvzz')
    end)
  end
end

local function restore_view(win, view)
  api.nvim_win_call(win, function()
    vim.fn.winrestview(view)
  end)
end

local function removed_above(hunks)
  return hunks[1] and hunks[1].from == 0 and #hunks[1].removed or 0
end

-- Centring the first line does not scroll to the lines that were removed above it.
local function show_first_lines(review, hunks)
  local missing, is_top = unpack(api.nvim_win_call(review.now, function()
    return { vim.fn.diff_filler(1), vim.fn.line('w0') == 1 }
  end))
  missing = require('acp.review.windows').is_inline() and removed_above(hunks) or missing
  if missing == 0 or not is_top then
    return
  end
  local room = math.min(missing, api.nvim_win_get_height(review.now) - 1)
  restore_view(review.now, { topfill = room })
  if review.before and api.nvim_win_is_valid(review.before) then
    restore_view(review.before, { topline = missing - room + 1, lnum = missing - room + 1 })
  end
end

--- Scrolls both sides to a row: Neovim binds them only while the cursor is in one of them.
---@param review acp.Review
---@param row integer
function M.go_to(review, row)
  for _, hunk in ipairs(review.hunks) do
    if hunk.from == row then
      centre(review.before, hunk.old)
    end
  end
  centre(review.now, row)
  show_first_lines(review, review.hunks)
end

return M
