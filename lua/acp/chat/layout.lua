--- Keeps the two windows of a chat together when the user moves one of them, or opens a window between them.
local M = {}

local api = vim.api

---@param tab integer
---@param buf integer|nil
---@return integer[] windows of a tab page that show a buffer
local function windows_of(tab, buf)
  return vim.tbl_filter(function(win)
    return buf ~= nil and api.nvim_win_get_buf(win) == buf
  end, api.nvim_tabpage_list_wins(tab))
end

-- The column or the row ('col' or 'row') of |winlayout()| that a window stands in: its parts, in order.
---@param node any a part of |winlayout()|
---@param win integer
---@param wanted 'col'|'row'
---@return any[]|nil
local function parts_around(node, win, wanted)
  local kind, content = unpack(node)
  if kind == 'leaf' then
    return nil
  end
  for _, child in ipairs(content) do
    local parts = child[2] == win and kind == wanted and content or parts_around(child, win, wanted)
    if parts then
      return parts
    end
  end
end

---@param column any[]
---@param win integer
---@return integer|nil
local function index_in(column, win)
  for index, child in ipairs(column) do
    if child[2] == win then
      return index
    end
  end
end

local function is_ours(node)
  return node[1] == 'leaf' and require('acp.ui.buffer_names').is_ours(api.nvim_win_get_buf(node[2]))
end

---@param transcript integer
---@param prompt integer
---@return boolean whether only windows of ours are between them
local function are_together(transcript, prompt)
  local column = parts_around(vim.fn.winlayout(), transcript, 'col')
  local one, other = column and index_in(column, transcript), column and index_in(column, prompt)
  if not one or not other then
    return false
  end
  local between = vim.list_slice(column, math.min(one, other) + 1, math.max(one, other) - 1)
  return vim.iter(between):all(is_ours)
end

-- The window that the user has moved stays there. There may be no room for both.
---@param chat acp.Chat
---@param transcript integer
---@param prompt integer
local function join(chat, transcript, prompt)
  local is_in_prompt = api.nvim_get_current_win() == prompt
  local moved, target = prompt, transcript
  if is_in_prompt then
    moved, target = transcript, prompt
  end
  if pcall(vim.fn.win_splitmove, moved, target, { rightbelow = not is_in_prompt }) then
    require('acp.chat.size').on_moved(chat, transcript)
    require('acp.chat.window').refit(chat)
  end
end

-- The windows that the user has split from a chat that was alone, to have them beside it.
---@param transcript integer
---@param prompt integer
---@return integer[]
local function split_off(transcript, prompt)
  local layout = vim.fn.winlayout()
  local row = parts_around(layout, prompt, 'row') or parts_around(layout, transcript, 'row') or {}
  local wins = vim.tbl_map(function(node)
    return node[1] == 'leaf' and not is_ours(node) and node[2] or nil
  end, row)
  local are_all = vim.iter(api.nvim_tabpage_list_wins(0)):all(function(win)
    return api.nvim_win_get_config(win).relative ~= ''
      or is_ours({ 'leaf', win })
      or vim.list_contains(wins, win)
  end)
  return are_all and vim.tbl_values(wins) or {}
end

---@param chat acp.Chat
---@param transcript integer
---@param wins integer[]
local function put_beside(chat, transcript, wins)
  local side = require('acp.config').get().position == 'left' and 'L' or 'H'
  for _, win in ipairs(wins) do
    api.nvim_win_call(win, function()
      vim.cmd.wincmd(side)
    end)
  end
  if #wins > 0 then
    require('acp.chat.size').on_moved(chat, transcript)
    require('acp.chat.window').refit(chat)
  end
end

-- Neovim 0.10 opens the quickfix list below the last window, which is that of the prompt.
---@param prompt integer
local function move_quickfix_out(prompt)
  local column = parts_around(vim.fn.winlayout(), prompt, 'col')
  for _, child in ipairs(column or {}) do
    if child[1] == 'leaf' and vim.fn.win_gettype(child[2]) == 'quickfix' then
      local height = api.nvim_win_get_height(child[2])
      api.nvim_win_call(child[2], function()
        vim.cmd.wincmd('J')
      end)
      require('acp.ui.windows').set_height(child[2], height)
    end
  end
