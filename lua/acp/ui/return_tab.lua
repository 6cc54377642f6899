--- Tab pages of ours that return to the window they were opened from.
local M = {}

local api = vim.api

---@type table<integer, integer> the window the user came from, by tab page
local origins = {}

--- Opens a tab page.
---@param buf integer what it shows
---@return integer tab
function M.open(buf)
  local from = api.nvim_get_current_win()
  vim.cmd('tab sbuffer ' .. buf)
  local tab = api.nvim_get_current_tabpage()
  origins[tab] = from
  return tab
end

--- Leaves a tab page of ours for one that shows a buffer, else for the one it was opened from. Its windows are full.
---@param buf integer|nil
function M.leave(buf)
  local tab = api.nvim_get_current_tabpage()
  local from = origins[tab]
  if not from then
    return
  end
  for _, win in ipairs(buf and vim.fn.win_findbuf(buf) or {}) do
    if not origins[api.nvim_win_get_tabpage(win)] then
      return api.nvim_set_current_tabpage(api.nvim_win_get_tabpage(win))
    end
  end
  if api.nvim_win_is_valid(from) then
    api.nvim_set_current_win(from)
  end
end

--- Closes a tab page and returns to the window it was opened from.
---@param tab integer|nil
function M.close(tab)
  local from = tab and origins[tab]
  if not tab or not api.nvim_tabpage_is_valid(tab) then
    return
  end
  origins[tab] = nil
  local is_here = api.nvim_get_current_tabpage() == tab
  if #api.nvim_list_tabpages() == 1 then
    vim.cmd.tabnew()
  end
  vim.cmd.tabclose(api.nvim_tabpage_get_number(tab))
  if is_here and from and api.nvim_win_is_valid(from) then
    api.nvim_set_current_win(from)
  end
end

return M
