--- What the user is in the middle of while a buffer is changed below them.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.midst')

local function is_here(buf)
  return api.nvim_get_current_buf() == buf
end

-- Both remember where they began by the number of the row, and would take other text with them if that moved.
local function has_operator()
  return vim.startswith(vim.fn.mode(1), 'no')
end

local function has_completion()
  local kind = vim.fn.complete_info({ 'mode' }).mode
  return vim.startswith(vim.fn.mode(), 'i') and kind ~= '' and kind ~= 'ctrl_x'
end

--- Whether the text of a buffer may move now. An operator has to get its motion first; a completion is ended with what
--- it has inserted, which takes a moment.
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

-- Neovim 0.10 does not move the other end of what is selected.
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

--- Changes the text of a buffer so that what the user does there goes on where it was.
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
