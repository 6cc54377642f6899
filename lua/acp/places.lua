--- Where files are shown that the user goes to from a chat.
local M = {}

local api = vim.api

local function is_suitable(win)
  local buf = api.nvim_win_get_buf(win)
  return api.nvim_win_get_config(win).relative == ''
    and not vim.wo[win].winfixbuf
    and not vim.wo[win].previewwindow
    and vim.bo[buf].buftype == ''
    and (vim.o.hidden or not vim.bo[buf].modified)
end

--- A window of this tab page that may show another file: the one before this, else the first.
---@return integer|nil
local function suitable()
  local before = vim.fn.win_getid(vim.fn.winnr('#'))
  if before ~= 0 and is_suitable(before) then
    return before
  end
  return vim.tbl_filter(is_suitable, api.nvim_tabpage_list_wins(0))[1]
end

---@param path string
---@return boolean
local function exists(path)
  return vim.uv.fs_stat(path) ~= nil or vim.fn.bufloaded(path) == 1
end

--- Opens a file at a line, never in a window of ours, and goes there.
---@param place { path: string, line?: integer }
function M.open(place)
  if not exists(place.path) then
    local message = 'acp: there is no file %s (any more, or not yet)'
    return vim.notify(message:format(place.path), vim.log.levels.WARN)
  end
  local win = suitable()
  if win then
    api.nvim_set_current_win(win)
  else
    vim.cmd('topleft vnew')
  end
  if vim.fn.bufnr('%') ~= vim.fn.bufnr(vim.fn.fnameescape(place.path)) then
    vim.cmd.edit(vim.fn.fnameescape(place.path))
  end
  if place.line then
    local last = api.nvim_buf_line_count(0)
    vim.cmd("normal! m'")
    api.nvim_win_set_cursor(0, { math.max(1, math.min(place.line, last)), 0 })
    vim.cmd('normal! zvzz')
  end
end

return M
