--- What is shown in the prompt beside its text: keys, what a slash command expects, and what is sent along.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.chat.prompt')

---@param chat acp.Chat
---@param text string
---@param is_insert boolean
---@return string|nil hint, 'eol'|'right_align'|nil position
local function hint_for(chat, text, is_insert)
  local argument = require('acp.chat.slash_commands').argument_hint(chat, text)
  if argument then
    return (argument:gsub('%c', ' ')), 'eol'
  elseif chat.returned and vim.startswith(text, chat.returned.text) then
    return 'returned, not sent', 'eol'
  end
  if text == '' then
    local room = require('acp.chat.window').prompt_room(chat) - 1
    return require('acp.chat.keys').hint(chat, is_insert, room), 'right_align'
  end
end

-- Neovim would cut it at the edge of the window, inside of a word.
---@param chat acp.Chat
---@param hint string
---@param text string
---@return string hint cut to what the last row of the first line leaves
local function fit_after_text(chat, hint, text)
  local width = require('acp.ui.text_width')
  local room = math.max(1, require('acp.chat.window').prompt_room(chat))
  local taken = width.cells(text:match('^[^\n]*')) % room
  return width.cut_right(hint, room - taken - 1)
end

-- What the agent suggests, in the empty prompt. The keys are shown too if there is room for both.
---@param chat acp.Chat
---@param text string
---@param keys string|nil
---@return string[][]|nil pieces, boolean|nil has_keys
local function suggestion_pieces(chat, text, keys)
  local suggestion = text == '' and require('acp.chat.prompt.suggestion').of(chat)
  local room = require('acp.chat.window').prompt_room(chat) - 1
  if not suggestion or room < 10 then
    return nil
  end
  local key = require('acp.config').get().keys.suggestion
  local take = key and ('  %s'):format(key) or ''
  local width = require('acp.ui.text_width')
  local shown = width.cut_right(suggestion, room - #take)
  local pieces = { { shown, 'AcpSuggestion' }, { take, 'AcpHint' } }
  return pieces, keys ~= nil and width.fits(shown .. take .. '  ' .. keys, room)
end

---@param buf integer
---@param pieces string[][]
---@param position 'eol'|'right_align'|'overlay'
local function put(buf, pieces, position)
  api.nvim_buf_set_extmark(buf, ns, 0, 0, { virt_text = pieces, virt_text_pos = position })
end

---@param chat acp.Chat
---@param is_insert? boolean whether the user is in Insert mode, if an event has just changed that
function M.show(chat, is_insert)
  local buf = chat.prompt
  -- `:edit` unloads the buffer for a moment.
  if not buf or not api.nvim_buf_is_valid(buf) then
    return
  end
  local text_of, is_inserting =
    require('acp.chat.prompt.text').of, require('acp.chat.prompt.text').is_inserting
  if is_insert == nil then
    is_insert = is_inserting(buf)
  end
  local text = text_of(buf)
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  if require('acp.config').get().plain then
    return
  end
  local hint, position = hint_for(chat, text, is_insert)
  local suggested, has_room = suggestion_pieces(chat, text, hint)
  if suggested then
    put(buf, suggested, 'overlay')
  end
  if hint and position == 'eol' then
    hint = fit_after_text(chat, hint, text)
  end
  if hint and (not suggested or has_room) then
    put(buf, { { hint, 'AcpHint' } }, position)
  end
  require('acp.chat.prompt.suggestion').offer(chat)
  local room = require('acp.chat.window').prompt_room(chat)
  require('acp.context.sent_along').show(chat, text, is_insert, room)
end

return M
