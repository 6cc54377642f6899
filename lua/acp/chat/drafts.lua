--- Unsent prompts, kept in files so that they survive |:qa|, |:bwipeout| and a crash. The Neovim that a draft is typed
--- in owns its file; another one takes the file over once that Neovim is gone. What is typed in the window of
--- |<Plug>(acp-ask)| is saved with the draft, and becomes a part of it in the next Neovim.
local M = {}

local uv = vim.uv
-- Milliseconds until a change is on disk; a large draft is written less often.
local interval, bytes_per_ms = 100, 20000
local max_drafts, max_bytes = 100, 64 * 1024 * 1024
local temporary_suffix, temporary_max_age = '.new', 60

---@class acp.Draft
---@field file string
---@field text string
---@field ask? string what the window of |<Plug>(acp-ask)| had
---@field returned? string the prompts that had come back and were not in the prompt buffer yet
---@field agent string
---@field cwd string
---@field pid integer process id of the Neovim that owns it
---@field machine string host name
---@field started? string start time of that Neovim, on systems with /proc
---@field journal string the journal of its chat
---@field earlier_journal? string the journal of the session that the chat continued
---@field session? string the id of the session
---@field queue? acp.WaitingPrompt[] the prompts that waited, unless the journal has it that they were sent since
---@field queue_journal? string that journal, if the queue is of an earlier chat
---@field is_released? boolean its Neovim is about to end
---@field at integer when it was written, in seconds

---@type table<integer, uv.uv_timer_t> pending writes, by chat
local timers = {}
---@type table<integer, fun(): string> what is saved with the drafts, by chat
local included = {}
-- The next Neovim may look for drafts before this one is gone, for example after |:restart|.
local is_quitting = false

local function folder()
  return require('acp.paths').state('drafts')
end

local function file_of(chat)
  local name = vim.fs.basename(chat.journal):gsub('%.jsonl$', '')
  return vim.fs.joinpath(folder(), name .. '.draft')
end

local function read_file(path)
  return require('acp.paths').read(path, max_bytes)
end

-- Process ids are reused, so the start time tells two processes apart.
---@param pid integer
---@return string|nil
local function start_time(pid)
  local fields = (read_file(('/proc/%d/stat'):format(pid)) or ''):match('.*%) (.*)$')
  return fields and vim.split(fields, ' ')[20]
end

-- Writes a temporary file and renames it, so that a crash leaves the old content or the new one.
local function write_file(path, content)
  local temporary = path .. temporary_suffix
  local is_there, refusal = pcall(vim.fn.mkdir, vim.fs.dirname(path), 'p', tonumber('700', 8))
  if not is_there then
    return (tostring(refusal):gsub('^Vim:E%d+: ', ''))
  end
  uv.fs_unlink(temporary)
  local handle, problem = uv.fs_open(temporary, 'wx', tonumber('600', 8))
  if not handle then
    return problem
  end
  local written, failure = uv.fs_write(handle, content)
  uv.fs_close(handle)
  if written ~= #content then
    uv.fs_unlink(temporary)
    return failure or 'the file was written only partly'
  end
  local _, rename_problem = uv.fs_rename(temporary, path)
  return rename_problem
end

-- The prompts of a chat that the agent has not got. The host has them too, but its journal is that of one session.
---@param chat acp.Chat
---@return acp.WaitingPrompt[]|nil
local function queue_of(chat)
  local queue, ids = {}, {}
  local unsent = require('acp.chat.prompt.state').unsent(chat)
  for _, prompts in ipairs({ chat.queue_to_restore or {}, unsent, chat.unaccepted }) do
    for _, prompt in ipairs(prompts) do
      if not ids[prompt.id] then
        table.insert(queue, { id = prompt.id, text = prompt.text })
      end
      ids[prompt.id] = true
    end
  end
  return #queue > 0 and queue or nil
end

---@param ask string
---@param returned string
local function header_of(chat, ask, returned)
  return vim.json.encode({
    ask = ask ~= '' and ask or nil,
    returned = returned ~= '' and returned or nil,
    agent = chat.agent,
    cwd = chat.cwd,
    pid = vim.fn.getpid(),
    started = start_time(vim.fn.getpid()),
    machine = uv.os_gethostname(),
    journal = chat.journal,
    earlier_journal = chat.earlier_journal,
    session = chat.context and chat.context.session or chat.session,
    queue = queue_of(chat),
    queue_journal = chat.queue_to_restore and chat.queue_journal,
    is_released = is_quitting or nil,
  })
