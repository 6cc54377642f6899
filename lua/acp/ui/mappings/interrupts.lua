--- A <C-c> that arrives while Neovim is busy interrupts it, and Neovim applies no mapping to it. The mapping of this
--- plugin runs all the same: the user can stop an agent whose output keeps Neovim busy.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.ui.interrupts')
-- In Insert mode Neovim reports the key twice: there, and in Normal mode.
local is_handled = false

local function run_mapping()
  local mode = api.nvim_get_mode().mode:sub(1, 1)
  local mapping = vim.fn.maparg('<C-c>', mode, false, true)
  local is_ours = mapping.buffer == 1 and vim.startswith(mapping.desc or '', 'acp: ')
  if is_ours and mapping.callback then
    mapping.callback()
  end
end

--- Listens for such keys. A second call changes nothing.
function M.watch()
  vim.on_key(function(key)
    -- A key with a mapping has another code here.
    if key ~= '\3' or is_handled then
      return
    end
    is_handled = true
    vim.schedule(function()
      is_handled = false
    end)
    run_mapping()
  end, ns)
end

return M
