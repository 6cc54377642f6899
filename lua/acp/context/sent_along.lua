--- What the option `context` sends along with a prompt: where the user was before they went to the prompt. It is shown
--- below the text and becomes a part of it when the prompt is sent.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.context.sent_along')

---@param chat acp.Chat
local function find_nearby(chat)
  local wanted = require('acp.config').get().context
  local win = (wanted.file or wanted.cursor or wanted.selection)
    and require('acp.context.origin').window()
  chat.nearby = win and require('acp.context.place').nearby(win, chat.cwd, wanted) or nil
end

--- The user goes to the prompt. What is shown stays the same until they leave it, even if an agent moves the cursor.
---@param chat acp.Chat
---@return boolean is_somewhere
function M.enter(chat)
  find_nearby(chat)
  return chat.nearby ~= nil
end

--- The user leaves the prompt.
---@param chat acp.Chat
function M.leave(chat)
  chat.nearby = nil
  if chat.prompt then
    api.nvim_buf_clear_namespace(chat.prompt, ns, 0, -1)
  end
end

--- The prompt was sent. The next one has everything again.
---@param chat acp.Chat
function M.accepted(chat)
  chat.detached = nil
  if chat.nearby then
    find_nearby(chat)
  end
end

-- Whether a text has a mention, also one that is followed by punctuation.
---@param text string
---@param mention string
local function has_mention(text, mention)
  local first, last = text:find(mention, 1, true)
  while first do
    local is_start = first == 1 or text:find('^[%s(]', first - 1) ~= nil
    local after = text:match('^[.,;:!?)]*(.?)', last + 1)
    if is_start and (after == '' or after:find('%s')) then
      return true
    end
    first, last = text:find(mention, last + 1, true)
  end
  return false
end

-- A slash command would take a mention for its argument, and a prompt that came back has what it was sent with.
---@param chat acp.Chat
---@param text string
local function is_complete(chat, text)
  local returned = chat.returned
  return vim.startswith(text, '/') or (returned and vim.startswith(text, returned.text))
end

---@param chat acp.Chat
---@param text string
---@return acp.NearbyPlace[] places that the text does not mention
local function missing(chat, text)
  if not chat.nearby or is_complete(chat, text) then
    return {}
  end
  return vim.tbl_filter(function(place)
    local is_detached = chat.detached and chat.detached[place.kind]
    return not is_detached
      and not has_mention(text, place.mention)
      and not vim.iter(place.others):any(function(other)
        return has_mention(text, other)
      end)
  end, chat.nearby)
end

---@param places acp.NearbyPlace[]
local function mentions_of(places)
  return table.concat(
    vim.tbl_map(function(place)
      return place.mention
    end, places),
    ' '
  )
end

---@param chat acp.Chat
---@param text string
---@return string prompt the text with what is sent along
function M.complete(chat, text)
  return require('acp.context.append').mentions(text, mentions_of(missing(chat, text)))
end

---@param mentions string
---@param is_insert boolean
---@param room integer
---@return string[][] virtual text
local function chip(mentions, is_insert, room)
  local width, key = require('acp.ui.text_width'), require('acp.config').get().keys.detach
  local shown = width.cut_left(mentions, math.max(1, room - 2))
  local chunks = { { '+ ', 'AcpHint' }, { shown, 'AcpMention' } }
  local hint = key and (' · %s%s detach'):format(is_insert and '<Esc>' or '', key)
  if hint and width.fits('+ ' .. shown .. hint, room) then
    table.insert(chunks, { hint, 'AcpHint' })
  end
  return chunks
end

--- Shows below the text what is sent along.
---@param chat acp.Chat
---@param text string
---@param is_insert boolean
---@param room integer cells of a line
function M.show(chat, text, is_insert, room)
  local buf = chat.prompt
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  local places = missing(chat, text)
  if #places > 0 then
    local line = chip(mentions_of(places), is_insert, room)
    api.nvim_buf_set_extmark(
      buf,
      ns,
      api.nvim_buf_line_count(buf) - 1,
      0,
      { virt_lines = { line } }
    )
  end
end

--- Removes the last of what is shown from this prompt.
---@param chat acp.Chat
---@param text string
---@return boolean was_shown
function M.detach(chat, text)
  local places = missing(chat, text)
  if #places == 0 then
    return false
  end
  chat.detached = chat.detached or {}
  chat.detached[places[#places].kind] = true
  return true
end

return M