end

local function stop_timer(chat)
  local timer = timers[chat.id]
  timers[chat.id] = nil
  if timer then
    timer:stop()
    timer:close()
  end
end

---@return acp.Draft|nil
local function read(file)
  local content = read_file(file)
  local stat = uv.fs_stat(file)
  local header, text = (content or ''):match('^([^\n]*)\n(.*)$')
  local ok, draft = pcall(vim.json.decode, header or '')
  if not ok or type(draft) ~= 'table' or not stat then
    return nil
  end
  -- Earlier versions wrote the journals as `transcript` and `written`.
  draft.journal = draft.journal or draft.transcript
  draft.earlier_journal = draft.earlier_journal or draft.written
  -- Earlier versions wrote the queue as one text, without ids.
  if type(draft.queue) == 'string' then
    text, draft.queue = vim.trim(text .. '\n\n' .. draft.queue), nil
  end
  return vim.tbl_extend('force', draft, { file = file, text = text, at = stat.mtime.sec })
end

local has_warned = false

---@param chat acp.Chat
---@param text string
local function write(chat, text)
  if chat.is_private then
    return
  end
  local file, ask = file_of(chat), included[chat.id] and included[chat.id]() or ''
  local returned = table.concat(chat.returning, '\n\n')
  if vim.trim(text .. ask .. returned) == '' and not queue_of(chat) then
    uv.fs_unlink(file)
    return
  end
  local problem = write_file(file, header_of(chat, ask, returned) .. '\n' .. text)
  if problem and not has_warned then
    has_warned = true
    local message = 'could not save a draft: %s'
    require('acp.messages').warn(message:format(problem))
  end
end

