--- The border of our floats: that of the user, else a rounded one.
local M = {}

---@return any border of |nvim_open_win()|
function M.style()
  -- Neovim 0.11 and later have the option.
  local has_option, wanted = pcall(function()
    return vim.o.winborder
  end)
  return has_option and wanted ~= '' and wanted or 'rounded'
end

return M
