--- What one writes first: Lua reads the agent's messages and appends each where it belongs.
local M = {}

local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
local layout = dofile(here .. '/layout.lua')
local buf, win, job
local is_over = false
local rest = ''

local function request(id, method, params)
  local message = { jsonrpc = '2.0', id = id, method = method, params = params }
  vim.fn.chansend(job, vim.json.encode(message) .. '\n')
end

local function answer_read(id, file)
  local lines = layout.lines(file)
  local content = lines and table.concat(lines, '\n') .. '\n' or vim.fn.readblob(file)
  local answer = { jsonrpc = '2.0', id = id, result = { content = content } }
  vim.fn.chansend(job, vim.json.encode(answer) .. '\n')
end

-- An edit that is done: what it changed, and where in the file.
local function append_edit(edit)
  local text = vim.fn.readblob(edit.path)
  local before = text:sub(1, (text:find(edit.newText, 1, true) or 1) - 1)
  local place = ('line %d\n'):format(select(2, before:gsub('\n', '')) + 1)
  local diff = vim.diff(edit.oldText .. '\n', edit.newText .. '\n', { ctxlen = 3 })
  layout.append_diff(buf, win, vim.split(place .. diff, '\n', { plain = true }))
end

-- Of an edit: its title when it begins, its changes when it is done.
local function append(update)
  local content = update.content or { text = '' }
  if content[1] then
    return append_edit(content[1])
  end
  local text = update.title and update.title .. '\n' or content.text
  layout.append(buf, win, vim.split(text, '\n', { plain = true }))
end

local function receive(message)
  if message.method == 'fs/read_text_file' then
    answer_read(message.id, message.params.path)
  elseif message.params then
    append(message.params.update)
  elseif message.id > 0 then
    is_over = true
  end
end

local function on_stdout(_, data)
  data[1] = rest .. data[1]
  rest = table.remove(data)
  for _, line in ipairs(data) do
    receive(vim.json.decode(line))
  end
end

function M.open()
  buf, win = layout.open()
  job = vim.fn.jobstart({ 'node', here .. '/flood-agent.mjs' }, { on_stdout = on_stdout })
  request(0, 'initialize', { protocolVersion = 1, clientCapabilities = vim.empty_dict() })
  request(1, 'session/new', { cwd = vim.fn.getcwd(), mcpServers = {} })
end

function M.send(text)
  is_over = false
  local prompt = { { type = 'text', text = text } }
  request(2, 'session/prompt', { sessionId = 'flood-1', prompt = prompt })
end

function M.buf()
  return buf
end

function M.is_over()
  return is_over
end

M.is_ready = M.is_over

return M
