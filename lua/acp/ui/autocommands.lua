--- Groups of autocommands.
local M = {}

local api = vim.api

--- The events after a change of a text, by a command, by typing, and by typing while a completion menu is open.
M.text_changed = { 'TextChanged', 'TextChangedI', 'TextChangedP' }

--- Begins a group. Autocommands of an earlier group of the same name are removed.
---@param name string
---@param buf? integer the autocommands are for this buffer only
---@return fun(events: string|string[], callback: function) on adds an autocommand
function M.group(name, buf)
  local group = api.nvim_create_augroup('acp.' .. name, {})
  return function(events, callback)
    api.nvim_create_autocmd(events, { group = group, buffer = buf, callback = callback })
  end
end

return M