end

---@type any the last layout that was changed here: where windows can't be moved, another attempt would not end
local changed_layout

---@param chat acp.Chat
local function check_chat(chat)
  local tab = api.nvim_get_current_tabpage()
  local transcripts, prompts = windows_of(tab, chat.buf), windows_of(tab, chat.prompt)
  if #transcripts ~= 1 or #prompts ~= 1 then
    return
  end
  move_quickfix_out(prompts[1])
  if
    are_together(transcripts[1], prompts[1]) or vim.deep_equal(vim.fn.winlayout(), changed_layout)
  then
    return
  end
  local beside = split_off(transcripts[1], prompts[1])
  join(chat, transcripts[1], prompts[1])
  put_beside(chat, transcripts[1], beside)
  changed_layout = vim.fn.winlayout()
end

local is_waiting = false

-- Windows can't be moved while one opens or closes, nor while the command-line window is open.
local function check_soon()
  if is_waiting then
    return
  end
  is_waiting = true
  vim.schedule(function()
    is_waiting = false
    if vim.fn.getcmdwintype() == '' then
      require('acp.ui.windows').keep_command_line(function()
        vim.tbl_map(check_chat, vim.tbl_values(require('acp.chats').all()))
      end)
    end
  end)
end

-- |CTRL-W_T| and `:tab split` in the chat. `:tabnew` shows its own buffer a moment after the event.
local function on_new_tab_page()
  local win = api.nvim_get_current_win()
  vim.schedule(function()
    local chat, part = require('acp.chats').of(api.nvim_get_current_buf())
    local is_alone = api.nvim_get_current_win() == win and #api.nvim_tabpage_list_wins(0) == 1
    if is_alone and chat and chat.buf and (part == 'buf' or part == 'prompt') then
      require('acp.ui.windows.kept').keep(win)
      require('acp.chat.window').open(chat)
    end
  end)
end

-- What is left of a chat on a tab page from which one of its windows was moved to this one.
---@param chat acp.Chat
---@param tab integer
local function close_rest(chat, tab)
  local here = api.nvim_get_current_tabpage()
  local is_moved = tab ~= here
    and api.nvim_tabpage_is_valid(tab)
    and #windows_of(here, chat.buf) + #windows_of(here, chat.prompt) > 0
  for _, win in ipairs(is_moved and api.nvim_tabpage_list_wins(tab) or {}) do
    local buf = api.nvim_win_get_buf(win)
    if buf == chat.buf or buf == chat.prompt then
      pcall(api.nvim_win_close, win, true)
    end
  end
end

--- A window of a chat closes; |CTRL-W_T| opens another one first.
---@param chat acp.Chat
---@param win integer
function M.on_closed(chat, win)
  local tab = api.nvim_win_get_tabpage(win)
  vim.schedule(function()
    close_rest(chat, tab)
  end)
end

---@param transcript integer|nil
---@return table<integer, integer> heights by window, of those that stand beside the chat
local function heights_beside(transcript)
  local column = transcript and parts_around(vim.fn.winlayout(), transcript, 'col')
  if not column or not vim.iter(column):all(is_ours) then
    return {}
  end
  local heights = {}
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    if not index_in(column, win) and api.nvim_win_get_config(win).relative == '' then
      heights[win] = api.nvim_win_get_height(win)
    end
  end
  return heights
end

--- Closes the windows of a chat. With 'equalalways' Neovim would make all windows equally high, also those beside them.
---@param transcript integer|nil
---@param close fun()
function M.keep_heights_beside(transcript, close)
  local heights = heights_beside(transcript)
  close()
  require('acp.ui.windows').keep_command_line(function()
    for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
      if heights[win] then
        require('acp.ui.windows').set_height(win, heights[win])
      end
    end
  end)
end

--- Keeps the windows of all chats together, now and later.
function M.watch()
  require('acp.ui.autocommands').group_once('chat.layout', function(on)
    on({ 'WinNew', 'WinClosed', 'WinResized' }, check_soon)
    on('TabNewEntered', on_new_tab_page)
  end)
end

return M
