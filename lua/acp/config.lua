local M = {}

---@class acp.Option
---@field [1] string path of the option
---@field [2] any default
---@field [3] string|string[] Lua type, or the values it may have
---@field [4] string description

--- Every option, its default, what it may be and what it is for. The help is made from this list.
---@type acp.Option[]
M.options = {
  {
    'agent',
    nil,
    'string',
    'The agent of `:AcpChat` without a name. Unset: the one used last, else the first found on PATH, else the tour.',
  },
  {
    'agents',
    {},
    'table',
    'Agents by name: `{ command = { "program", "arg" }, env = { NAME = "value" } }`, or `{ url = "wss://host/acp" }`, and with `mcp_servers` and `directories` of their own if need be. Adds to the built-in ones and overrides them key by key. See |acp-agents|.',
  },
  {
    'registry',
    nil,
    'string',
    'A registry of agents, a path or https url of its `registry.json`. Unset: none is read. See |acp-registry|.',
  },
  {
    'mcp_servers',
    {},
    'table or string',
    'MCP servers for every agent, by name or in a list, or a file such as `.mcp.json`. See |acp-mcp|.',
  },
  {
    'directories',
    {},
    'table',
    'Folders that agents may work in besides the current one. `agents.NAME.directories` adds to them.',
  },
  { 'node', 'node', 'string', 'The Node program (version 20 or newer) that runs the host.' },
  {
    'host',
    'own',
    { 'own', 'shared' },
    '`own`: a process of our own. `shared`: the `neovim-node-host` of all Node plugins, after `:UpdateRemotePlugins`.',
  },
  { 'position', 'right', { 'right', 'left', 'top', 'bottom' }, 'Where the chat opens.' },
  {
    'size',
    0.42,
    'number',
    'Its width or height: a part of the screen below 1, else columns or lines.',
  },
  {
    'insert',
    true,
    'boolean',
    'Whether `:AcpChat` goes into the prompt in Insert mode when it is empty.',
  },
  { 'keys.send', '<CR>', 'string', 'Prompt, Normal mode: send.' },
  { 'keys.send_insert', '<C-s>', 'string', 'Prompt, Insert mode: send.' },
  { 'keys.cancel', '<C-c>', 'string', 'Chat and prompt: stop the running turn.' },
  { 'keys.toggle', 'za', 'string', 'Chat: open or close what is under the cursor.' },
  {
    'keys.open',
    '<CR>',
    'string',
    'Chat: to the file of the change or the terminal of the command under the cursor; on a question that waits, answer it; else open or close.',
  },
  { 'keys.diff', 'gd', 'string', 'Chat: compare the change under the cursor side by side.' },
  { 'keys.mine', 'gm', 'string', 'Conflict: take yours, of the one under the cursor or selected.' },
  { 'keys.theirs', 'ga', 'string', 'Conflict: take theirs.' },
  { 'keys.both', 'gb', 'string', 'Conflict: take both, yours first.' },
  { 'keys.next', ']]', 'string', 'Chat: to the next prompt of yours.' },
  { 'keys.previous', '[[', 'string', 'Chat: to the previous prompt of yours.' },
  {
    'keys.quickfix',
    'gq',
    'string',
    'Terminal of a command: send the output through `errorformat` to the quickfix list.',
  },
  { 'keys.help', 'g?', 'string', 'Chat and prompt: show the keys.' },
  { 'keys.review_next', ']h', 'string', 'Review: to the next hunk, in whatever file.' },
  { 'keys.review_previous', '[h', 'string', 'Review: to the hunk before.' },
  { 'keys.review_keep', 'a', 'string', 'Review: keep the hunk.' },
  { 'keys.review_reject', 'x', 'string', 'Review: reject the hunk.' },
  { 'keys.review_keep_file', 'A', 'string', 'Review: keep the file.' },
  { 'keys.review_reject_file', 'X', 'string', 'Review: reject the file.' },
  { 'keys.review_keep_all', 'gA', 'string', 'Review: keep all.' },
  { 'keys.review_reject_all', 'gX', 'string', 'Review: reject all.' },
  { 'keys.review_undo', 'u', 'string', 'Review: take the last of these back.' },
  { 'keys.review_open', '<CR>', 'string', 'Review, list: show the file.' },
  { 'keys.review_close', 'q', 'string', 'Review: close it.' },
  {
    'keys.review_prefix',
    '<LocalLeader>',
    'string',
    'Review, in the file itself: what to type before these keys, but for those that begin with a bracket.',
  },
  {
    'review',
    'split',
    { 'split', 'inline' },
    '`split`: a review shows what a file was beside what it is. `inline`: it marks the changes in the file.',
  },
  {
    'strict',
    false,
    'boolean',
    'Whether agents must speak ACP v1 to the letter. Else the dialects of older documents are understood too.',
  },
  {
    'proposals',
    false,
    'boolean',
    'Whether methods that were only proposed are served too: `fs/list_directory` and `terminal/run`.',
  },
  {
    'follow',
    false,
    'boolean',
    'Whether a window follows the file and line the agent works on. |:AcpFollow| says so for now.',
  },
  {
    'on_conflict',
    'ask',
    { 'ask', 'refuse' },
    'When an agent writes over lines that you have changed and it has not seen: let you choose while it waits, or answer it with an error. See |acp-conflicts|.',
  },
  {
    'format_on_write',
    false,
    'boolean',
    "Whether what formats a buffer when you save it also does when an agent's change is saved.",
  },
  { 'log_level', 'info', { 'error', 'warn', 'info', 'debug' }, 'How much is logged.' },
}

