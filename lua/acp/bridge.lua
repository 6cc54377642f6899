--- What the host may ask of Neovim, all through one door.
local M = {}

local function chat_of(payload)
  return require('acp.chats').get(payload.chat)
end

---@type table<string, fun(payload: table): any>
local operations = {
  ['chat.draw'] = function(frame)
    return require('acp.render').draw(frame)
  end,
  ['host.answer'] = function(payload)
    require('acp.requests').answered(payload)
  end,
  ['chat.facts'] = function(payload)
    local chat = chat_of(payload)
    chat.commands = payload.commands
    chat.context = payload.context
  end,
  ['chat.create'] = function(payload)
    local before = {
      cwd = payload.cwd,
      session = payload.session,
      written = payload.written,
      title = payload.title,
    }
    local chat = require('acp.chats').create(payload.agent, before, function()
      M.receive('chat.create', payload)
    end)
    if chat then
      require('acp.commands').show(chat)
    end
  end,
  ['chat.show'] = function(payload)
    require('acp.commands').show(chat_of(payload))
  end,
  ['chat.news'] = function(payload)
    require('acp.chats').tell_hidden(chat_of(payload), payload.text)
  end,
  ['chat.unknown'] = function(payload)
    require('acp.chats').unknown(chat_of(payload))
  end,
  ['chat.end'] = function(payload)
    require('acp.chats').close(chat_of(payload))
  end,
  ['buffer.read'] = function(payload)
    return require('acp.buffers').read(payload.path, payload.guard, payload.known)
  end,
  ['buffer.swap'] = function(payload)
    return require('acp.guard').other_editor(payload.path)
  end,
  ['option.get'] = function(payload)
    return require('acp.config').get()[payload.name]
  end,
  ['conflict.open'] = function(payload)
    require('acp.conflict').open(payload)
  end,
  ['conflict.close'] = function(payload)
    require('acp.conflict').close(payload)
  end,
  ['buffer.change'] = function(payload)
    return require('acp.buffers.change').run(payload)
  end,
  ['file.open'] = function(payload)
    -- A swap file may make Neovim ask; the host must not wait with it.
    vim.schedule(function()
      require('acp.places').open(payload)
    end)
  end,
  ['follow.to'] = function(payload)
    require('acp.follow').to(payload)
  end,
  ['diff.open'] = function(payload)
    require('acp.diff').open(payload)
  end,
  ['buffer.follow'] = function(payload)
    return require('acp.buffers.follow').run(payload)
  end,
  ['buffer.files'] = function()
    return require('acp.buffers').files()
  end,
  ['buffer.guard'] = function(payload)
    require('acp.buffers').guard(payload.paths, payload.chat)
  end,
  ['buffer.drop'] = function(payload)
    require('acp.buffers').drop(payload.path)
  end,
  ['owed.done'] = function()
    require('acp.owed').done()
  end,
  ['review.open'] = function(payload)
    require('acp.review').open(chat_of(payload))
  end,
  ['review.show'] = function(payload)
    -- Opening a file may ask something.
    vim.schedule(function()
      require('acp.review').show(payload)
    end)
  end,
  ['review.quickfix'] = function(payload)
    require('acp.review').quickfix(payload)
  end,
  ['restore.preview'] = function(payload)
    require('acp.restore').preview(chat_of(payload), payload.lines)
  end,
  ['restore.read'] = function(payload)
    require('acp.restore').read(chat_of(payload), payload.checkpoint)
  end,
  ['restore.close'] = function(payload)
    require('acp.restore').close(chat_of(payload))
  end,
  ['prompt.accepted'] = function(payload)
    require('acp.prompt').accepted(chat_of(payload), payload.text)
  end,
  ['prompt.restore'] = function(payload)
    require('acp.prompt').restore(chat_of(payload), payload.text)
  end,
  ['prompt.begin'] = function(payload)
    require('acp.prompt').begin(chat_of(payload), payload.text)
  end,
  ['prompt.add'] = function(payload)
    require('acp.prompt').add(chat_of(payload), payload.text)
  end,
  ['terminal.open'] = function(payload)
    return require('acp.terminal').open(payload)
  end,
  ['terminal.write'] = function(payload)
    return require('acp.terminal').write(payload)
  end,
  ['terminal.ended'] = function(payload)
    require('acp.terminal').ended(payload)
  end,
  ['question.waiting'] = function(payload)
    require('acp.question').waiting(chat_of(payload), payload.ids, payload.isQuiet)
  end,
  ['question.open'] = function(payload)
    -- A picker may wait for a key; the host must not wait with it.
    vim.schedule(function()
      require('acp.question').open(payload)
    end)
  end,
  ['picker.open'] = function(payload)
    vim.schedule(function()
      require('acp.picker').open(payload)
    end)
  end,
  ['agents.pick'] = function()
    vim.schedule(function()
      require('acp.picker').when_ready('Agents', require('acp.registry').pick)
    end)
  end,
  ['agents.open'] = function(payload)
    vim.schedule(function()
      require('acp.registry').open(payload.agent)
    end)
  end,
  ['input.open'] = function(payload)
    vim.schedule(function()
      require('acp.input').open(payload)
    end)
  end,
  ['page.open'] = function(payload)
    vim.schedule(function()
      require('acp.page').open(payload.url)
    end)
  end,
  ['text.copy'] = function(payload)
    require('acp.page').copy(payload.text)
  end,
  ['login.ask'] = function(payload)
    require('acp.login').ask(payload)
  end,
  ['login.run'] = function(payload)
    require('acp.login').run(payload)
  end,
  ['traffic.add'] = function(batch)
    return require('acp.traffic').add(batch)
  end,
  ['extension.request'] = function(payload)
    require('acp.extensions').serve(payload)
  end,
  ['extension.forget'] = function(payload)
    require('acp.extensions').forget(payload.id)
  end,
  ['extension.notification'] = function(payload)
    require('acp.extensions').hear(payload)
  end,
  ['extension.answered'] = function(payload)
    require('acp.extensions').answered(payload)
  end,
  ['user.notify'] = function(payload)
    require('acp.notice').say(payload.message, vim.log.levels[payload.level:upper()])
  end,
}

--- The host calls this. It never fails: what goes wrong is in the answer.
---@param op string
---@param payload table
---@return { ok: boolean, value?: any, error?: string }
function M.receive(op, payload)
  if payload.chat and not chat_of(payload) and op ~= 'chat.draw' then
    return { ok = true }
  end
  local operation = operations[op]
  if not operation then
    return { ok = false, error = ('Neovim knows no "%s"'):format(op) }
  end
  local ok, value = pcall(operation, payload)
  if ok then
    return { ok = true, value = value }
  end
  return { ok = false, error = tostring(value) }
end

return M
