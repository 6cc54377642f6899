--- The transcript: its buffer, and what its windows show of it.
local M = {}

local api = vim.api
local intro_ns = api.nvim_create_namespace('acp.intro')
local activity_ns = api.nvim_create_namespace('acp.activity')
local queue_ns = api.nvim_create_namespace('acp.queue')
local frames = require('acp.chat.frames')
local end_of_text = require('acp.chat.navigation.end_of_text')
local markdown_plugins = require('acp.chat.drawing.markdown_plugins')

---@class acp.EndOfTranscript
---@field activity string[][] pieces
---@field queue string[][][] lines

---@type table<integer, acp.EndOfTranscript> by buffer
local ends = {}

-- Without patch 9.1.0720 (Neovim 0.10) 'breakindentopt' counts the bytes of what matches. `·` has two: without the
-- blank behind it, it counts for both.
local notice = vim.fn.has('patch-9.1.720') == 1 and [[·\s\+]] or [[·\ze\s]]
local list_pattern = [[^\s*\%([-*+>!]\s\+\|\d\+[.)]\s\+\|\d\+ [-+ ]\s\+\|]] .. notice .. [[\)]]

-- `:edit` unloads a buffer too, and loads it again immediately.
local function after_unload(chat, buf)
  if api.nvim_buf_is_valid(buf) and api.nvim_buf_is_loaded(buf) and not chat.buf then
    chat.buf = buf
    frames.prepare(buf)
    return require('acp.host').notify_if_running(
      'chat.redraw',
      { chat = chat.id, width = M.width(chat) }
    )
  end
  pcall(api.nvim_buf_delete, buf, { force = true })
  require('acp.chat.window').close_lone_prompt(chat)
  require('acp.ui.window_options').reset_others()
end

-- An unloaded buffer is created again when the chat is opened again.
---@param chat acp.Chat
local function watch(chat)
  local on = require('acp.ui.autocommands').group_of_chat('chat', chat)
  local buf = chat.buf
  local scroll = require('acp.ui.scroll')
  on('BufUnload', function()
    frames.forget(buf)
    ends[buf] = nil
    chat.buf = nil
    vim.schedule(function()
      after_unload(chat, buf)
    end)
  end, buf)
  end_of_text.watch_wheel()
  on('WinScrolled', function()
    for _, win in ipairs(chat.buf and vim.fn.win_findbuf(chat.buf) or {}) do
      scroll.adapt_to_lines(win)
      end_of_text.on_scrolled(win)
    end
  end)
  on('WinResized', function()
    M.refit(chat)
  end)
  -- Neovim does not scroll windows of other tab pages. What depends on the width was laid out for the window of the
  -- last tab page, which may be closing.
  on('TabEnter', function()
    vim.tbl_map(scroll.go_to_end, chat.buf and scroll.followers(chat.buf) or {})
    vim.schedule(function()
      M.refit(chat)
    end)
  end)
  on('WinClosed', function(args)
    local was_in_prompt = api.nvim_get_current_buf() == chat.prompt
    require('acp.chat.layout').on_closed(chat, tonumber(args.match))
    vim.schedule(function()
      require('acp.chat.window').close_lone_prompt(chat, was_in_prompt)
    end)
  end, buf)
end

---@param chat acp.Chat
function M.create_buffer(chat)
  local buf = api.nvim_create_buf(false, true)
  local names = require('acp.ui.buffer_names')
  names.set(buf, names.of_chat(chat))
  chat.buf = buf
  vim.bo[buf].bufhidden = 'hide'
  -- For 'breakindentopt': the lines of a list item, a quotation or a notice are indented to its first word, those of a
  -- diff to their code, behind the number and the sign.
  vim.bo[buf].formatlistpat = list_pattern
  frames.prepare(buf)
  require('acp.chat.keys').map_transcript(chat)
  watch(chat)
  local has_plugin = markdown_plugins.are_used()
  if has_plugin then
    markdown_plugins.register_parser()
  end
  require('acp.ui.windows').set_filetype(buf, 'acp')
  if has_plugin then
    -- Such plugins add to the colours of the parser. Without a parser they tell the user.
    pcall(vim.treesitter.start, buf, 'markdown')
  end
end

---@param chat acp.Chat
---@param bar { left: string[][], right: string[][] }
function M.show_winbar(chat, bar)
  chat.bar = bar
  if chat.buf then
    require('acp.ui.winbar').show(chat.buf, bar)
  end
end

--- The columns that the narrowest window of a transcript has for text.
---@param chat acp.Chat
---@return integer|nil
function M.width(chat)
  local width
  for _, win in ipairs(chat.buf and vim.fn.win_findbuf(chat.buf) or {}) do
    local columns = require('acp.ui.text_width').room(win)
    width = math.min(width or columns, columns)
  end
  return width
end

---@param chat acp.Chat
local function send_width(chat)
  local width = M.width(chat)
  if width and chat.width ~= width and chat.is_open_in_host then
    chat.width = width
    require('acp.host').notify_if_running('chat.resize', { chat = chat.id, width = width })
  end
end

--- Lays out again what depends on the width of the windows.
---@param chat acp.Chat
function M.refit(chat)
  if chat.buf then
    vim.tbl_map(require('acp.ui.scroll').adapt_to_lines, vim.fn.win_findbuf(chat.buf))
    require('acp.ui.winbar').show(chat.buf, chat.bar)
    require('acp.chat.drawing.figures').refresh(chat.buf)
    send_width(chat)
  end
end

