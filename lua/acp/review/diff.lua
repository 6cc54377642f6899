--- A change of an agent side by side, on a tab page of its own.
local M = {}

local api = vim.api

---@param name string
---@param text string
---@param path string
local function scratch(name, text, path)
  local buf = api.nvim_create_buf(false, true)
  local lines = vim.split(text, '\n', { plain = true })
  if lines[#lines] == '' then
    table.remove(lines)
  end
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  require('acp.ui.buffer_names').set(buf, name)
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modifiable = false
  require('acp.review.colours').set_by_name(buf, path)
  return buf
end

---@param title string of the current window
local function set_title(title)
  local winbar = require('acp.ui.winbar').escape(title)
  require('acp.ui.window_options').set(api.nvim_get_current_win(), { winbar = winbar })
end

--- Opens two buffers beside each other in a new tab page and compares them. `q` closes it.
---@param left integer
---@param right integer
---@param path string
local function side_by_side(left, right, path)
  local tabs = require('acp.ui.return_tab')
  local tab = tabs.open(left)
  vim.cmd.diffthis()
  set_title(' before')
  api.nvim_open_win(right, true, { split = 'right', win = 0 })
  vim.cmd.diffthis()
  set_title((' %s · q closes'):format((vim.fs.basename(path):gsub('%c', '?'))))
  for _, buf in ipairs({ left, right }) do
    vim.keymap.set('n', 'q', function()
      tabs.close(tab)
    end, { buffer = buf, desc = 'acp: close', nowait = true })
    require('acp.ui.key_help').map(buf, 'Change')
  end
end

local count = 0

---@param change { path: string, before: string, after: string }
function M.open(change)
  count = count + 1
  local function side(which, text)
    local name =
      require('acp.ui.buffer_names').make('diff', count, which, vim.fs.basename(change.path))
    return scratch(name, text, change.path)
  end
  side_by_side(side('before', change.before), side('after', change.after), change.path)
  vim.cmd('silent! normal! gg]c')
end

return M
