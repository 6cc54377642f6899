--- Completion of the prompt. The host decides what is offered.
local M = {}

local api = vim.api
local max_recent = 100

local kinds = { file = 17, folder = 19, name = 14, argument = 12, chat = 18, command = 3 }

---@param buf integer
---@return boolean
local function is_file(buf)
  return vim.bo[buf].buflisted and vim.bo[buf].buftype == '' and api.nvim_buf_get_name(buf) ~= ''
end

-- The file that the user was in before the prompt.
---@return string|nil
local function current_file()
  local win = vim.fn.win_getid(vim.fn.winnr('#'))
  for _, each in ipairs({ win, unpack(api.nvim_tabpage_list_wins(0)) }) do
    local buf = api.nvim_win_is_valid(each) and api.nvim_win_get_buf(each)
    if buf and is_file(buf) then
      return api.nvim_buf_get_name(buf)
    end
  end
end

--- Reports to the host that the user is about to write, and which files are in use.
---@param buf integer
function M.prepare(buf)
  local chat, part = require('acp.chats').of(buf)
  if not chat or (part ~= 'prompt' and part ~= 'ask') then
    return
  end
  local buffers = {}
  for _, each in ipairs(vim.fn.getbufinfo({ buflisted = 1 })) do
    if vim.bo[each.bufnr].buftype == '' then
      buffers[#buffers + 1] = { number = each.bufnr, name = each.name, used = each.lastused }
    end
  end
  table.sort(buffers, function(one, other)
    return one.used > other.used
  end)
  local open = {}
  for _, each in ipairs(buffers) do
    each.used = nil
    if each.name ~= '' then
      open[#open + 1] = each.name
    end
  end
  require('acp.host').notify_if_running('completion.prepare', {
    chat = chat.id,
    open = open,
    buffers = buffers,
    recent = vim.list_slice(vim.v.oldfiles, 1, max_recent),
    current = current_file(),
  })
end

-- The chat that a prompt belongs to, and the buffer of the prompt.
---@param uri string
---@return acp.Chat|nil, integer|nil
local function find_prompt(uri)
  for _, chat in pairs(require('acp.chats').all()) do
    for _, buf in pairs({ prompt = chat.prompt, ask = chat.ask }) do
      if vim.uri_from_bufnr(buf) == uri then
        return chat, buf
      end
    end
  end
end

local nothing = { isIncomplete = false, items = {} }

---@param answer { start: integer, typed: string, items: table[] }
---@param chat acp.Chat
---@param position { line: integer, character: integer }
local function list_of(answer, chat, position)
  local range = { start = { line = position.line, character = answer.start }, ['end'] = position }
  local items = {}
  for index, item in ipairs(answer.items) do
    items[index] = {
      label = item.label,
      kind = kinds[item.kind],
      detail = item.detail ~= '' and item.detail or nil,
      -- The host has chosen and ordered the items; engines must neither drop them nor change their order.
      filterText = answer.typed .. ' ' .. item.text,
      sortText = ('%04d'):format(index),
      textEdit = { range = range, newText = item.text },
      insertTextFormat = 1,
      -- blink.cmp adds it to the score: its source of paths would fill the menu of `/` with the folders of the disk.
      score_offset = 10,
      data = { chat = chat.id, path = item.path, documentation = item.documentation },
    }
  end
  return { isIncomplete = answer.typed ~= '', items = items }
end

-- The slash commands that begin with the typed text: Neovim knows them, also when the host does not answer.
---@param chat acp.Chat
---@param lines string[]
---@param position { line: integer, character: integer }
---@return { start: integer, typed: string, items: table[] }
local function commands_without_host(chat, lines, position)
  local typed = position.line == 0 and (lines[1] or ''):match('^/%S*$')
  local items = {}
  for _, command in ipairs(typed and chat.commands or {}) do
    local text = '/' .. command.name
    if vim.startswith(text, typed) then
      local item = { label = text, text = text, kind = 'command', detail = command.description }
      table.insert(items, item)
    end
  end
  return { start = 0, typed = typed or '', items = items }
end

---@param params table
---@param reply acp.lsp.Reply
function M.complete(params, reply)
  local chat, buf = find_prompt(params.textDocument.uri)
  local deliver = require('acp.lsp.trigger').claim()
  if not chat or not buf then
    return reply(nothing)
  end
  local lines = api.nvim_buf_get_lines(buf, 0, params.position.line + 1, false)
  if not (lines[#lines] or ''):find('[@/]') then
    return reply(nothing)
  end
  local place =
    { chat = chat.id, text = table.concat(lines, '\n'), column = params.position.character }
  require('acp.host.requests').ask('completion.items', place, function(answer)
    answer = answer or commands_without_host(chat, lines, params.position)
    reply(list_of(answer, chat, params.position), deliver)
  end)
end

--- What the mention under the cursor refers to.
---@param params table
---@param reply acp.lsp.Reply
---@return boolean is_prompt
function M.hover(params, reply)
  local chat, buf = find_prompt(params.textDocument.uri)
  if not chat or not buf then
    return false
  end
  local lines = api.nvim_buf_get_lines(buf, 0, params.position.line + 1, false)
  local place =
    { chat = chat.id, text = table.concat(lines, '\n'), column = params.position.character }
  require('acp.host.requests').ask('prompt.hover', place, function(text)
    local is_text = type(text) == 'string'
    reply(is_text and { contents = { kind = 'plaintext', value = text } } or nil)
  end)
  return true
end

-- A fence that the text does not contain.
local function fenced(text, path)
  local fence = '```'
  while text:find(fence, 1, true) do
    fence = fence .. '`'
  end
  local language = vim.filetype.match({ filename = path }) or ''
  return { kind = 'markdown', value = ('%s%s\n%s\n%s'):format(fence, language, text, fence) }
end

--- Adds the first lines of a file, or what is known of a name or command.
---@param item table
---@param reply acp.lsp.Reply
function M.resolve(item, reply)
  local data = item.data or {}
  item.documentation = data.documentation
  if not data.path then
    return reply(item)
  end
  local query = { chat = data.chat, path = data.path }
  require('acp.host.requests').ask('completion.preview', query, function(text)
    if type(text) == 'string' then
      item.documentation = fenced(text, data.path)
    end
    reply(item)
  end)
end

return M
