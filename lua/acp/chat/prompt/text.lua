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

--- Changes the text while the user may be typing: waits for the end of a completion or an operator.
---@param chat acp.Chat
---@param run fun(buf: integer)
function M.change(chat, run)
  local buf = chat.prompt
  if not buf then
    return
  end
  if not require('acp.buffers.user_activity').is_ready(buf) then
    return vim.defer_fn(function()
      M.change(chat, run)
    end, retry_ms)
  end
  require('acp.buffers.user_activity').keep(buf, function()
    run(buf)
  end)
  M.refresh(chat)
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
