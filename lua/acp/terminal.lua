--- Terminal buffers for commands that run in the host. The host sends their output, and input goes to the command.
local M = {}

local api = vim.api
local scrollback = 10000

---@class acp.Terminal
---@field id string
---@field title string
---@field cwd? string
---@field buf integer
---@field channel integer
---@field state string `running`, or how the command ended

---@type table<string, acp.Terminal>
local terminals = {}
local count = 0
---@type acp.Terminal|nil the one whose window was closed last
local last_hidden

---@param terminal acp.Terminal
local function connect(terminal)
  terminal.channel = api.nvim_open_term(terminal.buf, {
    on_input = function(_, _, _, data)
      require('acp.host').notify_if_running(
        'terminal.input',
        { terminal = terminal.id, data = data }
      )
    end,
  })
  vim.bo[terminal.buf].scrollback = scrollback
end

---@param terminal acp.Terminal
---@return { columns: integer, rows: integer }|nil size of the largest window that shows it, as Neovim computes it
local function size_of(terminal)
  local columns, rows = 0, 0
  for _, win in ipairs(vim.fn.win_findbuf(terminal.buf)) do
    local info = vim.fn.getwininfo(win)[1]
    columns = math.max(columns, info.width - info.textoff)
    rows = math.max(rows, info.height)
  end
  return columns > 0 and rows > 0 and { columns = columns, rows = rows } or nil
end

---@param terminal acp.Terminal
local function show_state(terminal)
  local title = terminal.title:gsub('[%c]', ' ')
  vim.b[terminal.buf].acp_terminal = ('%s · %s'):format(title, terminal.state)
  require('acp.ui.winbar').show(terminal.buf, {
    left = { { '$', 'AcpMuted' }, { ' ', 'AcpMuted' }, { title, 'AcpMuted' } },
    right = { { terminal.state, 'AcpTitle' } },
  })
end

-- File names in the output are relative to the folder the command ran in.
---@param terminal acp.Terminal
local function set_path(terminal)
  if terminal.cwd then
    vim.bo[terminal.buf].path = terminal.cwd:gsub('[ ,]', '\\%0') .. ',,'
  end
end

-- Going to `term://program` would start the program. Neovim has created a buffer for each name.
---@param item table of |getqflist()|
---@return boolean
local function is_position_in_file(item)
  if item.valid ~= 1 or item.bufnr == 0 then
    return item.valid == 1
  end
  local name = api.nvim_buf_get_name(item.bufnr)
  local is_address = require('acp.ui.mappings.file_keys').is_address(name)
  if not is_address then
    return not require('acp.ui.open_file').is_special(name)
  end
  if not api.nvim_buf_is_loaded(item.bufnr) then
    pcall(api.nvim_buf_delete, item.bufnr, {})
  end
  return false
end

---@param terminal acp.Terminal
---@param output { title: string, lines: string[] }
local function show_positions(terminal, output)
  -- The first line tells 'errorformat' the folder that file names are relative to.
  local entering = 'acp: in '
  if terminal.cwd then
    table.insert(output.lines, 1, entering .. terminal.cwd)
  end
  local format = '%-D' .. entering .. '%f,' .. vim.o.errorformat
  local parsed = vim.fn.getqflist({ lines = output.lines, efm = format }).items
  local positions = vim.tbl_filter(is_position_in_file, parsed)
  if #positions == 0 then
    return require('acp.messages').warn('found no file positions in the output')
  end
  vim.fn.setqflist({}, ' ', { items = positions, title = output.title })
  vim.cmd.copen()
end

-- The host has long lines unwrapped; without it the lines of the buffer are used.
---@param terminal acp.Terminal
local function to_quickfix(terminal)
  local shown = {
    title = terminal.title,
    lines = api.nvim_buf_get_lines(terminal.buf, 0, -1, false),
  }
  require('acp.host.requests').ask('terminal.text', { terminal = terminal.id }, function(output)
    show_positions(terminal, output or shown)
  end)
end

---@param terminal acp.Terminal
local function map_keys(terminal)
  local lhs = require('acp.config').get().keys.quickfix
  if lhs then
    vim.keymap.set('n', lhs, function()
      to_quickfix(terminal)
    end, {
      buffer = terminal.buf,
      desc = 'acp: file positions in the output to the quickfix list',
    })
  end
  require('acp.ui.key_help').map(terminal.buf, 'Terminal')
end

-- A long output takes 30 MB of Neovim, and the host has it too. The one that was hidden last stays for <C-o>.
local delete_hidden = vim.schedule_wrap(function()
  for _, terminal in pairs(terminals) do
    local has_ended = terminal.state ~= 'running'
    if has_ended and terminal ~= last_hidden and #vim.fn.win_findbuf(terminal.buf) == 0 then
      pcall(api.nvim_buf_delete, terminal.buf, { force = true })
    end
  end
end)