-- In a narrow window each hint is a line of its own.
---@param buf integer
---@return string[]
local function intro_hints(buf)
  local keys = require('acp.config').get().keys
  local hints = { { keys.send_insert, 'sends' }, { '@', 'mentions a file' }, { keys.help, 'keys' } }
  local join = require('acp.chat.keys').join_hints
  local all = join(hints)
  local fits = vim.iter(vim.fn.win_findbuf(buf)):all(function(win)
    local text_width = require('acp.ui.text_width')
    return text_width.fits(all, text_width.room(win))
  end)
  return fits and { all } or vim.tbl_map(function(hint)
    return join({ hint })
  end, hints)
end

-- What an empty chat is, and how to begin.
local function show_intro(buf, lines)
  api.nvim_buf_clear_namespace(buf, intro_ns, 0, -1)
  if #lines == 0 then
    return
  end
  local below = { { { '' } } }
  for _, hint in ipairs(intro_hints(buf)) do
    table.insert(below, { { hint, 'AcpHint' } })
  end
  local options = { virt_lines = vim.list_extend(vim.list_slice(lines), below) }
  api.nvim_buf_set_extmark(buf, intro_ns, 0, 0, options)
end

-- The queue, and the activity in the last line below it. Virtual lines are above the last line, because Neovim does not
-- scroll to those below it. It shows none above the first line, so in an empty chat all are below that.
---@param buf integer
local function show_end(buf)
  local last = api.nvim_buf_line_count(buf) - 1
  local queue, activity = ends[buf].queue, ends[buf].activity
  api.nvim_buf_clear_namespace(buf, activity_ns, 0, -1)
  api.nvim_buf_clear_namespace(buf, queue_ns, 0, -1)
  if #queue > 0 and last == 0 then
    local lines = vim.list_extend(vim.list_slice(queue), #activity > 0 and { activity } or {})
    api.nvim_buf_set_extmark(buf, queue_ns, last, 0, { virt_lines = lines })
    return
  end
  if #queue > 0 then
    local options = { virt_lines = queue, virt_lines_above = true }
    api.nvim_buf_set_extmark(buf, queue_ns, last, 0, options)
  end
  if #activity > 0 then
    local options = { id = 1, virt_text = activity, virt_text_pos = 'overlay' }
    api.nvim_buf_set_extmark(buf, activity_ns, last, 0, options)
  end
end

---@param buf integer
---@param frame { activity?: string[][], queue?: string[][][] }
---@param is_moved boolean there was only one line before, or there is now
local function update_end(buf, frame, is_moved)
  local known = ends[buf] or { activity = {}, queue = {} }
  ends[buf] = { activity = frame.activity or known.activity, queue = frame.queue or known.queue }
  if frame.activity or frame.queue or is_moved then
    show_end(buf)
  end
end

-- Shows why the host does not run, in an empty transcript. The first frame of a host removes it.
---@param buf integer
---@param problem string
local function show_problem(buf, problem)
  if api.nvim_buf_line_count(buf) > 1 then
    return
  end
  local lines = vim.split('! ' .. problem, '\n')
  vim.list_extend(lines, { '  Then :AcpChat tries again.', '' })
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  local options = { end_row = #lines - 2, hl_group = 'AcpFailed' }
  api.nvim_buf_set_extmark(buf, activity_ns, 0, 0, options)
end

--- The host does not run, so nothing happens in a chat. Its queue stays for the next host.
---@param chat acp.Chat
---@param problem string|nil
function M.show_host_down(chat, problem)
  M.show_winbar(chat, {
    left = chat.bar and chat.bar.left or { { chat.agent, 'AcpAgent' } },
    right = { { '✗ the host is down', 'AcpFailed' }, { ':AcpRestart!', 'AcpMuted' } },
  })
  local shown = ends[chat.buf]
  if shown and #shown.activity > 0 then
    update_end(chat.buf, { activity = {} }, false)
  end
  if chat.buf and problem then
    show_problem(chat.buf, problem)
  end
end

--- Shows the end in the window of this tab page, which follows it from now on.
---@param chat acp.Chat
function M.go_to_end(chat)
  local win = require('acp.ui.windows').find(chat.buf)
  if win then
    require('acp.ui.scroll').go_to_end(win, true)
  end
end

---@param buf integer
---@return 'drawn'|'stale'|{ failure: string }
local function draw_and_follow(buf, frame)
  local scroll = require('acp.ui.scroll')
  local followers = (#frame.patches > 0 or frame.queue) and scroll.followers(buf) or {}
  local before = api.nvim_buf_line_count(buf)
  local result = frames.draw(buf, frame)
  if result ~= 'drawn' then
    return result
  end
  markdown_plugins.announce_change(buf, frame.patches)
  if frame.intro then
    show_intro(buf, frame.intro)
  end
  local now = api.nvim_buf_line_count(buf)
  update_end(buf, frame, (before == 1) ~= (now == 1))
  local added = now - before
  for _, win in ipairs(followers) do
    scroll.go_to_end(win, frame.queue ~= nil or added >= api.nvim_win_get_height(win) / 2)
  end
  if added < 0 then
    vim.tbl_map(end_of_text.fill, vim.fn.win_findbuf(buf))
  end
  return result
end

--- Draws one frame, into the transcript or another part of a chat. `gone`: there is no buffer.
---@return 'drawn'|'stale'|'gone'|{ failure: string }
function M.draw(frame)
  local chat = require('acp.chats').get(frame.chat)
  local buf = chat and chat[frame.part or 'buf']
  if not buf or not api.nvim_buf_is_valid(buf) then
    return 'gone'
  end
  if frame.winbar then
    M.show_winbar(chat, frame.winbar)
  end
  return frame.part and frames.draw(buf, frame) or draw_and_follow(buf, frame)
end

return M
