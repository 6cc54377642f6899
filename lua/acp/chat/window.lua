--- The two windows of a chat: where they open and how they look.
local M = {}

local api = vim.api
local windows, scroll = require('acp.ui.windows'), require('acp.ui.scroll')
local set = require('acp.ui.window_options').set

local prompt_margin = 3

-- The margin is a 'statuscolumn'. Whenever the number of lines changes, Neovim forgets its width until the next redraw
-- and uses that of the line numbers, so it wraps and scrolls right only if both are the same.
---@param win integer
---@param text string
---@param width integer
local function set_margin(win, text, width)
  set(win, { statuscolumn = text, number = true, numberwidth = width })
end

local function set_plain(win)
  set(win, {
    relativenumber = false,
    signcolumn = 'no',
    foldcolumn = '0',
    foldenable = false,
    cursorline = false,
    colorcolumn = '',
    list = false,
    spell = false,
    wrap = true,
    linebreak = true,
    breakindent = true,
    breakindentopt = 'list:-1',
  })
  require('acp.ui.windows.kept').keep(win)
end

local separator = '%#AcpSeparator#%='

-- An empty statusline drawn as a line. With a global statusline Neovim draws that itself.
local function set_separator(win)
  if vim.o.laststatus == 3 then
    return set(win, { fillchars = 'eob: ', winhighlight = '' })
  end
  local is_plain = require('acp.config').get().plain
  set(win, {
    fillchars = is_plain and 'eob: ,stl: ,stlnc: ' or 'eob: ,stl:─,stlnc:─',
    statusline = separator,
    -- Without these groups the background and the underline of the statusline would show.
    winhighlight = 'StatusLine:AcpSeparator,StatusLineNC:AcpSeparator',
  })
end

--- The statusline of Neovim shows the name of the buffer. One that the user or a plugin has set stays.
---@param win integer
---@param title string
function M.set_statusline(win, title)
  if vim.go.statusline == api.nvim_get_option_info2('statusline', {}).default then
    local ruler = "%=%{% &ruler ? '%-14.(%l,%c%V%) %P' : '' %}"
    set(win, { statusline = ' ' .. require('acp.ui.winbar').escape(title) .. ruler })
  end
end

---@param win integer of a transcript
---@param chat acp.Chat
local function set_transcript_statusline(win, chat)
  if vim.wo[win].statusline == separator then
    set(win, { statusline = '' })
  end
  M.set_statusline(win, chat.agent)
  set_separator(win)
end

-- A tab page shows one chat at a time.
---@param chat acp.Chat
---@param part 'buf'|'prompt'
---@return integer|nil window that showed another chat and now shows this one
local function replace_other_chat(chat, part)
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    local other, shown = require('acp.chats').of(api.nvim_win_get_buf(win))
    if other and shown == part then
      require('acp.chat.plan').close(other)
      if part == 'buf' then
        require('acp.chat.kept_view').keep(other, win)
      end
      require('acp.ui.windows.kept').keep(win, chat[part])
      api.nvim_win_set_buf(win, chat[part])
      return win
    end
  end
end

---@param chat acp.Chat
local function open_transcript(chat)
  local prompt = windows.find(chat.prompt)
  local config = prompt and { split = 'above', win = prompt } or require('acp.chat.size').layout()
  local other = replace_other_chat(chat, 'buf')
  local win = other or windows.open(chat.buf, config)
  set_plain(win)
  local is_plain = require('acp.config').get().plain
  set(win, { winfixwidth = true, conceallevel = is_plain and 0 or 2 })
  if not prompt and not other then
    require('acp.chat.size').share_rest(win)
  end
  set_margin(win, is_plain and ' ' or require('acp.chat.drawing.margin').column, 1)
  set_transcript_statusline(win, chat)
  return win
end

--- The look of a window that prompts are written in.
---@param win integer
function M.style_prompt(win)
  set_plain(win)
  set(win, { smoothscroll = true, fillchars = 'eob: ' })
  if require('acp.config').get().plain then
    return set_margin(win, ' ', 1)
  end
  -- Neovim drops a blank at the beginning of an expression.
  set_margin(win, "%#AcpPrompt# %{v:lnum == 1 && v:virtnum == 0 ? '› ' : '  '}", prompt_margin)
end

--- The cells of a line of the prompt, which may be on another tab page.
---@param chat acp.Chat
---@return integer
function M.prompt_room(chat)
  local win = windows.find(chat.prompt) or vim.fn.win_findbuf(chat.prompt or -1)[1]
  return win and api.nvim_win_get_width(win) - prompt_margin or 0
end

-- A global 'winbar' takes a row of every window, and would show the name of the buffer there.
---@param win integer
local function set_prompt_winbar(win)
  set(win, { winbar = vim.go.winbar ~= '' and ' ' or '' })
end

---@param chat acp.Chat
local function open_prompt(chat, above)
  local config = { split = 'below', win = above, height = 2 }
  local win = replace_other_chat(chat, 'prompt') or windows.open(chat.prompt, config)
  M.style_prompt(win)
  set(win, { winfixheight = true })
  set_prompt_winbar(win)
  M.set_statusline(win, chat.agent .. ' · prompt')
  return win
end

