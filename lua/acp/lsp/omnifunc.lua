--- Completion for Neovim 0.10, whose own 'omnifunc' drops items that do not begin with the typed text.
local M = {}

local api = vim.api

---@type string|nil 'completeopt' of the user while a menu of ours is open
local completeopt

local function restore_completeopt()
  api.nvim_create_augroup('acp.lsp.omnifunc', {})
  if completeopt then
    vim.go.completeopt = completeopt
    completeopt = nil
  end
end

-- What is known of an item is shown beside the menu, as by default on later releases. A preview would open a window.
local function replace_preview()
  if vim.go.completeopt:find('preview') then
    completeopt = vim.go.completeopt
    vim.go.completeopt = completeopt:gsub('preview', 'popup')
  end
end

local function restore_after_menu()
  local group = api.nvim_create_augroup('acp.lsp.omnifunc', {})
  local options = { group = group, callback = restore_completeopt }
  api.nvim_create_autocmd({ 'CompleteDone', 'BufLeave' }, options)
  -- <C-c> ends Insert mode without an event of its own.
  options.pattern = '*:n'
  api.nvim_create_autocmd('ModeChanged', options)
end

---@return boolean|nil is_open
local function show(result, params)
  local line = api.nvim_get_current_line()
  local start
  local words = vim.tbl_map(function(item)
    start = start or item.textEdit.range.start.character
    return {
      word = item.textEdit.newText,
      abbr = item.label,
      menu = item.detail,
      info = item.data.documentation,
      icase = 1,
      dup = 1,
    }
  end, result.items)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  if row == params.position.line and api.nvim_get_mode().mode:sub(1, 1) == 'i' then
    vim.fn.complete(start and vim.str_byteindex(line, start, true) + 1 or vim.fn.col('.'), words)
    return #words > 0
  end
end

--- Opens the menu as soon as the host has answered.
function M.open()
  local params = vim.lsp.util.make_position_params(0, 'utf-16')
  local tick = vim.b.changedtick
  require('acp.lsp.completion').complete(params, function(result, deliver)
    local is_open = false
    local function run()
      is_open = vim.b.changedtick == tick and show(result, params) or false
    end
    vim.schedule(function()
      -- A menu that is open ends when the next one opens, which must not change the option then.
      restore_completeopt()
      replace_preview()
      if deliver then
        deliver(run)
      else
        run()
      end
      if is_open then
        restore_after_menu()
      else
        restore_completeopt()
      end
    end)
  end)
end

--- 'omnifunc' of the prompt.
function M.complete(find_start)
  if find_start == 1 then
    M.open()
    return -2
  end
  return {}
end

return M
