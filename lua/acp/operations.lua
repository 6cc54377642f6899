--- Every operation that the host may call in Neovim, with `receive` or `receive_all`. No Lua module requires this one.
local M = {}

local function chat_of(payload)
  return require('acp.chats').get(payload.chat)
end

---@type table<string, fun(payload: table): any>
local operations = {
  ['chat.draw'] = function(frame)
    if frame.part == 'sessions' then
      return require('acp.sessions.panel').draw(frame)
    end
    return require('acp.chat.transcript').draw(frame)
  end,
  ['host.answer'] = function(payload)
    require('acp.host.requests').answered(payload)
  end,
  ['chat.state'] = function(payload)
    local chat = chat_of(payload)
    local had_commands = #(chat.commands or {}) > 0
    chat.commands = payload.commands
    chat.context = payload.context
    chat.settings = payload.settings
    if not had_commands and #payload.commands > 0 then
      require('acp.lsp.trigger').commands_known(chat)
    end
  end,
  ['chat.create'] = function(payload)
    local earlier = {
      cwd = payload.cwd,
      origin = payload.origin,
      session = payload.session,
      is_fork = payload.isFork,
      earlier_journal = payload.earlierJournal,
      title = payload.title,
    }
    local chat = require('acp.lifecycle').create(payload.agent, earlier, function()
      M.receive('chat.create', payload)
    end)
    if chat then
      require('acp.lifecycle').show(chat)
      require('acp.chat.find_line').go(chat, payload.line)
    end
  end,
  ['chat.show'] = function(payload)
    require('acp.lifecycle').show(chat_of(payload))
    require('acp.chat.find_line').go(chat_of(payload), payload.line)
  end,
  ['chat.notify'] = function(payload)
    require('acp.attention.notify').notify(chat_of(payload), payload.kind, payload.text)
  end,
  ['chat.status'] = function(payload)
    require('acp.attention').on_status(chat_of(payload), payload.status)
  end,
  ['event.emit'] = function(payload)
    require('acp.attention').on_event(chat_of(payload), payload.name, payload.data)
  end,
  ['chat.unknown'] = function(payload)
    -- The next request for this chat opens it again.
    chat_of(payload).is_open_in_host = false
    require('acp.chat.prompt.sending').recover(chat_of(payload))
  end,
  ['chat.end'] = function(payload)
    require('acp.lifecycle').close(chat_of(payload))
  end,
  ['files.check'] = function()
    vim.schedule(vim.cmd.checktime)
  end,
  ['buffer.read'] = function(payload)
    return require('acp.buffers').read(payload)
  end,
  ['buffer.read_all'] = function(payload)
    return require('acp.buffers').read_all(payload.paths)
  end,
  ['buffer.write_target'] = function(payload)
    return require('acp.buffers').write_target(payload)
  end,
  ['conflict.open'] = function(payload)
    require('acp.review.conflict').open(payload)
  end,
  ['conflict.close'] = function(payload)
    require('acp.review.conflict').close(payload)
  end,
  ['buffer.change'] = function(payload)
    return require('acp.buffers.change').run(payload)
  end,
  ['file.open'] = function(payload)
    -- A swap file may make Neovim ask; the host must not wait with it.
    vim.schedule(function()
      require('acp.ui.open_file').open(payload)
    end)
  end,
  ['media.open'] = function(payload)
    vim.schedule(function()
      require('acp.dialogs.browser').open_file(payload.path)
    end)
  end,
  ['follow.to'] = function(payload)
    require('acp.chat.follow').to(payload)
  end,
  ['diff.open'] = function(payload)
    require('acp.review.diff').open(payload)
  end,
  ['buffer.sync'] = function(payload)
    return require('acp.buffers.sync').run(payload)
  end,
  ['buffer.files'] = function()
    return require('acp.buffers').files()
  end,
  ['buffer.watch'] = function(payload)
    require('acp.buffers').watch(payload.paths, payload.chat)
  end,
  ['buffer.drop'] = function(payload)
    require('acp.buffers').drop(payload.path)
  end,
  ['decision.done'] = function()
    require('acp.host.pending_decisions').done()
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
    require('acp.review.restore').preview(chat_of(payload), payload.lines)
  end,
  ['restore.read'] = function(payload)
    require('acp.review.restore').read(chat_of(payload), payload.checkpoint)
  end,
  ['restore.close'] = function(payload)
    require('acp.review.restore').close(chat_of(payload))
  end,
  ['context.read'] = function(payload)
    require('acp.context').read(chat_of(payload), payload.id, payload.requests)
  end,
  ['mentions.found'] = function(payload)
    require('acp.context.marks').found(payload)
  end,
  ['prompt.accepted'] = function(payload)
    require('acp.ask').accepted(chat_of(payload), payload.text)
    require('acp.chat.prompt.sending').accepted(chat_of(payload), payload)
  end,
  ['prompt.recall'] = function(payload)
    require('acp.lifecycle').show(chat_of(payload))
    require('acp.chat.prompt.insert').recall(chat_of(payload), payload.text)
  end,
  ['history.set'] = function(payload)
    require('acp.chat.history').set(chat_of(payload).cwd, payload.prompts)
  end,
  ['prompt.done'] = function(payload)
    require('acp.attention.callbacks').done(payload.id, payload.turn)
  end,
  ['prompt.return'] = function(payload)
    require('acp.chat.prompt.sending').give_back(chat_of(payload), payload.ids, payload.text)
  end,
  ['prompt.state'] = function(payload)
    require('acp.chat.prompt.state').set(chat_of(payload), payload)
  end,
  ['queue.restored'] = function(payload)
    require('acp.chat.prompt').on_queue_restored(chat_of(payload), payload.count)
  end,
  ['prompt.begin'] = function(payload)
    require('acp.chat.prompt.insert').begin(chat_of(payload), payload.text)
  end,
  ['prompt.insert'] = function(payload)
    require('acp.chat.prompt.insert').insert(chat_of(payload), payload.text)
  end,
  ['prompt.add'] = function(payload)
    require('acp.chat.prompt.insert').add(chat_of(payload), payload.text)
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
    local chat = chat_of(payload)
    require('acp.dialogs.question').update(chat, payload)
    require('acp.chat.question_keys').update(chat, payload)
    require('acp.chat.prompt.hint').show(chat)
  end,
  ['picker.open'] = function(payload)
    -- A picker may wait for a key; the host must not wait with it.
    vim.schedule(function()
      require('acp.dialogs.picker').open(payload)
    end)
  end,
  ['agents.pick'] = function()
    vim.schedule(function()
      require('acp.dialogs.picker').when_ready('Agents', require('acp.commands.agents').pick)
    end)
  end,
  ['agents.open'] = function(payload)
    vim.schedule(function()
      require('acp.agents.install').installed(payload.agent, require('acp.commands.agents').open)
    end)
  end,
  ['input.open'] = function(payload)
    vim.schedule(function()
      require('acp.dialogs.input').open(payload)
    end)
  end,
  ['browser.open'] = function(payload)
    vim.schedule(function()
      require('acp.dialogs.browser').open(payload.url)
    end)
  end,
  ['text.show'] = function(payload)
    vim.schedule(function()
      require('acp.ui.text_window').show(payload.title, payload.lines)
    end)
  end,
  ['text.copy'] = function(payload)
    require('acp.dialogs.browser').copy(payload.text)
  end,
  ['login.ask'] = function(payload)
    require('acp.dialogs.login').ask(payload)
  end,
  ['login.run'] = function(payload)
    require('acp.dialogs.login').run(payload)
  end,
  ['traffic.add'] = function(batch)
    return require('acp.debug.traffic').add(batch)
  end,
  ['extension.request'] = function(payload)
    require('acp.extensions').receive_request(payload)
  end,
  ['extension.forget'] = function(payload)
    require('acp.extensions').cancel(payload.id)
  end,
  ['extension.notification'] = function(payload)
    require('acp.extensions').receive_notification(payload)
  end,
  ['extension.answered'] = function(payload)
    require('acp.extensions').receive_answer(payload)
  end,
  ['user.notify'] = function(payload)
    require('acp.messages').notify(payload.message, vim.log.levels[payload.level:upper()])
  end,
}

--- Runs one operation. It never throws: the answer carries the error.
---@param op string
---@param payload table
---@return { ok: boolean, value?: any, error?: string }
function M.receive(op, payload)
  if payload.chat and not chat_of(payload) and op ~= 'chat.draw' then
    return { ok = true }
  end
  local operation = operations[op]
  if not operation then
    return { ok = false, error = ('unknown operation "%s"'):format(op) }
  end
  local ok, value = pcall(operation, payload)
  if ok then
    return { ok = true, value = value }
  end
  return { ok = false, error = tostring(value) }
end

--- Runs operations one after the other.
---@param all [string, table][]
---@return { ok: boolean, value?: any, error?: string }[]
function M.receive_all(all)
  return vim.tbl_map(function(each)
    return M.receive(each[1], each[2])
  end, all)
end

return M
