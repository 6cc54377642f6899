--- Windows of the current tab page and their heights.
local M = {}

local api = vim.api

---@param buf integer|nil
---@return integer|nil window that shows it on this tab page
function M.find(buf)
  if not buf then
    return nil
  end
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if api.nvim_win_get_tabpage(win) == api.nvim_get_current_tabpage() then
      return win
    end
  end
end

---@param node any a part of |winlayout()|
---@param win integer
---@param is_stacked boolean
---@return boolean
local function has_neighbour(node, win, is_stacked)
  local kind, content = unpack(node)
  if kind == 'leaf' then
    return content == win and is_stacked
  end
  return vim.iter(content):any(function(child)
    return has_neighbour(child, win, is_stacked or kind == 'col')
  end)
end

--- Sets the height of a window, if there is a window above or below it. Without one Neovim would give the rest of the
--- height to the command line.
---@param win integer
---@param height integer
function M.set_height(win, height)
  local tab = api.nvim_tabpage_get_number(api.nvim_win_get_tabpage(win))
  local is_new = api.nvim_win_get_height(win) ~= height
  if is_new and has_neighbour(vim.fn.winlayout(tab), win, false) then
    api.nvim_win_set_height(win, height)
  end
end

--- Sets the filetype of a buffer a moment later: searching for its plugins must not delay the windows.
---@param buf integer
---@param filetype string
function M.set_filetype(buf, filetype)
  vim.schedule(function()
    if api.nvim_buf_is_valid(buf) then
      vim.bo[buf].filetype = filetype
    end
  end)
end

return M
