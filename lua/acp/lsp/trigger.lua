--- Opens the menu of completion while the user types a mention or a slash command, unless a completion engine does.
local M = {}

local api = vim.api

---@type { buf: integer, tick: integer }|nil the request that is about to be sent
local request
---@type { buf: integer, row: integer, before: string }|nil the place of the last request
local asked
---@type { buf: integer, tick: integer }|nil the text at the last request of the user, such as <C-x><C-o>
local requested
local is_typed = false

-- Whether something else opens menus in the current buffer. Plugins may load late, so this is asked each time.
---@return boolean
local function has_engine()
  local function is_on(check)
    local ok, result = pcall(check)
    return not ok or result ~= false
  end
  if package.loaded['blink.cmp'] then
    return is_on(function()
      return require('blink.cmp.config').enabled()
    end)
  elseif package.loaded['cmp'] then
    return is_on(function()
      local enabled = require('cmp').get_config().enabled
      return type(enabled) == 'function' and enabled() or enabled
    end)
  end
  return package.loaded['coq'] ~= nil
    or (_G.MiniCompletion ~= nil and not vim.b.minicompletion_disable)
end

---@return boolean
local function is_allowed()
  return require('acp.config').get().completion == 'auto'
    and vim.fn.reg_executing() == ''
    and vim.fn.reg_recording() == ''
    and api.nvim_get_mode().mode:sub(1, 1) == 'i'
    and not has_engine()
end

-- The row of the cursor, and the text before it in its line.
---@return integer row, string before
local function cursor_place()
  local row, column = unpack(api.nvim_win_get_cursor(0))
  return row, api.nvim_get_current_line():sub(1, column)
end

-- Whether the cursor may be in a mention or a slash command; the host decides.
local function is_inside()
  local row, before = cursor_place()
  return before:find('@%S*$') ~= nil
    or before:find('@%l*:?"[^"]*$') ~= nil
    or (row == 1 and before:sub(1, 1) == '/')
end

local function open(buf)
  require('acp.lsp').attach(buf)
  local row, before = cursor_place()
  asked = { buf = buf, row = row, before = before }
  request = { buf = buf, tick = api.nvim_buf_get_changedtick(buf) }
  if vim.lsp.completion then
    vim.lsp.completion.get()
  else
    require('acp.lsp.omnifunc').open()
  end
  request = nil
end

-- A menu that opens by itself must not insert its first item.
local function without_selection(run)
  local scope = vim.fn.has('nvim-0.11') == 1 and vim.bo or vim.go
  local before = scope.completeopt
  local words = vim.tbl_filter(function(word)
    return word:find('^popup') or word == 'fuzzy' or word == 'preview'
  end, vim.split(vim.o.completeopt, ','))
  scope.completeopt = table.concat(vim.list_extend(words, { 'menuone', 'noselect' }), ',')
  local ok, failure = pcall(run)
  scope.completeopt = before
  assert(ok, failure)
end

--- Called by the server at the start of a request. The answer to a request of this module is dropped if the user has
--- typed or chosen something since. Neovim asks a server that is being stopped too, beside the new one.
---@return nil|fun(run: fun()) deliver
function M.claim()
  local own = request
  if not own then
    local buf = api.nvim_get_current_buf()
    requested = { buf = buf, tick = api.nvim_buf_get_changedtick(buf) }
  end
  return own
    and function(run)
      local is_same = api.nvim_get_current_buf() == own.buf
        and api.nvim_buf_get_changedtick(own.buf) == own.tick
      if is_same and api.nvim_get_mode().mode:sub(1, 1) == 'i' then
        without_selection(run)
      end
    end
end

-- What the text at the cursor is beside that of the last request.
---@param buf integer
---@return 'same'|'shorter'|'other'
local function compare_with_asked(buf)
  local row, before = cursor_place()
  if not asked or asked.buf ~= buf or asked.row ~= row then
    return 'other'
  elseif asked.before == before then
    return 'same'
  end
  return vim.startswith(asked.before, before) and 'shorter' or 'other'
end

-- Whether the user has changed the text. Neovim reports the opening of a menu as a change too, and closes the menu on
-- <BS>. An earlier prompt may be shorter too, and a menu would take the keys for the next one.
---@param buf integer
---@param is_menu boolean
---@param was_typed boolean
local function is_changed(buf, is_menu, was_typed)
  local difference = compare_with_asked(buf)
  local is_deleted = difference == 'shorter' and not require('acp.chat.history').is_shown(buf)
  return was_typed or is_deleted or (is_menu and difference ~= 'same')
end

---@param buf integer
---@param is_menu boolean
local function changed(buf, is_menu)
  local was_typed = is_typed
  is_typed = false
  local menu = vim.fn.complete_info({ 'mode', 'selected' })
  local is_free = menu.selected == -1 and (menu.mode == 'eval' or menu.mode == '')
  -- Another kind of completion, or a choice of the user.
  if not is_free then
    return
  end
  -- Keys that are typed quickly are reported together, after a request at their end.
  if requested and requested.buf == buf and requested.tick == vim.b[buf].changedtick then
    return
  end
  if is_changed(buf, is_menu, was_typed) and is_inside() and is_allowed() then
    open(buf)
  end
end

--- The server is ready. The user may have typed meanwhile.
---@param buf integer
function M.attached(buf)
  if api.nvim_get_current_buf() == buf and is_allowed() and is_inside() then
    open(buf)
  end
end

--- The agent has reported its first commands, which may take seconds. The menu may have been empty until then.
---@param chat acp.Chat
function M.commands_known(chat)
  local buf = api.nvim_get_current_buf()
  local row, before = cursor_place()
  local is_command = row == 1 and before:sub(1, 1) == '/'
  local is_prompt = buf == chat.prompt or buf == chat.ask
  if is_prompt and is_command and compare_with_asked(buf) == 'same' and is_allowed() then
    open(buf)
  end
end

--- Watches what the user types in a prompt.
---@param buf integer
function M.watch(buf)
  local on = require('acp.ui.autocommands').group('lsp.trigger.' .. buf, buf)
  on('InsertCharPre', function()
    is_typed = true
  end)
  on('TextChangedI', function()
    changed(buf, false)
  end)
  on('TextChangedP', function()
    changed(buf, true)
  end)
end

return M
