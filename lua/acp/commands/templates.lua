--- `:AcpPrompt` and the commands that send a prompt by its name.
local M = {}

---@return string[]
function M.names()
  local names = vim.tbl_keys(require('acp.config').get().prompts)
  table.sort(names)
  return names
end

-- What a template is about: the range, else the line of the cursor.
---@param args { range: integer, line1: integer, line2: integer }
---@param text string
---@return acp.TemplateContext
local function context_of(args, text)
  local place, cwd = require('acp.context.place'), require('acp.chats').folder()
  local range = args.range > 0 and { first = args.line1, last = args.line2 } or nil
  local mentions = range and place.mentions(cwd, range) or place.at_cursor(cwd)
  return {
    this = mentions[1] and table.concat(mentions, ' ') or '@this',
    range = range,
    buf = vim.api.nvim_get_current_buf(),
    path = vim.api.nvim_buf_get_name(0),
    filetype = vim.bo.filetype,
    text = text,
  }
end

-- A template that is about diagnostics would say nothing without them.
---@param text string
local function lacks_diagnostics(text)
  return text:find('@diagnostics%f[^%w:]') ~= nil and #vim.diagnostic.get(0) == 0
end

-- A template that is about staged changes would say nothing without them.
---@param text string
---@param go_on fun()
local function unless_nothing_is_staged(text, go_on)
  -- The settings of a repository may name programs.
  local command = { require('acp.paths').program('git') or '', '-c', 'core.fsmonitor=false' }
  vim.list_extend(command, { 'diff', '--cached', '--quiet', '--no-ext-diff', '--no-textconv' })
  local options = { cwd = require('acp.chats').folder() }
  local is_started = text:find('@diff:staged', 1, true)
    and pcall(vim.system, command, options, function(result)
      vim.schedule(function()
        if result.code ~= 0 then
          return go_on()
        end
        require('acp.messages').info('no changes are staged; nothing was sent')
      end)
    end)
  if not is_started then
    go_on()
  end
end

---@param text string
local function put_into_draft(text)
  local lifecycle = require('acp.lifecycle')
  local chat = lifecycle.ensure(nil, function()
    put_into_draft(text)
  end)
  if chat then
    lifecycle.prepare(chat)
    require('acp.chat.prompt.insert').begin(chat, text)
    lifecycle.show(chat)
  end
end

---@param template acp.Template
---@param context acp.TemplateContext
---@return string|nil text
local function text_of(name, template, context)
  if type(template.text) == 'string' then
    return template.text
  end
  local ok, text = pcall(template.text, context)
  if not ok or (text ~= nil and type(text) ~= 'string') then
    local problem = ok and 'it returned no string' or text
    require('acp.messages').error(('prompts.%s failed: %s'):format(name, problem))
    return nil
  end
  return text
end

--- Sends the prompt of a name, with a text of the user below it; with a bang it becomes the draft.
---@param name string
---@param text string
---@param args { range: integer, line1: integer, line2: integer, bang?: boolean }
function M.send(name, text, args)
  local template = require('acp.config').get().prompts[name]
  if not template then
    local message = 'there is no prompt "%s"; use one of: %s'
    return require('acp.messages').warn(message:format(name, table.concat(M.names(), ', ')))
  end
  local context = context_of(args, text)
  local wanted = text_of(name, template, context)
  if not wanted then
    return
  end
  local prompt = require('acp.templates').expand(wanted, context.this)
  if lacks_diagnostics(prompt) then
    return require('acp.messages').info('this buffer has no diagnostics; nothing was sent')
  end
  prompt = text == '' and prompt or prompt .. '\n\n' .. text
  if args.bang then
    return put_into_draft(prompt)
  end
  unless_nothing_is_staged(prompt, function()
    require('acp.commands.send').send(prompt)
  end)
end

local function pick(args)
  local prompts = require('acp.config').get().prompts
  require('acp.dialogs.select').list(M.names(), {
    prompt = 'Prompts',
    kind = 'acp.prompts',
    format_item = function(name)
      return ('%-10s %s'):format(name, prompts[name].desc)
    end,
  }, function(name)
    if name then
      M.send(name, '', args)
    end
  end)
end

---@param args vim.api.keyset.create_user_command.command_args
function M.run(args)
  local name, text = args.args:match('^(%S+)%s*(.*)$')
  if name then
    M.send(name, text, args)
  else
    pick(args)
  end
end

return M