---@param terminal acp.Terminal
local function watch(terminal)
  local group = api.nvim_create_augroup('acp.terminal.' .. terminal.id, {})
  local last
  local function report_size()
    local size = api.nvim_buf_is_valid(terminal.buf) and size_of(terminal)
    if size and not vim.deep_equal(size, last) then
      last = size
      show_state(terminal)
      local payload = vim.tbl_extend('error', { terminal = terminal.id }, size)
      require('acp.host').notify_if_running('terminal.resize', payload)
    end
  end
  api.nvim_create_autocmd({ 'WinResized', 'VimResized' }, { group = group, callback = report_size })
  api.nvim_create_autocmd('BufWinEnter', {
    group = group,
    buffer = terminal.buf,
    callback = vim.schedule_wrap(report_size),
  })
  api.nvim_create_autocmd('BufHidden', {
    group = group,
    buffer = terminal.buf,
    callback = function()
      last_hidden = terminal
      delete_hidden()
    end,
  })
  api.nvim_create_autocmd('BufWipeout', {
    group = group,
    buffer = terminal.buf,
    callback = function()
      terminals[terminal.id] = nil
      last_hidden = last_hidden ~= terminal and last_hidden or nil
      api.nvim_del_augroup_by_id(group)
      require('acp.host').notify_if_running('terminal.hide', { terminal = terminal.id })
    end,
  })
end

---@param terminal acp.Terminal
local function open_window(terminal)
  local win = vim.fn.bufwinid(terminal.buf)
  if win ~= -1 then
    return api.nvim_set_current_win(win)
  end
  win = require('acp.ui.windows').open_at_edge(terminal.buf, 'below')
  local options = {
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    foldcolumn = '0',
    statuscolumn = '',
    list = false,
    spell = false,
  }
  require('acp.ui.window_options').set(win, options)
  show_state(terminal)
end

-- Windows whose cursor is on the last line follow the end of a terminal.
local function go_to_end(buf, windows)
  for _, win in ipairs(windows) do
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(buf), 0 })
  end
end

---@param payload { terminal: string, title: string, cwd?: string }
---@return acp.Terminal
local function create(payload)
  local buf = api.nvim_create_buf(false, true)
  local terminal = { id = payload.terminal, title = payload.title, cwd = payload.cwd, buf = buf }
  terminal.state = 'running'
  terminals[terminal.id] = terminal
  count = count + 1
  local names = require('acp.ui.buffer_names')
  names.set(buf, names.make('terminal', count))
  vim.bo[buf].bufhidden = 'hide'
  set_path(terminal)
  map_keys(terminal)
  watch(terminal)
  return terminal
end

local function how_it_ended(exit)
  local code, signal = exit.code, exit.signal
  if signal and signal ~= vim.NIL then
    return 'killed by ' .. signal
  end
  return code and code ~= vim.NIL and 'exit ' .. code or 'ended'
end

--- Opens the window of a command, and its buffer if there is none. For an old command the host sends the saved output.
---@param payload { terminal: string, title: string, cwd?: string, data?: string, exit?: table }
---@return { columns: integer, rows: integer }|nil size of a new buffer that waits for output
function M.open(payload)
  local known = terminals[payload.terminal]
  local terminal = known or create(payload)
  open_window(terminal)
  if known then
    return nil
  end
  connect(terminal)
  go_to_end(terminal.buf, vim.fn.win_findbuf(terminal.buf))
  if payload.data then
    api.nvim_chan_send(terminal.channel, payload.data)
    M.ended(vim.tbl_extend('error', { terminal = terminal.id }, payload.exit or {}))
    return nil
  end
  return size_of(terminal)
end

--- Writes output of a command. `fresh`: it replaces all earlier output.
---@param payload { terminal: string, data: string, fresh?: boolean }
---@return 'written'|'gone'
function M.write(payload)
  local terminal = terminals[payload.terminal]
  if not terminal or not api.nvim_buf_is_valid(terminal.buf) then
    return 'gone'
  end
  if payload.fresh then
    local is_typing = api.nvim_get_current_buf() == terminal.buf and api.nvim_get_mode().mode == 't'
    local following = require('acp.ui.scroll').followers(terminal.buf)
    vim.fn.chanclose(terminal.channel)
    -- Neovim 0.10 would leave a screen of blank lines above the new output.
    vim.bo[terminal.buf].modifiable = true
    api.nvim_buf_set_lines(terminal.buf, 0, -1, false, {})
    connect(terminal)
    go_to_end(terminal.buf, following)
    if is_typing then
      vim.cmd.startinsert()
    end
  end
  api.nvim_chan_send(terminal.channel, payload.data)
  return 'written'
end

--- The command has ended; its buffer stays while it is shown or was hidden last.
---@param payload { terminal: string, code?: integer, signal?: string }
function M.ended(payload)
  local terminal = terminals[payload.terminal]
  if not terminal or not api.nvim_buf_is_valid(terminal.buf) then
    return
  end
  terminal.state = how_it_ended(payload)
  show_state(terminal)
  delete_hidden()
  if api.nvim_get_current_buf() == terminal.buf and api.nvim_get_mode().mode == 't' then
    vim.cmd.stopinsert()
  end
end

--- The host has exited, and the commands with it.
function M.on_host_exit()
  for _, terminal in pairs(terminals) do
    if terminal.state == 'running' then
      M.ended({ terminal = terminal.id })
    end
  end
end

return M
