--- The list of sessions that stays open. The host draws it, and knows which session each line is about.
local M = {}

local api = vim.api
local frames = require('acp.chat.frames')
local sidebar_share, sidebar_min = 0.25, 32

---@type integer|nil the buffer
local panel
---@type integer[] the session of each line; 0: none
local items = {}
---@type { agent: string, all: boolean, cwd: string } what it lists
local shown

---@return table|nil
local function query()
  local agents = require('acp.agents')
  local agent = agents.find(shown.agent)
  return agent
    and {
      agent = agents.for_host(agent),
      names = agents.other_names(shown.agent),
      cwd = shown.cwd,
      folder = require('acp.paths').state(),
      pid = vim.fn.getpid(),
      all = shown.all,
    }
end

local function load()
  local payload = query()
  if payload then
    require('acp.host').notify('panel.show', payload)
  end
end

---@param win integer
---@return integer item, integer line which of its lines, 0-based
local function item_at(win)
  local row = api.nvim_win_get_cursor(win)[1]
  -- Below the last session the buffer has an empty line.
  row = math.min(row, #items)
  local item, line = items[row] or 0, 0
  while item ~= 0 and items[row - line - 1] == item do
    line = line + 1
  end
  return item, line
end

---@param win integer
---@param item integer
---@param line integer
local function go_to_item(win, item, line)
  for row, other in ipairs(items) do
    if other == item then
      local target = items[row + line] == item and row + line or row
      return api.nvim_win_set_cursor(win, { target, 0 })
    end
  end
end

--- Draws a frame. The cursor stays on its session, wherever that is in the list.
---@param frame table
---@return 'drawn'|'stale'|'gone'|{ failure: string }
function M.draw(frame)
  if not panel or not api.nvim_buf_is_valid(panel) then
    return 'gone'
  end
  local places = {}
  for _, win in ipairs(vim.fn.win_findbuf(panel)) do
    local item, line = item_at(win)
    places[win] = { item = item, line = line, row = api.nvim_win_get_cursor(win)[1] }
  end
  local result = frames.draw(panel, frame)
  if result == 'drawn' then
    items = frame.items
    for win, place in pairs(places) do
      if place.item ~= 0 then
        go_to_item(win, place.item, place.line)
      elseif place.row == 1 then
        go_to_item(win, items[2] or 0, 0)
      end
    end
  end
  return result
end

---@param action string
local function act(action)
  local item = item_at(0)
  if item == 0 then
    return require('acp.messages').warn('there is no session in this line')
  end
  require('acp.host').notify('panel.act', { action = action, item = item })
end

-- Goes to the first line of the next or the previous session.
---@param step 1|-1
local function go(step)
  local row = api.nvim_win_get_cursor(0)[1]
  local from, left = items[row], vim.v.count1
  repeat
    row = row + step
    local is_first = items[row] and items[row] ~= 0 and items[row - 1] ~= items[row]
    if is_first and items[row] ~= from then
      api.nvim_win_set_cursor(0, { row, 0 })
      left = left - 1
    end
  until left == 0 or not items[row]
end

local function map(buf)
  local keys = require('acp.config').get().keys
  local function on(lhs, desc, run)
    if lhs then
      vim.keymap.set('n', lhs, run, { buffer = buf, desc = 'acp: ' .. desc, nowait = true })
    end
  end
  on(keys.sessions_open, 'open the session', function()
    act('open')
  end)
  on(keys.sessions_rename, 'rename the session', function()
    act('rename')
  end)
  on(keys.sessions_close, 'close the chat of the session', function()
    act('close')
  end)
  on(keys.sessions_delete, 'delete the session', function()
    act('delete')
  end)
  on(keys.sessions_fork, 'fork the session', function()
    act('fork')
  end)
  on(keys.sessions_refresh, 'read the sessions again', load)
  on(keys.next, 'next session', function()
    go(1)
  end)
  on(keys.previous, 'previous session', function()
    go(-1)
  end)
  on('<2-LeftMouse>', 'open the session', function()
    act('open')
  end)
  on('q', 'close', '<Cmd>close<CR>')
  require('acp.ui.key_help').map(buf, 'Sessions')
end

local is_watching = false

-- A host that was restarted draws the list again.
local function watch_host()
  if not is_watching then
    is_watching = true
    require('acp.host').on('start', function()
      if panel then
        vim.schedule(load)
      end
    end)
  end
end

local function create_buffer()
  local buf = api.nvim_create_buf(false, true)
  local names = require('acp.ui.buffer_names')
  names.set(buf, names.make('sessions'))
  frames.prepare(buf)
  map(buf)
  api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    callback = function()
      frames.forget(buf)
      panel, items = nil, {}
      require('acp.host').notify_if_running('panel.hide', {})
    end,
  })
  require('acp.ui.autocommands').on_edit(buf, load)
  api.nvim_create_autocmd('WinResized', {
    group = api.nvim_create_augroup('acp.sessions.panel', {}),
    callback = function()
      if panel then
        require('acp.chat.drawing.figures').refresh(panel)
      end
    end,
  })
  require('acp.ui.windows').set_filetype(buf, 'acp-sessions')
  return buf
end

-- Beside the chat there is less room for the files than on the other side.
---@param buf integer
---@return integer
local function open_sidebar(buf)
  local side = require('acp.config').get().position == 'left' and 'right' or 'left'
  local width = math.max(sidebar_min, math.floor(vim.o.columns * sidebar_share))
  local win = api.nvim_open_win(buf, true, { split = side, win = -1, width = width })
  require('acp.ui.windows').return_on_close(win)
  return win
end

---@param buf integer
local function open_window(buf)
  local is_sidebar = require('acp.config').get().sessions == 'sidebar'
  local win = is_sidebar and open_sidebar(buf)
    or require('acp.ui.windows').open_at_edge(buf, 'below', math.floor(vim.o.lines / 3))
  require('acp.ui.window_options').set(win, {
    -- As wide as the 'statuscolumn', whose width Neovim forgets until the next redraw.
    number = true,
    numberwidth = 1,
    relativenumber = false,
    signcolumn = 'no',
    foldcolumn = '0',
    statuscolumn = ' ',
    list = false,
    spell = false,
    wrap = false,
    cursorline = true,
    winfixwidth = is_sidebar,
    winfixheight = not is_sidebar,
    fillchars = 'eob: ',
  })
  require('acp.ui.windows.kept').keep_until_closed(win)
end

--- Opens the list, or goes to it.
---@param agent string the agent whose stored sessions are listed too
---@param is_all boolean the sessions of all folders
function M.open(agent, is_all)
  require('acp.ui.highlight').define()
  watch_host()
  shown = { agent = agent, all = is_all, cwd = require('acp.root').folder() }
  local win = require('acp.ui.windows').find(panel)
  if win then
    api.nvim_set_current_win(win)
  else
    panel = panel or create_buffer()
    open_window(panel)
  end
  if api.nvim_get_mode().mode:sub(1, 1) == 'i' then
    vim.cmd.stopinsert()
  end
  load()
end

return M
