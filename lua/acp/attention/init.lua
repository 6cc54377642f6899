--- Tells the user, and their Lua, what happens in the chats: events, status, notifications, progress.
local M = {}

local function events()
  return require('acp.attention.events')
end

---@param chat acp.Chat
---@param data table
local function begin_turn(chat, data)
  chat.turn = { began = vim.uv.now(), session = data.session }
  require('acp.attention.progress').begin(chat)
end

---@param chat acp.Chat
---@param is_failed boolean
local function end_turn(chat, is_failed)
  chat.turn = nil
  require('acp.attention.progress').finish(chat, is_failed)
end

--- Something has happened in a chat.
---@param chat acp.Chat
---@param name string
---@param data table
function M.on_event(chat, name, data)
  if name == 'AcpTurnStarted' then
    begin_turn(chat, data)
  elseif name == 'AcpTurnEnded' then
    end_turn(chat, data.error ~= nil)
  elseif name == 'AcpFileChanged' then
    chat.changed_files = chat.changed_files or {}
    chat.changed_files[data.path] = true
  end
  events().fire(name, data)
end

--- The status of a chat has changed.
---@param chat acp.Chat
---@param status table
function M.on_status(chat, status)
  chat.status = status
  require('acp.attention.status').refresh()
  require('acp.attention.seen').check(chat)
end

-- The host can't report the end of the turn any more.
---@param chat acp.Chat
---@param stop_reason string
---@param reason string
local function abandon_turn(chat, stop_reason, reason)
  local turn = chat.turn
  if turn then
    end_turn(chat, true)
    events().fire('AcpTurnEnded', {
      chat = chat.id,
      agent = chat.agent,
      session = turn.session,
      stop_reason = stop_reason,
      error = reason,
      duration = vim.uv.now() - turn.began,
      files = {},
    })
  end
  require('acp.attention.callbacks').give_up(chat, stop_reason, reason)
end

--- The host has exited: no agent runs, and no question waits.
---@param chats table<integer, acp.Chat>
function M.on_host_exit(chats)
  local reason = 'the host has exited'
  for _, chat in pairs(chats) do
    abandon_turn(chat, 'host_gone', reason)
    if chat.status and chat.status.state ~= 'down' then
      chat.status = vim.tbl_extend(
        'force',
        chat.status,
        { state = 'down', waiting = 0, queued = 0, questions = {} }
      )
      events().fire('AcpAgentGone', { chat = chat.id, agent = chat.agent, reason = reason })
    end
  end
  require('acp.attention.status').refresh()
end

--- A chat was closed.
---@param chat acp.Chat
function M.forget(chat)
  abandon_turn(chat, 'closed', 'the chat was closed')
  events().fire('AcpChatClosed', { chat = chat.id, agent = chat.agent })
  require('acp.attention.status').refresh()
end

return M