-- The text of the prompt, without the prompt that is being sent. One that was wiped out has its text in the file.
---@param chat acp.Chat
---@return string|nil text nil if the file is there and can't be read: nothing may be written over it
local function prompt_text(chat)
  if chat.prompt and vim.api.nvim_buf_is_loaded(chat.prompt) then
    local text = require('acp.chat.history').unsaved_text(chat.prompt)
    local is_shown = text == require('acp.chat.prompt.text').of(chat.prompt)
    local sent = is_shown and chat.sending and chat.sending.text or ''
    return vim.startswith(text, sent) and (text:sub(#sent + 1):gsub('^\n+', '')) or text
  end
  local file = file_of(chat)
  local own = read(file)
  return own and own.text or (not uv.fs_lstat(file) and '' or nil)
end

---@param chat acp.Chat
local function write_prompt(chat)
  stop_timer(chat)
  local text = prompt_text(chat)
  if text then
    write(chat, text)
  end
end

--- Writes a pending change immediately.
---@param chat acp.Chat
function M.flush(chat)
  if timers[chat.id] then
    write_prompt(chat)
  end
end

--- Saves another text with the draft of a chat.
---@param chat acp.Chat
---@param text_of fun(): string
function M.include(chat, text_of)
  included[chat.id] = text_of
end

--- Forgets a chat that is closed.
---@param chat acp.Chat
function M.forget(chat)
  included[chat.id] = nil
end

--- Writes all drafts, so that the next Neovim may take them over.
function M.release_all()
  is_quitting = true
  for _, chat in pairs(require('acp.chats').all()) do
    require('acp.chat.prompt.sending').finish(chat)
    if timers[chat.id] or uv.fs_stat(file_of(chat)) then
      write_prompt(chat)
    end
  end
end

-- An autocommand that is created while Neovim quits does not run.
local function release_on_quit()
  require('acp.ui.autocommands').group_once('chat.drafts', function(on)
    on('VimLeavePre', M.release_all)
  end)
end

---@param buf integer
---@return integer bytes
local function size_of(buf)
  return vim.api.nvim_buf_get_offset(buf, vim.api.nvim_buf_line_count(buf))
end

--- Schedules writing the draft of a chat after a change of a buffer, or of its queue.
---@param chat acp.Chat
---@param buf? integer
function M.touch(chat, buf)
  if timers[chat.id] then
    return
  end
  release_on_quit()
  local timer = assert(uv.new_timer())
  timers[chat.id] = timer
  local wait = math.max(interval, math.floor((buf and size_of(buf) or 0) / bytes_per_ms))
  timer:start(wait, 0, function()
    vim.schedule(function()
      M.flush(chat)
    end)
  end)
end

--- Writes the draft immediately.
---@param chat acp.Chat
function M.save(chat)
  M.touch(chat)
  M.flush(chat)
end

---@param draft acp.Draft
local function is_alive(draft)
  local result, _, code = uv.kill(draft.pid, 0)
  local started = draft.started and start_time(draft.pid)
  return (result == 0 or code == 'EPERM') and (not started or started == draft.started)
end

-- Whether a Neovim on another machine still runs is unknown, so its drafts stay.
---@param draft acp.Draft
local function is_owned(draft)
  if draft.machine ~= uv.os_gethostname() then
    return true
  elseif draft.is_released then
    return false
  elseif draft.pid == vim.fn.getpid() then
    return require('acp.chats').has_journal(draft.journal)
  end
  return is_alive(draft)
end

-- Removes the temporary file of a write during which Neovim was killed.
local function remove_stale_temporary(file)
  local stat = uv.fs_stat(file)
  if stat and math.abs(os.time() - stat.mtime.sec) > temporary_max_age then
    uv.fs_unlink(file)
  end
end

---@return acp.Draft[] drafts of Neovims that are gone, the newest first
local function orphaned_drafts()
  local drafts = {}
  for name in vim.fs.dir(folder()) do
    local file = vim.fs.joinpath(folder(), name)
    if vim.endswith(name, temporary_suffix) then
      remove_stale_temporary(file)
    end
    local draft = vim.endswith(name, '.draft') and read(file)
    if draft and not is_owned(draft) then
      table.insert(drafts, draft)
    end
  end
  table.sort(drafts, function(one, other)
    return one.at > other.at
  end)
  return drafts
end

---@param chat acp.Chat
---@param draft acp.Draft
local function is_of_session(chat, draft)
  if not chat.session or draft.agent ~= chat.agent then
    return false
  end
  local earlier = chat.earlier_journal
  local is_same_file = earlier and (earlier == draft.journal or earlier == draft.earlier_journal)
  return is_same_file or chat.session == draft.session
end

---@param chat acp.Chat
---@param draft acp.Draft
local function is_of_folder(chat, draft)
  return draft.agent == chat.agent and draft.cwd == chat.cwd
end

-- Takes a draft over by renaming its file: only one of two Neovims succeeds.
---@param chat acp.Chat
---@param drafts acp.Draft[]
---@param matches fun(chat: acp.Chat, draft: acp.Draft): boolean
---@return acp.Draft|nil
local function claim(chat, drafts, matches)
  return vim.iter(drafts):find(function(draft)
    return matches(chat, draft) and uv.fs_rename(draft.file, file_of(chat)) ~= nil
  end)
end

-- By number instead of age: a clock that jumps must not delete drafts.
---@param drafts acp.Draft[]
local function prune(drafts)
  for index = max_drafts + 1, #drafts do
    uv.fs_unlink(drafts[index].file)
  end
end

---@param one string
---@param other string
---@return string
local function joined(one, other)
  return (vim.trim(one) == '' or other == '') and one .. other or one .. '\n\n' .. other
end

---@class acp.RestoredDraft
---@field text string
---@field at integer when it was written, in seconds
---@field is_restored boolean it is of an earlier chat
---@field queue? acp.WaitingPrompt[]

--- The draft of this chat, or for a new chat that of a matching one that was closed or whose Neovim is gone.
---@param chat acp.Chat
---@return acp.RestoredDraft|nil
function M.find(chat)
  if chat.is_private then
    return nil
  end
  local own = read(file_of(chat))
  if own then
    return { text = own.text, at = own.at, is_restored = false }
  end
  -- The host takes the queue of a draft only when it opens the chat.
  if chat.is_open_in_host then
    return nil
  end
  local drafts = orphaned_drafts()
  local draft = claim(chat, drafts, is_of_session) or claim(chat, drafts, is_of_folder)
  prune(drafts)
  if draft then
    local text = joined(joined(draft.returned or '', draft.text), draft.ask or '')
    -- The file names this Neovim as its owner from now on.
    chat.queue_to_restore = draft.queue
    chat.queue_journal = draft.queue_journal or draft.journal
    release_on_quit()
    write(chat, text)
    return { text = text, at = draft.at, is_restored = true, queue = draft.queue }
  end
end

return M
