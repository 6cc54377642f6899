--- The text of a prompt, and changes of it by the plugin.
local M = {}

local api = vim.api
local retry_ms = 10

---@param buf integer
---@return string
function M.of(buf)
  return table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
end

---@param text string
---@return string[]
function M.lines(text)
  return vim.split(text, '\n', { plain = true })
end

---@param buf integer
---@return boolean
function M.is_inserting(buf)
  return api.nvim_get_current_buf() == buf and api.nvim_get_mode().mode:find('^[iR]') ~= nil
end

--- Runs after every change of the text, by the user or by the host.
---@param chat acp.Chat
function M.refresh(chat)
  -- Neovim must not refuse to quit: drafts are saved elsewhere.
  vim.bo[chat.prompt].modified = false
  require('acp.chat.prompt.hint').show(chat)
  require('acp.chat.window').fit_prompt(chat)
end

---@param chat acp.Chat
local function make_changes(chat)
  -- The user may have unloaded the buffer since.
  require('acp.chat.prompt').ensure_buffer(chat)
  local buf, changes = chat.prompt, chat.prompt_changes
  chat.prompt_changes = nil
  for _, run in ipairs(changes) do
    require('acp.buffers.user_activity').keep(buf, function()
      run(buf)
    end)
  end
  M.refresh(chat)
end

---@param chat acp.Chat
local function make_when_ready(chat)
  if not chat.prompt_changes then
    return
  elseif chat.prompt and not require('acp.buffers.user_activity').is_ready(chat.prompt) then
    return vim.defer_fn(function()
      make_when_ready(chat)
    end, retry_ms)
  end
  make_changes(chat)
end

--- Changes the text while the user may be typing: waits for the end of a completion or an operator. A change waits for
--- those before it.
---@param chat acp.Chat
---@param run fun(buf: integer)
function M.change(chat, run)
  if chat.prompt_changes then
    table.insert(chat.prompt_changes, run)
  elseif chat.prompt then
    chat.prompt_changes = { run }
    make_when_ready(chat)
  end
end

--- Makes the changes that wait, because the text is about to be saved for the last time.
---@param chat acp.Chat
function M.finish_changes(chat)
  if chat.prompt_changes then
    make_changes(chat)
  end
end

--- Inserts a text above the current one; the cursor stays in the current text.
---@param buf integer
---@param text string
---@param is_alone boolean there is no text below it
function M.put_above(buf, text, is_alone)
  local lines = M.lines(text)
  if not is_alone then
    table.insert(lines, '')
  end
  api.nvim_buf_set_lines(buf, 0, is_alone and -1 or 0, false, lines)
end

return M
