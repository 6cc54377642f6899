--- Options of windows that last as long as the window shows a buffer of ours.
local M = {}

local api = vim.api

---@type table<integer, table<string, true>> the names of the options that were set, by window
local set_names = {}

-- A window that is split from one of ours inherits its options.
local function note_split()
  local win = api.nvim_get_current_win()
  for other, names in pairs(set_names) do
    local is_valid = api.nvim_win_is_valid(other)
    if is_valid and api.nvim_win_get_buf(other) == api.nvim_win_get_buf(win) then
      set_names[win] = vim.deepcopy(names)
      return
    end
  end
end

local is_watching = false

local function watch()
  if is_watching then
    return
  end
  is_watching = true
  local group = api.nvim_create_augroup('acp.windows', {})
  api.nvim_create_autocmd('WinNew', { group = group, callback = note_split })
  api.nvim_create_autocmd({ 'BufEnter', 'BufWinEnter' }, {
    group = group,
    callback = function()
      M.reset_others()
    end,
  })
end

--- Sets options of a window for good.
---@param win integer
---@param options table<string, any>
function M.set_local(win, options)
  for name, value in pairs(options) do
    api.nvim_set_option_value(name, value, { win = win, scope = 'local' })
  end
end

--- Sets options of a window until it shows another buffer.
---@param win integer
---@param options table<string, any>
function M.set(win, options)
  watch()
  set_names[win] = set_names[win] or {}
  for name in pairs(options) do
    set_names[win][name] = true
  end
  M.set_local(win, options)
end

-- `setlocal name<` would make the global value of such an option a local one.
---@param name string
local function follow_global(name)
  if api.nvim_get_option_info2(name, {}).global_local then
    api.nvim_set_option_value(name, '', { scope = 'local' })
  else
    vim.cmd.setlocal(name .. '<')
  end
end

--- Gives a window the global values of the options that were set.
---@param win integer
function M.reset(win)
  local names = set_names[win] or {}
  set_names[win] = nil
  if api.nvim_win_is_valid(win) then
    api.nvim_win_call(win, function()
      vim.tbl_map(follow_global, vim.tbl_keys(names))
    end)
  end
end

--- The options that were set, as they are now.
---@param win integer
---@return table<string, any>
function M.values(win)
  local options = {}
  for name in pairs(set_names[win] or {}) do
    options[name] = api.nvim_get_option_value(name, { win = win, scope = 'local' })
  end
  return options
end

---@type table<integer, { buf: integer, options: table<string, any> }> by window
local saved = {}

--- Saves the options of all windows and resets them, so that a session file can use the windows.
function M.suspend_all()
  for _, win in ipairs(vim.tbl_keys(set_names)) do
    if api.nvim_win_is_valid(win) then
      saved[win] = { buf = api.nvim_win_get_buf(win), options = M.values(win) }
    end
    M.reset(win)
  end
end

--- Restores the saved options of windows that still show the same buffer.
function M.restore()
  for win, had in pairs(saved) do
    if api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == had.buf then
      M.set(win, had.options)
    end
  end
  saved = {}
end

--- Resets the windows that no longer show a buffer of ours.
function M.reset_others()
  for _, win in ipairs(vim.tbl_keys(set_names)) do
    local is_valid = api.nvim_win_is_valid(win)
    if not is_valid or not require('acp.ui.buffer_names').is_ours(api.nvim_win_get_buf(win)) then
      M.reset(win)
    end
  end
end

return M
