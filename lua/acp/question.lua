--- Asks the user what the agent wants to know, when they are ready for it.
local M = {}

-- A picker is open. Some never tell that they were closed, so this is forgotten when nothing waits any more, and on
-- |:AcpAnswer|.
local asking = false

local function is_ours(chat)
  local buf = vim.api.nvim_get_current_buf()
  return buf == chat.buf or buf == chat.prompt
end

local function is_ready(chat)
  return not asking and is_ours(chat) and vim.api.nvim_get_mode().mode == 'n'
end

-- Nothing pops up into half-typed text: a question waits for Normal mode in one of our windows.
local function wait_until_ready(chat)
  local group = vim.api.nvim_create_augroup('acp.question.' .. chat.id, {})
  vim.api.nvim_create_autocmd({ 'ModeChanged', 'WinEnter', 'BufEnter' }, {
    group = group,
    callback = vim.schedule_wrap(function()
      if chat.waiting > 0 and is_ready(chat) then
        M.show(chat, true)
      end
    end),
  })
end

local function stop_waiting(chat)
  pcall(vim.api.nvim_del_augroup_by_name, 'acp.question.' .. chat.id)
end

--- The number of questions that wait has changed.
---@param chat acp.Chat
---@param count integer
---@param is_quiet? boolean the user has put them all aside: they open when they are asked for
function M.waiting(chat, count, is_quiet)
  chat.waiting = count
  if count == 0 then
    asking = false
  end
  if count == 0 or is_quiet then
    return stop_waiting(chat)
  end
  wait_until_ready(chat)
  if is_ready(chat) then
    M.show(chat, true)
  end
end

--- Asks the host for the question that waits longest.
---@param chat acp.Chat
---@param is_unasked? boolean it comes up by itself, and not because the user wants it
function M.show(chat, is_unasked)
  asking = false
  require('acp.host').notify('question.show', { chat = chat.id, isUnasked = is_unasked })
end

--- Keeps other questions away while one is asked. False when one is asked already.
---@return boolean
function M.hold()
  if asking then
    return false
  end
  asking = true
  return true
end

--- The question that was asked has got its answer.
function M.release()
  asking = false
end

---@param chat acp.Chat
---@param question { id: integer, prompt: string, options: { id: string, name: string }[], look?: string }
function M.open(chat, question)
  if asking then
    return
  end
  asking = true
  local items = vim.list_slice(question.options)
  if question.look then
    table.insert(items, { id = '', name = question.look, is_look = true })
  end
  vim.ui.select(items, {
    prompt = question.prompt,
    kind = 'acp.permission',
    format_item = function(option)
      return option.name
    end,
  }, function(choice)
    if choice and choice.is_look then
      -- It is asked again when the user comes back from there, not on the way.
      return require('acp.host').notify('question.look', { chat = chat.id, id = question.id })
    end
    asking = false
    local answer = { chat = chat.id, id = question.id, option = choice and choice.id }
    require('acp.host').notify('question.answer', answer)
  end)
end

return M
