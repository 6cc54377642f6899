--- Earlier prompts of a folder, and the keys that walk through them. The host keeps them on disk and sends the newest
--- ones here, so that a key never waits.
local M = {}

local api = vim.api
local text_of = require('acp.chat.prompt.text').of
local max_prompts = 200

---@type table<string, string[]> by folder, the newest prompt first
local histories = {}

---@class acp.HistoryWalk
---@field prompts string[] the history when the walk began
---@field index integer the prompt that is shown; 0 is what the user was writing
---@field texts table<integer, string> by index: what the user was writing, and edited prompts

---@type table<integer, acp.HistoryWalk> by buffer
local walks = {}

--- The host has read the history of a folder.
---@param folder string
---@param prompts string[]
function M.set(folder, prompts)
  histories[folder] = prompts
end

--- Adds a prompt that was sent.
---@param folder string
---@param text string
function M.remember(folder, text)
  local prompts = vim.list_slice(histories[folder] or {}, 1, max_prompts - 1)
  if prompts[1] ~= text then
    table.insert(prompts, 1, text)
    histories[folder] = prompts
  end
end

--- Requests what other Neovims have added.
---@param chat acp.Chat
function M.load(chat)
  require('acp.host').notify_if_running('history.load', { chat = chat.id })
end

-- The walk in a buffer. It is over once the user has undone it.
---@param buf integer
---@return acp.HistoryWalk|nil
local function walk_in(buf)
  local walk = walks[buf]
  if walk and walk.index > 0 and text_of(buf) == walk.texts[0] then
    walks[buf] = nil
  end
  return walks[buf]
end

-- Keeps the text of the buffer before another one is shown.
---@param walk acp.HistoryWalk
---@param text string
local function keep(walk, text)
  walk.texts[walk.index] = text ~= walk.prompts[walk.index] and text or nil
end

