--- A language server without a process, for the prompt and the transcript: completion, an outline and hover. Every
--- completion engine and outline plugin of the user works with it.
local M = {}

local api = vim.api
local name = 'acp'

local capabilities = {
  completionProvider = {
    triggerCharacters = { '@', '/', ':', '.', '-', '"' },
    resolveProvider = true,
  },
  documentSymbolProvider = true,
  hoverProvider = true,
  -- The handlers read the buffers.
  textDocumentSync = { openClose = false, change = 0 },
}

---@alias acp.lsp.Reply fun(result: any, deliver?: fun(run: fun()))

---@type table<string, fun(params: table, reply: acp.lsp.Reply)>
local handlers = {
  ['shutdown'] = function(_, reply)
    reply(nil)
  end,
  ['textDocument/completion'] = function(params, reply)
    require('acp.lsp.completion').complete(params, reply)
  end,
  ['completionItem/resolve'] = function(item, reply)
    require('acp.lsp.completion').resolve(item, reply)
  end,
  ['textDocument/documentSymbol'] = function(params, reply)
    require('acp.lsp.transcript').symbols(params, reply)
  end,
  ['textDocument/hover'] = function(params, reply)
    if not require('acp.lsp.completion').hover(params, reply) then
      require('acp.lsp.transcript').hover(params, reply)
    end
  end,
}

-- What |vim.lsp.start()| takes in place of a process.
---@param dispatchers table
local function server(dispatchers)
  local is_closing, last_id = false, 0
  ---@type table<integer, true>
  local cancelled = {}
  local function exit()
    if not is_closing then
      is_closing = true
      vim.schedule(function()
        dispatchers.on_exit(0, 0)
      end)
    end
  end
  return {
    request = function(method, params, callback, on_reply)
      last_id = last_id + 1
      local id = last_id
      -- The client knows the request only after this function has returned.
      local reply = vim.schedule_wrap(function(result, deliver)
        if on_reply then
          on_reply(id)
        end
        local is_cancelled = cancelled[id]
        cancelled[id] = nil
        local function run()
          callback(nil, result)
        end
        if is_cancelled then
          return
        elseif deliver then
          return deliver(run)
        end
        run()
      end)
      -- cmp-nvim-lsp looks for servers when Insert mode begins, so this one must be ready then.
      if method == 'initialize' then
        callback(nil, { capabilities = capabilities, serverInfo = { name = name } })
        return true, id
      end
      local handler = handlers[method]
      if handler then
        handler(params, reply)
      else
        reply(nil)
      end
      return true, id
    end,
    notify = function(method, params)
      if method == 'exit' then
        exit()
      elseif method == '$/cancelRequest' then
        cancelled[params.id] = true
      end
      return true
    end,
    is_closing = function()
      return is_closing
    end,
    terminate = exit,
  }
end

-- Neovim can't load its language client if it can't create the folder of its log.
local function is_available()
  return (pcall(require, 'vim.lsp'))
end

local function is_usable(client)
  return client.name == name and not client.is_stopped(client)
end

---@param buf integer
---@return boolean
local function is_attached(buf)
  return vim.iter(vim.lsp.get_clients({ bufnr = buf, name = name })):any(is_usable)
end

-- The names of kinds, such as "Keyword", say nothing about mentions, and the menu has little room at the edge of the
-- screen. Engines with icons still get the kinds.
local function without_kind()
  return { kind = '' }
end

-- Neovim 0.10 has no vim.lsp.completion.
local function on_attach(client, buf)
  local _, part = require('acp.chats').of(buf)
  if part ~= 'prompt' and part ~= 'ask' then
    return
  elseif vim.lsp.completion then
    vim.lsp.completion.enable(true, client.id, buf, { convert = without_kind })
  end
  require('acp.lsp.trigger').attached(buf)
end

-- Neovim 0.11 has this key everywhere.
local function map_outline(buf)
  if vim.fn.has('nvim-0.11') == 0 and vim.fn.maparg('gO', 'n') == '' then
    vim.keymap.set('n', 'gO', function()
      vim.lsp.buf.document_symbol()
    end, { buffer = buf, desc = 'acp: outline' })
  end
end

-- Neovim maps the key to its own hover when a server is attached, unless it is mapped.
---@param buf integer
---@param desc string
---@param show fun()
local function map_hover(buf, desc, show)
  local is_free = api.nvim_buf_call(buf, function()
    return vim.fn.maparg('K', 'n') == ''
  end)
  if is_free then
    vim.keymap.set('n', 'K', show, { buffer = buf, desc = 'acp: ' .. desc })
  end
end

local function show_mention()
  require('acp.lsp.hover').show()
end

-- A user may replace the function of Neovim at any time.
local function show_entry()
  vim.lsp.buf.hover()
end

---@param buf integer
local function set_up_prompt(buf)
  -- With 'autocomplete' Neovim would insert the first item of a language server as soon as it has answered.
  if vim.fn.exists('+autocomplete') == 1 and require('acp.config').get().completion == 'auto' then
    vim.bo[buf].autocomplete = false
  end
  if not vim.lsp.completion then
    vim.bo[buf].omnifunc = "v:lua.require'acp.lsp.omnifunc'.complete"
  end
  require('acp.lsp.trigger').watch(buf)
end

--- Attaches the server to a buffer of a chat, unless it is attached. The user or a plugin may have stopped it.
---@param buf integer
function M.attach(buf)
  local chat, part = require('acp.chats').of(buf)
  local mode = require('acp.config').get().completion
  if not chat or not api.nvim_buf_is_loaded(buf) or not is_available() or is_attached(buf) then
    return
  end
  local is_prompt = part == 'prompt' or part == 'ask'
  if part ~= 'buf' and (not is_prompt or mode == 'off') then
    return
  end
  if is_prompt then
    map_hover(buf, 'show what the mention refers to', show_mention)
  else
    map_hover(buf, 'show the whole of what is shortened', show_entry)
  end
  local client = vim.lsp.start(
    { name = name, cmd = server, on_attach = on_attach },
    { bufnr = buf, reuse_client = is_usable }
  )
  if not client then
    return
  elseif is_prompt then
    set_up_prompt(buf)
  else
    map_outline(buf)
  end
end

-- Loading Neovim's language client takes 10 ms, so the windows are drawn first. cmp-nvim-lsp looks for servers when
-- Insert mode begins.
---@param buf integer
local function attach_soon(buf)
  if package.loaded['vim.lsp'] or package.loaded['cmp_nvim_lsp'] then
    return M.attach(buf)
  end
  vim.schedule(function()
    M.attach(buf)
  end)
end

local is_set_up = false

--- Attaches the server to the buffers of all chats, now and later.
function M.set_up()
  if is_set_up then
    return
  end
  is_set_up = true
  local group = api.nvim_create_augroup('acp.lsp', {})
  api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = { 'acp', 'acp-prompt' },
    callback = function(event)
      attach_soon(event.buf)
    end,
  })
  api.nvim_create_autocmd({ 'BufEnter', 'InsertEnter' }, {
    group = group,
    pattern = 'acp://*',
    callback = function(event)
      attach_soon(event.buf)
      if event.event == 'InsertEnter' then
        require('acp.lsp.completion').prepare(event.buf)
      end
    end,
  })
end

return M
