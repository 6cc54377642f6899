--- Commands of the user that are unfinished while a buffer is changed.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.buffers.user_activity')

local function is_here(buf)
  return api.nvim_get_current_buf() == buf
end

-- An operator and a completion remember their start by row number, and would affect other text if rows moved.
local function has_operator()
  return vim.startswith(vim.fn.mode(1), 'no')
end

local function has_completion()
  local kind = vim.fn.complete_info({ 'mode' }).mode
  return vim.startswith(vim.fn.mode(), 'i') and kind ~= '' and kind ~= 'ctrl_x'
end

--- Whether the text of a buffer may be changed now. A pending operator must get its motion first. A completion is ended
--- here with the text it has inserted; that takes a moment.
---@param buf integer
---@return boolean
function M.is_ready(buf)
  if not is_here(buf) then
    return true
  elseif has_completion() then
    api.nvim_feedkeys(vim.keycode('<C-x><C-z>'), 'ni', false)
    return false
  end
  return not has_operator()
end

-- The keys that begin a selection, by its mode.
local starters = { v = 'v', V = 'V', ['\22'] = '\22', s = 'gh', S = 'gH', ['\19'] = 'g\8' }

-- Neovim 0.10 does not move the start of a selection when text above it changes.
---@param buf integer
---@param run fun()
local function keep_selection(buf, run)
  local kind = vim.fn.mode()
  local _, row, column = unpack(vim.fn.getpos('v'))
  local mark = api.nvim_buf_set_extmark(buf, ns, row - 1, column - 1, { strict = false })
  run()
  local place = api.nvim_buf_get_extmark_by_id(buf, ns, mark, {})
  api.nvim_buf_del_extmark(buf, ns, mark)
  if vim.fn.line('v') ~= place[1] + 1 then
    local cursor = api.nvim_win_get_cursor(0)
    vim.cmd('noautocmd normal! \27')
    api.nvim_win_set_cursor(0, { place[1] + 1, place[2] })
    vim.cmd('noautocmd normal! ' .. starters[kind])
    api.nvim_win_set_cursor(0, cursor)
  end
end

--- Changes the text of a buffer and keeps the selection of the user on its text.
---@param buf integer
---@param run fun()
function M.keep(buf, run)
  if is_here(buf) and starters[vim.fn.mode()] then
    keep_selection(buf, run)
  else
    run()
  end
end

return M