-- After a step back the cursor is in the first screen line, so that the next one is possible, else at the end.
---@param buf integer
---@param lines string[]
---@param is_back boolean
local function place_cursor(buf, lines, is_back)
  local win = api.nvim_get_current_win()
  if api.nvim_win_get_buf(win) ~= buf then
    win = vim.fn.bufwinid(buf)
    if win == -1 then
      return
    end
  end
  local row = is_back and 1 or #lines
  local is_wrapped = is_back
    and api.nvim_win_text_height(win, { start_row = 0, end_row = 0 }).all > 1
  api.nvim_win_set_cursor(win, { row, is_wrapped and 0 or #lines[row] })
end

---@param buf integer
---@param walk acp.HistoryWalk
---@param index integer
local function show(buf, walk, index)
  keep(walk, text_of(buf))
  local is_back = index > walk.index
  walk.index = index
  walks[buf] = walk
  local lines = vim.split(walk.texts[index] or walk.prompts[index], '\n', { plain = true })
  if index == 0 then
    walk.texts[0] = nil
    walks[buf] = next(walk.texts) and walk or nil
  end
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  place_cursor(buf, lines, is_back)
end

---@return acp.HistoryWalk
local function new_walk(prompts)
  return { prompts = prompts, index = 0, texts = {} }
end

--- Shows an earlier prompt in the current buffer. The keys below call this.
---@param index integer
---@param chat integer
function M.go(index, chat)
  local buf = api.nvim_get_current_buf()
  local folder = require('acp.chats').get(chat).cwd
  show(buf, walk_in(buf) or new_walk(histories[folder] or {}), index)
end

--- Shows a prompt that the user chose from a list. What was written comes back with the key for the later prompt, or
--- after the prompt was sent.
---@param chat acp.Chat
---@param buf integer
---@param text string
function M.recall(chat, buf, text)
  if text_of(buf) == text then
    return
  end
  local unsaved = M.unsaved_text(buf)
  local walk = new_walk(vim.list_extend({ text }, histories[chat.cwd] or {}))
  show(buf, walk, 1)
  walk.texts[0] = unsaved
end

--- Whether the text of a buffer is an earlier prompt, as the keys below have shown it.
---@param buf integer
---@return boolean
function M.is_shown(buf)
  local walk = walks[buf]
  return walk ~= nil
    and walk.index > 0
    and text_of(buf) == (walk.texts[walk.index] or walk.prompts[walk.index])
end

--- Ends a walk because its prompt was sent.
---@param buf integer
---@return string|nil draft what the user was writing before
function M.finish(buf)
  local walk = walk_in(buf)
  walks[buf] = nil
  return walk and walk.index > 0 and walk.texts[0] or nil
end

--- The buffer is gone.
---@param buf integer
function M.forget(buf)
  walks[buf] = nil
end

--- What must survive if Neovim ends now. An earlier prompt is on disk already.
---@param buf integer
---@return string
function M.unsaved_text(buf)
  local text, walk = text_of(buf), walk_in(buf)
  if not walk or walk.index == 0 then
    return text
  end
  local draft = walk.texts[0] or ''
  if text == walk.prompts[walk.index] or vim.trim(text) == '' then
    return draft
  end
  return vim.trim(draft) == '' and text or text .. '\n\n' .. draft
end

-- Where the cursor is: at the edge of the text, in a wrapped line at the edge, or elsewhere.
---@param is_back boolean
---@return 'edge'|'wrapped'|'inside'
local function place_of_cursor(is_back)
  local last = api.nvim_buf_line_count(0)
  local row = api.nvim_win_get_cursor(0)[1]
  if row ~= (is_back and 1 or last) then
    return 'inside'
  end
  if not vim.wo.wrap then
    return 'edge'
  end
  local range = { start_row = row - 1, end_row = row - 1 }
  -- In Insert mode the cursor may be after the last character.
  local column = math.max(vim.fn.virtcol('.'), 1)
  local is_after_end = vim.fn.col('.') == vim.fn.col('$') and column > 1
  if is_back then
    range.end_vcol = is_after_end and column - 1 or column
  else
    range.start_vcol = is_after_end and column - 2 or column - 1
  end
  return api.nvim_win_text_height(0, range).all > 1 and 'wrapped' or 'edge'
end

-- The index after some steps, if there is another one.
---@param chat acp.Chat
---@param steps integer
---@return integer|nil
local function target_of(chat, steps)
  local walk = walk_in(api.nvim_get_current_buf()) or new_walk(histories[chat.cwd] or {})
  local target = math.min(math.max(walk.index + steps, 0), #walk.prompts)
  return target ~= walk.index and target or nil
end

-- The keys that a mapping stands for.
---@param chat acp.Chat
---@param is_back boolean
---@param lhs string
---@return string
local function keys_for(chat, is_back, lhs)
  local place = not require('acp.ui.completion_menu').is_open() and place_of_cursor(is_back)
    or 'inside'
  if place == 'inside' then
    return lhs
  elseif place == 'wrapped' then
    return is_back and '<Cmd>normal! gk<CR>' or '<Cmd>normal! gj<CR>'
  end
  local target = target_of(chat, is_back and vim.v.count1 or -vim.v.count1)
  if not target then
    return lhs
  end
  local go = ("<Cmd>lua require('acp.chat.history').go(%d, %d)<CR>"):format(target, chat.id)
  local is_insert = api.nvim_get_mode().mode:sub(1, 1) == 'i'
  -- Each step is undone alone.
  return is_insert and '<C-g>u' .. go .. '<C-g>u' or go
end

--- The keys for the earlier prompt.
---@param chat acp.Chat
---@param lhs string
---@return string
function M.previous(chat, lhs)
  return keys_for(chat, true, lhs)
end

--- The keys for the later prompt.
---@param chat acp.Chat
---@param lhs string
---@return string
function M.next(chat, lhs)
  return keys_for(chat, false, lhs)
end

return M
