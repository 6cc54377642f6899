--- Whether Neovim has a screen: not while it is suspended (|:suspend|) or its last UI is gone (|:detach|). It goes on
--- running then, but nobody sees what it shows.
local M = {}

local is_hidden = false

---@type fun()[]
local listeners = {}

---@return boolean
function M.is_hidden()
  return is_hidden
end

--- Calls a function whenever Neovim is resumed or a UI attaches.
---@param run fun()
function M.on_return(run)
  table.insert(listeners, run)
  require('acp.ui.autocommands').group_once('screen', function(on)
    on({ 'VimSuspend', 'UILeave' }, function(args)
      is_hidden = args.event == 'VimSuspend' or #vim.api.nvim_list_uis() == 0
    end)
    on({ 'VimResume', 'UIEnter' }, function()
      is_hidden = false
      for _, listener in ipairs(listeners) do
        listener()
      end
    end)
  end)
end

return M
