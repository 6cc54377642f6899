--- The completion menu, whoever shows it.
local M = {}

--- Whether a completion menu is open: Neovim's own, or that of blink.cmp or nvim-cmp.
---@return boolean
function M.is_open()
  if vim.fn.pumvisible() == 1 then
    return true
  end
  local blink, cmp = package.loaded['blink.cmp'], package.loaded['cmp']
  for _, is_visible in pairs({
    type(blink) == 'table' and (blink.is_menu_visible or blink.is_visible) or nil,
    type(cmp) == 'table' and cmp.visible or nil,
  }) do
    local ok, visible = pcall(is_visible)
    if ok and visible then
      return true
    end
  end
  return false
end

return M