---@type table<string, any>|nil
local current
---@type string[] what was wrong with the options that are in force
local complaints_of_current = {}

---@return table<string, any>
function M.defaults()
  local defaults = {}
  for _, option in ipairs(M.options) do
    M.put(defaults, option[1], vim.deepcopy(option[2]))
  end
  return defaults
end

--- Writes a value at a dotted path.
function M.put(target, path, value)
  local keys = vim.split(path, '.', { plain = true })
  for index = 1, #keys - 1 do
    target[keys[index]] = target[keys[index]] or {}
    target = target[keys[index]]
  end
  target[keys[#keys]] = value
end

--- Stores the options; nothing is started. Works without: |vim.g.acp| is read at first use.
---@param options? table<string, any>
function M.set(options)
  current, complaints_of_current = M.merge(options or {})
  for _, complaint in ipairs(complaints_of_current) do
    require('acp.notice').say(complaint, vim.log.levels.WARN)
  end
end

---@return string[]
function M.complaints()
  M.get()
  return complaints_of_current
end

---@return table<string, any>
function M.get()
  if not current then
    local global = vim.g.acp
    M.set(type(global) == 'function' and global() or global)
  end
  return current
end

--- The defaults with the good ones of the options over them, and what was wrong with the others.
---@param options table<string, any>
---@return table<string, any> merged, string[] complaints
function M.merge(options)
  local merged, complaints, known = M.defaults(), {}, {}
  for _, option in ipairs(M.options) do
    local path, _, expected = unpack(option)
    known[path] = true
    known[path:match('^[^.]+')] = true
    local value = vim.tbl_get(options, unpack(vim.split(path, '.', { plain = true })))
    local complaint = value ~= nil and M.complaint(path, value, expected)
    if complaint then
      table.insert(complaints, complaint)
    elseif value ~= nil then
      M.put(merged, path, value)
    end
  end
  local agents, about_agents = require('acp.agent_spec').clean(merged.agents)
  merged.agents = agents
  vim.list_extend(complaints, about_agents)
  vim.list_extend(complaints, M.unknown(options, known))
  table.sort(complaints)
  return merged, complaints
end

---@return string|nil
function M.complaint(path, value, expected)
  if type(expected) == 'table' then
    if not vim.list_contains(expected, value) then
      local choices = table.concat(expected, '", "')
      return ('%s is %s; expected one of "%s"'):format(path, vim.inspect(value), choices)
    end
  elseif
    not vim.list_contains(vim.split(expected, ' or '), type(value))
    and not (vim.startswith(path, 'keys.') and value == false)
  then
    return ('%s is %s; expected a %s'):format(path, vim.inspect(value), expected)
  end
end

function M.unknown(options, known)
  local complaints = {}
  for key, value in pairs(options) do
    if not known[key] then
      table.insert(complaints, ('there is no option "%s"; see :help acp-options'):format(key))
    elseif key == 'keys' and type(value) ~= 'table' then
      table.insert(complaints, ('keys is %s; expected a table'):format(vim.inspect(value)))
    elseif key == 'keys' then
      for name in pairs(value) do
        if not known['keys.' .. name] then
          local complaint = 'there is no option "keys.%s"; see :help acp-options'
          table.insert(complaints, complaint:format(name))
        end
      end
    end
  end
  return complaints
end

return M
