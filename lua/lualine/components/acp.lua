--- The component `acp` of lualine: how many questions wait, turns run and changes are unreviewed.
local M = require('lualine.component'):extend()

M.update_status = function()
  return require('acp').statusline()
end

return M
