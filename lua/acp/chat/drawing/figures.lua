--- Figures at the right edge of lines, after their text: durations, exit codes, numbers of lines. They are laid out as
--- part of the line, so they cover nothing and are never cut off; without room they take a row of their own.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.chat.figures')

---@alias acp.Figures string[][] texts and their highlights

---@class acp.FigureList
---@field width? integer of the window they were laid out for
---@field by_mark table<integer, acp.Figures>
---@field is_measured? boolean the width is that of this frame
---@field win? integer the window that was measured

---@type table<integer, acp.FigureList> by buffer
local lists = {}

local function list_of(buf)
  lists[buf] = lists[buf] or { by_mark = {} }
  return lists[buf]
end

---@param buf integer
---@return integer|nil
local function window_of(buf)
  local here = vim.fn.bufwinid(buf)
  return here ~= -1 and here or vim.fn.win_findbuf(buf)[1]
end

---@param win integer
---@param row integer
---@param width integer
---@param figures acp.Figures
---@return integer blanks between the text and the figures
local function gap_of(win, row, width, figures)
  local size = 0
  for _, piece in ipairs(figures) do
    size = size + api.nvim_strwidth(piece[1])
  end
  local used = vim.fn.virtcol({ row + 1, '$' }, false, win) - 1
  local room = used > 0 and (width - used % width) % width or width
  local is_room = room > size
  return is_room and room - size or room + math.max(0, width - size)
end

-- Neovim computes the rows of all visible lines for each measurement after a change, so one is made per frame.
---@param buf integer
---@return acp.FigureList
local function measured_list(buf)
  local list = list_of(buf)
  if not list.is_measured then
    list.win = window_of(buf)
    list.width = list.win and require('acp.ui.text_width').room(list.win)
    list.is_measured = true
  end
  return list
end

---@param buf integer
---@param row integer
---@param figures acp.Figures
---@param id? integer the mark, if it has one
local function place(buf, row, figures, id)
  local list = measured_list(buf)
  local win = list.win
  local pieces = figures
  if win then
    local gap = (' '):rep(gap_of(win, row, list.width, figures))
    pieces = vim.list_extend({ { gap } }, figures)
  end
  local column = #api.nvim_buf_get_lines(buf, row, row + 1, true)[1]
  local options = { id = id, virt_text = pieces, virt_text_pos = 'inline' }
  list.by_mark[api.nvim_buf_set_extmark(buf, ns, row, column, options)] = figures
end

--- The width of the window may have changed since the last frame.
---@param buf integer
function M.begin_frame(buf)
  if lists[buf] then
    lists[buf].is_measured = false
  end
end

--- Puts figures at the end of a line.
---@param buf integer
---@param row integer
---@param figures acp.Figures
function M.add(buf, row, figures)
  place(buf, row, figures)
end

--- Removes those of some lines.
---@param buf integer
---@param first integer
---@param last integer
function M.clear(buf, first, last)
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, ns, { first, 0 }, { last, 0 }, {})) do
    if mark[2] < last then
      list_of(buf).by_mark[mark[1]] = nil
      api.nvim_buf_del_extmark(buf, ns, mark[1])
    end
  end
end

--- Lays them out for the width that the window has now.
---@param buf integer
function M.refresh(buf)
  local list = lists[buf]
  local win = window_of(buf)
  if not list or not win or list.width == require('acp.ui.text_width').room(win) then
    return
  end
  list.is_measured = false
  local line_count = api.nvim_buf_line_count(buf)
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, ns, 0, -1, {})) do
    local figures = list.by_mark[mark[1]]
    api.nvim_buf_del_extmark(buf, ns, mark[1])
    -- |:edit!| and other plugins remove lines and leave the marks; the next frame draws them again.
    if figures and mark[2] < line_count then
      place(buf, mark[2], figures, mark[1])
    end
  end
end

---@param buf integer
function M.forget(buf)
  lists[buf] = nil
end

return M
