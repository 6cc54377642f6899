--- What |acp.status()| and |acp.statusline()| answer, from what the host has sent last.
local M = {}

---@class acp.ChatStatus
---@field chat integer
---@field agent string
---@field cwd string
---@field session? string the session id
---@field title string
---@field state 'starting'|'login'|'idle'|'running'|'stopping'|'down'
---@field since integer when this state began, as |os.time()|
---@field waiting integer questions
---@field questions acp.Question[]
---@field queued integer prompts
---@field paused boolean prompts wait until you resume the queue
---@field unreviewed integer files
---@field unseen? 'finished'|'failed' how the last turn ended, until you look at the chat
---@field mode? string
---@field model? string
---@field usage? { used: integer, size: integer, cost?: number, currency?: string }
---@field current boolean commands are about this chat

---@class acp.Question
---@field chat integer
---@field agent string
---@field question integer its id
---@field kind 'permission'|'conflict'|'form'|'page'
---@field text string
---@field tool_kind? string the kind of the tool call, such as 'read', as the agent says
---@field choices { name: string, kind: string }[] empty for a form or a page
---@field revision integer changes when the question shows something else

---@class acp.Status
---@field waiting integer questions, and agents that need a login
---@field running integer chats with a running turn
---@field queued integer prompts that wait
---@field finished integer chats with a finished turn that you have not looked at
---@field failed integer chats with a failed turn that you have not looked at
---@field unreviewed integer files
---@field cost table<string, number> by currency
---@field context? number how full the context of the current chat is, from 0 to 1
---@field chats acp.ChatStatus[]

---@type string|nil
local line

---@param chat acp.Chat
---@param current acp.Chat|nil
---@return acp.ChatStatus
local function of(chat, current)
  local unknown = { state = 'starting', since = 0, waiting = 0, queued = 0 }
  unknown.paused, unknown.unreviewed, unknown.questions = false, 0, {}
  local status = vim.tbl_extend('force', {
    agent = chat.agent,
    cwd = chat.cwd,
    title = chat.title or '',
  }, chat.status or unknown, { chat = chat.id, current = chat == current })
  status.questions = vim.tbl_map(function(question)
    return vim.tbl_extend('force', { chat = chat.id, agent = chat.agent }, question)
  end, status.questions)
  return status
end

--- The chats of this Neovim, the oldest first.
---@return acp.ChatStatus[]
function M.chats()
  local chats = require('acp.chats')
  local ids = vim.tbl_keys(chats.all())
  table.sort(ids)
  local current = chats.current()
  return vim.tbl_map(function(id)
    return of(chats.get(id), current)
  end, ids)
end

--- The questions that wait.
---@param chat? integer of this chat only
---@return acp.Question[]
function M.questions(chat)
  local questions = {}
  for _, status in ipairs(M.chats()) do
    if not chat or status.chat == chat then
      vim.list_extend(questions, status.questions)
    end
  end
  return questions
end

---@return acp.Status
function M.get()
  local status = {
    waiting = 0,
    running = 0,
    queued = 0,
    finished = 0,
    failed = 0,
    unreviewed = 0,
    cost = {},
    chats = M.chats(),
  }
  for _, chat in ipairs(status.chats) do
    status.waiting = status.waiting + chat.waiting + (chat.state == 'login' and 1 or 0)
    status.queued = status.queued + chat.queued
    status.unreviewed = status.unreviewed + chat.unreviewed
    if chat.state == 'running' or chat.state == 'stopping' then
      status.running = status.running + 1
    end
    if chat.unseen then
      status[chat.unseen] = status[chat.unseen] + 1
    end
    local usage = chat.usage
    if usage and usage.cost then
      local currency = usage.currency or ''
      status.cost[currency] = (status.cost[currency] or 0) + usage.cost
    end
    if chat.current and usage and usage.size > 0 then
      status.context = usage.used / usage.size
    end
  end
  return status
end

local signs = {
  { 'waiting', '?' },
  { 'running', '●' },
  { 'failed', '✗' },
  { 'finished', '✓' },
  { 'unreviewed', '±' },
}

---@return string
local function format()
  local status, parts = M.get(), {}
  for _, sign in ipairs(signs) do
    local count = status[sign[1]]
    if count > 0 then
      table.insert(parts, sign[2] .. count)
    end
  end
  return table.concat(parts, ' ')
end

--- The counts in a few characters; empty if all are zero. It contains nothing that 'statusline' interprets.
---@return string
function M.line()
  line = line or format()
  return line
end

--- Something has changed.
function M.refresh()
  local before = line
  line = nil
  if M.line() ~= (before or '') then
    vim.cmd.redrawstatus({ bang = true })
    vim.cmd.redrawtabline()
  end
end

return M
