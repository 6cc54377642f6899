--- The chats of this Neovim. lifecycle.lua creates and closes them.
local M = {}

---@class acp.Chat
---@field id integer
---@field agent string
---@field cwd string
---@field buf? integer the transcript
---@field prompt? integer the buffer the user writes in
---@field ask? integer the buffer of |<Plug>(acp-ask)|
---@field plan? integer the buffer of |:AcpPlan|
---@field review? integer the buffer with the files of |:AcpReview|
---@field changed_files? table<string, true> paths of files that the agent has changed
---@field journal string the file the host writes the chat's events to
---@field project? acp.ProjectSettings the settings of its project when it was created
---@field is_private? boolean nothing of it is kept on disk
---@field session? string the id of the earlier session that it continues
---@field is_fork? boolean it continues with a copy of that session
---@field earlier_journal? string the journal of that session
---@field title? string the agent's title of that session
---@field launch? acp.Agent how to start the agent, if that is fixed
---@field last_agent acp.Agent how the agent was configured last; the user may have removed it from the options since
---@field is_open_in_host? boolean the host was sent `chat.open`
---@field bar { left: string[][], right: string[][] } what the winbar of the transcript shows
---@field commands? { name: string, description: string, hint?: string }[] the slash commands of the agent
---@field settings? acp.SettingWords[] what completes |:AcpMode|, |:AcpModel| and |:AcpOption|
---@field context? acp.ExtensionContext what handlers of extension methods receive
---@field returned? acp.ReturnedPrompt the last prompt that came back unsent
---@field returning string[] prompts that came back and wait until the prompt buffer may be changed, from top to bottom
---@field sending? acp.SentPrompt the text in the prompt buffer that the host is about to send
---@field prompt_changes? (fun(buf: integer))[] changes of the prompt buffer that wait until the user is ready
---@field nearby? acp.NearbyPlace[] where the user was before the prompt, while they are in it
---@field detached? table<string, true> the kinds of places that are not sent along with this prompt
---@field unaccepted acp.WaitingPrompt[] all prompts that the host was sent and has not accepted
---@field traffic? integer the buffer of |:AcpTraffic|
---@field width? integer columns of the transcript that the host knows of
---@field waiting integer number of unanswered questions
---@field questions table<integer, acp.WaitingQuestion> the unanswered questions that the transcript shows, by id
---@field status? table what the host has sent last for |acp.status()|
---@field prompt_state? acp.PromptState what the host has sent last about the prompt and the queue
---@field paused_at? number when the queue was paused, in milliseconds
---@field queue_to_restore? acp.WaitingPrompt[] the queue of a chat that has ended, until the host has it
---@field restored? acp.RestoredDraft its draft
---@field queue_journal? string the journal of that chat, which knows what of it was sent
---@field recovered? string[] ids of the prompts that came back into the prompt buffer last
---@field queue_write? table the last change of the queue that the host has not confirmed
---@field suggestion_key? acp.TemporaryKey the mapping that takes a suggestion
---@field is_turn_prepared? boolean the host knows that the user has begun to write the prompt
---@field turn? { began: integer, session?: string } the running turn

---@type table<integer, acp.Chat>
local chats = {}
---@type acp.Chat|nil
local current
local last_id = 0

---@return integer id of the next chat
function M.new_id()
  last_id = last_id + 1
  return last_id
end

---@param chat acp.Chat
function M.add(chat)
  chats[chat.id] = chat
  current = chat
end

---@param chat acp.Chat
function M.remove(chat)
  chats[chat.id] = nil
  if current == chat then
    current = select(2, next(chats))
  end
end

---@param id integer
---@return acp.Chat|nil
function M.get(id)
  return chats[id]
end

---@return table<integer, acp.Chat> by id
function M.all()
  return chats
end

--- The chat of the current buffer, else the last one used.
---@return acp.Chat|nil
function M.current()
  return M.of(vim.api.nvim_get_current_buf()) or current
end

--- The folder that mentions are relative to.
---@return string
function M.folder()
  local chat = M.current()
  return chat and chat.cwd or vim.fn.getcwd()
end

--- Makes a chat the one that commands are about.
---@param chat acp.Chat
function M.select(chat)
  current = chat
end

---@param agent string
---@return acp.Chat|nil
function M.with_agent(agent)
  return select(
    2,
    vim.iter(pairs(chats)):find(function(_, chat)
      return chat.agent == agent
    end)
  )
end

--- The chat a buffer belongs to, and its role there.
---@param buf integer
---@return acp.Chat|nil, 'buf'|'prompt'|'ask'|'traffic'|nil
function M.of(buf)
  for _, chat in pairs(chats) do
    if chat.buf == buf then
      return chat, 'buf'
    elseif chat.prompt == buf then
      return chat, 'prompt'
    elseif chat.ask == buf then
      return chat, 'ask'
    elseif chat.traffic == buf then
      return chat, 'traffic'
    end
  end
end

--- The chat that `:AcpAnswer` is about: the current one, else the oldest with an unanswered question.
---@return acp.Chat|nil
function M.with_question()
  local chat = M.current()
  if chat and chat.waiting > 0 then
    return chat
  end
  local ids = vim.tbl_keys(chats)
  table.sort(ids)
  for _, id in ipairs(ids) do
    if chats[id].waiting > 0 then
      return chats[id]
    end
  end
end

--- Whether a file is the journal of a chat of this Neovim.
---@param file string
---@return boolean
function M.has_journal(file)
  return vim.iter(pairs(chats)):any(function(_, chat)
    return chat.journal == file
  end)
end

return M