--- Follows options of the screen that the user has changed.
---@param chat acp.Chat
function M.adapt_to_options(chat)
  for _, win in ipairs(chat.buf and vim.fn.win_findbuf(chat.buf) or {}) do
    set_transcript_statusline(win, chat)
  end
  vim.tbl_map(set_prompt_winbar, chat.prompt and vim.fn.win_findbuf(chat.prompt) or {})
end

--- Opens the windows that are not open on this tab page. The user may have wiped the prompt.
---@param chat acp.Chat
---@return integer prompt window
function M.open(chat)
  require('acp.ui.windows.kept').check()
  require('acp.chat.prompt').ensure_buffer(chat)
  local shown = windows.find(chat.buf)
  local transcript = shown or open_transcript(chat)
  local prompt = windows.find(chat.prompt) or open_prompt(chat, transcript)
  M.fit_prompt(chat)
  if not shown then
    require('acp.chat.size').keep(chat, transcript)
    require('acp.chat.layout').watch()
    require('acp.chat.transcript').refit(chat)
    require('acp.chat.kept_view').restore(chat, transcript)
  end
  return prompt
end

--- Goes to the prompt window, and opens it if it is closed.
---@param chat acp.Chat
function M.go_to_prompt(chat)
  windows.go_to(M.open(chat))
end

--- Opens a buffer above the transcript, without going there.
---@param chat acp.Chat
---@param buf integer
---@return integer|nil window nil if there is no room
function M.open_above(chat, buf)
  local below = windows.find(chat.buf)
  local config = below and { split = 'above', win = below, height = 3 }
    or require('acp.chat.size').layout()
  local ok, win = pcall(api.nvim_open_win, buf, false, config)
  if not ok then
    return nil
  end
  set_plain(win)
  set(win, { winfixheight = true, conceallevel = 2 })
  set_margin(win, ' ', 1)
  set_separator(win)
  return win
end

---@param chat acp.Chat
---@return boolean
function M.is_open(chat)
  return windows.find(chat.buf) ~= nil
end

---@param win integer
local function show_last_file(win)
  local files = vim.tbl_filter(function(info)
    return vim.bo[info.bufnr].buftype == ''
  end, vim.fn.getbufinfo({ buflisted = 1 }))
  table.sort(files, function(one, other)
    return one.lastused > other.lastused
  end)
  if files[1] then
    api.nvim_win_set_buf(win, files[1].bufnr)
  else
    api.nvim_win_call(win, vim.cmd.enew)
  end
end

---@param chat acp.Chat
local function close_windows(chat)
  for _, buf in pairs({ chat.prompt, chat.buf }) do
    local win = windows.find(buf)
    if win and buf == chat.buf then
      require('acp.chat.kept_view').keep(chat, win)
    end
    if win and not pcall(api.nvim_win_close, win, true) then
      require('acp.ui.window_options').reset(win)
      require('acp.ui.windows.kept').release(win)
      show_last_file(win)
    end
  end
end

--- Closes the windows of a chat on this tab page; the last window of Neovim stays, with the file that was used last.
---@param chat acp.Chat
function M.close(chat)
  require('acp.chat.layout').keep_heights_beside(windows.find(chat.buf), function()
    close_windows(chat)
  end)
end

--- Makes the prompt as high as its text, up to a third of the screen.
---@param chat acp.Chat
function M.fit_prompt(chat)
  local win = windows.find(chat.prompt)
  if not win then
    return
  end
  local height = api.nvim_win_text_height(win, {}).all
  local wanted = math.max(2, math.min(height, math.floor(vim.o.lines / 3)))
  local winbar = vim.fn.getwininfo(win)[1].winbar
  local transcript = windows.find(chat.buf)
  if transcript then
    scroll.keep_while(transcript, function()
      windows.move_border(transcript, win, { below = wanted + winbar })
    end)
  end
  -- Neovim has scrolled to the new lines before there was room for them.
  if height <= api.nvim_win_get_height(win) - winbar then
    api.nvim_win_call(win, function()
      local view = vim.fn.winsaveview()
      -- Neovim draws the window again, also if nothing changes.
      if view.topline ~= 1 or view.skipcol ~= 0 then
        vim.fn.winrestview({ topline = 1, skipcol = 0 })
      end
    end)
  else
    scroll.fill(win)
  end
end

--- Corrects the heights after a window has closed: Neovim gives its room to the prompt, whose height is fixed, and does
--- not scroll the transcript to its end.
---@param chat acp.Chat
function M.refit(chat)
  M.fit_prompt(chat)
  local win = windows.find(chat.buf)
  if win and vim.tbl_contains(scroll.followers(chat.buf), win) then
    scroll.go_to_end(win, true)
  end
end

---@param win integer
---@return boolean whether it is the only window of this tab page
local function is_alone(win)
  return vim.iter(api.nvim_tabpage_list_wins(0)):all(function(other)
    return other == win or api.nvim_win_get_config(other).relative ~= ''
  end)
end

--- Closes the prompt window when its transcript has no window. |:only| in the prompt means the chat, so that the
--- transcript opens again.
---@param chat acp.Chat
---@param was_in_prompt? boolean the user was in the prompt when the transcript closed
function M.close_lone_prompt(chat, was_in_prompt)
  local win = windows.find(chat.prompt)
  if not win or windows.find(chat.buf) then
    return
  end
  if was_in_prompt and chat.buf and is_alone(win) then
    M.open(chat)
  else
    pcall(api.nvim_win_close, win, true)
  end
end

return M
