--- Files with what is written in prompts and not sent, so that it survives |:qa|, |:bwipeout| and a crash. Each is
--- written by the Neovim it is typed in; another one takes it over when that Neovim is gone.
local M = {}

local uv = vim.uv
-- A draft is at most this much older on disk than in the buffer; a large one is written less often.
local interval, bytes_per_ms = 100, 20000
local most_kept = 100
local unfinished, unfinished_seconds = '.new', 60

---@class acp.Draft
---@field file string
---@field text string
---@field agent string
---@field cwd string
---@field pid integer the Neovim it was written in
---@field machine string
---@field started? string when that Neovim was started, where the system tells
---@field transcript string the file of its conversation
---@field written? string the file that the conversation was in before
---@field session? string the conversation that it went on with
---@field at integer when it was written, in seconds

---@type table<integer, uv.uv_timer_t> writes that are due, by chat
local timers = {}

local function folder()
  return vim.fs.joinpath(vim.fn.stdpath('state'), 'acp', 'drafts')
end

local function file_of(chat)
  local name = vim.fs.basename(chat.transcript):gsub('%.jsonl$', '')
  return vim.fs.joinpath(folder(), name .. '.draft')
end

local function read_file(path)
  local handle = io.open(path, 'rb')
  local content = handle and handle:read('*a')
  if handle then
    handle:close()
  end
  return content
end

-- Another program may have the number of a process that is gone.
---@param pid integer
---@return string|nil
local function start_time(pid)
  local fields = (read_file(('/proc/%d/stat'):format(pid)) or ''):match('.*%) (.*)$')
  return fields and vim.split(fields, ' ')[20]
end

-- The old content stays until the new one is whole.
local function write_file(path, content)
  local temporary = path .. unfinished
  vim.fn.mkdir(vim.fs.dirname(path), 'p', tonumber('700', 8))
  local handle, problem = uv.fs_open(temporary, 'w', tonumber('600', 8))
  if not handle then
    return problem
  end
  local written, failure = uv.fs_write(handle, content)
  uv.fs_close(handle)
  if written ~= #content then
    uv.fs_unlink(temporary)
    return failure or 'it was not written whole'
  end
  local _, not_renamed = uv.fs_rename(temporary, path)
  return not_renamed
end

local function header_of(chat)
  return vim.json.encode({
    agent = chat.agent,
    cwd = chat.cwd,
    pid = vim.fn.getpid(),
    started = start_time(vim.fn.getpid()),
    machine = uv.os_gethostname(),
    transcript = chat.transcript,
    written = chat.written,
    session = chat.context and chat.context.session or chat.session,
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

local has_complained = false

---@param chat acp.Chat
---@param text string
local function write(chat, text)
  local file = file_of(chat)
  if vim.trim(text) == '' then
    uv.fs_unlink(file)
    return
  end
  local problem = write_file(file, header_of(chat) .. '\n' .. text)
  if problem and not has_complained then
    has_complained = true
    local message = 'drafts are not kept: %s'
    require('acp.notice').say(message:format(problem), vim.log.levels.WARN)
  end
end

--- Writes what is due now.
---@param chat acp.Chat
function M.flush(chat)
  if timers[chat.id] and chat.prompt and vim.api.nvim_buf_is_loaded(chat.prompt) then
    stop_timer(chat)
    write(chat, require('acp.prompt').text_of(chat.prompt))
  end
end

local function flush_on_quit()
  vim.api.nvim_create_autocmd('VimLeavePre', {
    group = vim.api.nvim_create_augroup('acp.drafts', {}),
    callback = function()
      for _, id in ipairs(vim.tbl_keys(timers)) do
        M.flush(require('acp.chats').get(id))
      end
    end,
  })
end

--- The text of a prompt has changed: it is on disk soon.
---@param chat acp.Chat
function M.touch(chat)
  if timers[chat.id] then
    return
  end
  flush_on_quit()
  local size = vim.api.nvim_buf_get_offset(chat.prompt, vim.api.nvim_buf_line_count(chat.prompt))
  local timer = assert(uv.new_timer())
  timers[chat.id] = timer
  local wait = math.max(interval, math.floor(size / bytes_per_ms))
  timer:start(wait, 0, function()
    vim.schedule(function()
      M.flush(chat)
    end)
  end)
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
  return vim.tbl_extend('force', draft, { file = file, text = text, at = stat.mtime.sec })
end

---@param draft acp.Draft
local function is_alive(draft)
  local result, _, code = uv.kill(draft.pid, 0)
  local started = draft.started and start_time(draft.pid)
  return (result == 0 or code == 'EPERM') and (not started or started == draft.started)
end

-- Nobody can tell whether a Neovim on another machine lives.
---@param draft acp.Draft
local function is_owned(draft)
  if draft.machine ~= uv.os_gethostname() then
    return true
  elseif draft.pid == vim.fn.getpid() then
    return require('acp.chats').writes_to(draft.transcript)
  end
  return is_alive(draft)
end

-- What is left of a write during which Neovim was killed.
local function remove_unfinished(file)
  local stat = uv.fs_stat(file)
  if stat and math.abs(os.time() - stat.mtime.sec) > unfinished_seconds then
    uv.fs_unlink(file)
  end
end

---@return acp.Draft[] the newest first
local function drafts_without_owner()
  local drafts = {}
  for name in vim.fs.dir(folder()) do
    local file = vim.fs.joinpath(folder(), name)
    if vim.endswith(name, unfinished) then
      remove_unfinished(file)
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
local function is_of_conversation(chat, draft)
  if not chat.session or draft.agent ~= chat.agent then
    return false
  end
  local is_same_file = chat.written
    and (chat.written == draft.transcript or chat.written == draft.written)
  return is_same_file or chat.session == draft.session
end

---@param chat acp.Chat
---@param draft acp.Draft
local function is_of_place(chat, draft)
  return draft.agent == chat.agent and draft.cwd == chat.cwd
end

-- Taking it is renaming it, which only one of two Neovims can do.
---@param chat acp.Chat
---@param drafts acp.Draft[]
---@param is_meant fun(chat: acp.Chat, draft: acp.Draft): boolean
---@return acp.Draft|nil
local function take(chat, drafts, is_meant)
  return vim.iter(drafts):find(function(draft)
    return is_meant(chat, draft) and uv.fs_rename(draft.file, file_of(chat)) ~= nil
  end)
end

-- By number and not by age: a clock that jumps must delete nothing.
---@param drafts acp.Draft[]
local function prune(drafts)
  for index = most_kept + 1, #drafts do
    uv.fs_unlink(drafts[index].file)
  end
end

--- What was written in the prompt of this chat, or in that of a chat that is gone.
---@param chat acp.Chat
---@return { text: string, at: integer, is_from_before: boolean }|nil
function M.find(chat)
  local own = read(file_of(chat))
  if own then
    return { text = own.text, at = own.at, is_from_before = false }
  end
  local drafts = drafts_without_owner()
  local draft = take(chat, drafts, is_of_conversation) or take(chat, drafts, is_of_place)
  prune(drafts)
  if draft then
    -- It says from now on that it belongs to this Neovim.
    write(chat, draft.text)
    return { text = draft.text, at = draft.at, is_from_before = true }
  end
end

return M
