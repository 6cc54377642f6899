--- The options: their defaults, their types and what the user has set.
local M = {}

---@class acp.Option
---@field [1] string path of the option
---@field [2] any default
---@field [3] string|string[] Lua type, or the values it may have
---@field [4] string description

--- Every option with its default, its type and its description. scripts/docs.lua writes the help from this list.
---@type acp.Option[]
M.options = {
  {
    'agent',
    nil,
    'string',
    'The agent of `:AcpChat` without a name. Unset: the agent used last, apart from the tour, else the first one found on PATH, yours before the built-in ones, else the tour.',
  },
  {
    'agents',
    {},
    'table',
    'Agents by name: `{ command = { "program", "arg" }, env = { NAME = "value" } }` or `{ url = "wss://host/acp" }`, optionally with their own `mcp_servers` and `directories`. Adds to the built-in agents and overrides them key by key. See |acp-agents|.',
  },
  {
    'remember',
    false,
    'boolean or table',
    'Whether new sessions of an agent start with the mode, the model and the options that you chose last for it: `true`, or a list of `mode`, `model` and `options`. See |acp-remembered|.',
  },
  {
    'idle_minutes',
    0,
    'number',
    'Minutes without work after which an agent is ended. Its chat stays, and the next prompt starts it again. 0: agents run until their chat is closed. See |acp-idle|.',
  },
  {
    'modes',
    {},
    'table',
    'The modes that |acp-option-keys.cycle_mode| switches between, by name. Empty: all that the agent offers, except for those in which it asks nothing.',
  },
  {
    'models',
    {},
    'table',
    'Your favourite models, by name: those that |<Plug>(acp-cycle-model)| switches between. Empty: all that the agent offers.',
  },
  {
    'root',
    'cwd',
    { 'cwd', 'git', 'lsp' },
    'The folder of new sessions. `cwd`: the current one. `git`: the root of the repository of the file that you are in. `lsp`: the root that a language server of the file has, else that of the repository.',
  },
  {
    'registry',
    nil,
    'string',
    'A registry of agents: path or https URL of its `registry.json`. Unset: no registry is read. See |acp-registry|.',
  },
  {
    'mcp_servers',
    {},
    'table or string',
    'MCP servers for every agent: a table by name, a list, or the path of a file such as `.mcp.json`. See |acp-mcp|.',
  },
  {
    'directories',
    {},
    'table',
    'Folders that agents may work in, in addition to the current one. `agents.NAME.directories` adds to them.',
  },
  { 'node', 'node', 'string', 'The Node program (version 20 or newer) that runs the host.' },
  {
    'host',
    'own',
    { 'own', 'shared' },
    '`own`: the host is a process of this plugin. `shared`: it runs in the `neovim-node-host` of all Node plugins, after `:UpdateRemotePlugins`.',
  },
  {
    'markdown',
    'own',
    { 'own', 'plugin' },
    '`own`: the chat draws the Markdown of agents. `plugin`: it leaves that to render-markdown.nvim or markview.nvim. Set it before the first chat is opened. See |acp-markdown|.',
  },
  {
    'plain',
    false,
    'boolean',
    'For screen readers: words instead of signs, no virtual text and nothing that changes by itself in the chat. Set it before the first chat is opened. See |acp-plain|.',
  },
  { 'position', 'right', { 'right', 'left', 'top', 'bottom' }, 'Where the chat opens.' },
  {
    'size',
    0.42,
    'number',
    'Width or height of the chat: below 1 a share of the screen, else columns or lines. It applies again when the screen is resized, unless you have resized the chat.',
  },
  {
    'insert',
    true,
    'boolean',
    'Whether `:AcpChat` starts Insert mode when the prompt is empty.',
  },
  {
    'stop_from_insert',
    false,
    'boolean',
    'Whether `keys.cancel` stops the turn in Insert mode too. By default it only leaves Insert mode there, and pressing it again stops the turn.',
  },
  {
    'completion',
    'auto',
    { 'auto', 'manual', 'off' },
    'Completion in the prompt. `auto`: the menu opens by itself while you type a mention or a slash command. `manual`: on a key such as |i_CTRL-X_CTRL-O|. `off`: there is none. See |acp-completion|.',
  },
  {
    'during_turn',
    'queue',
    { 'queue', 'steer' },
    'What the send key does while a turn runs. `queue`: the prompt waits for the end of the turn. `steer`: it is sent into the turn, if the agent can take it. See |acp-queue|.',
  },
  {
    'suggestions',
    true,
    'boolean',
    'Whether the empty prompt shows what the agent suggests as the next prompt. See |acp-suggestions|.',
  },
  {
    'context.file',
    false,
    'boolean',
    'Whether the file that you are in is sent along with each prompt. See |acp-context|.',
  },
  {
    'context.cursor',
    false,
    'boolean',
    'Whether the line of the cursor is sent along with each prompt.',
  },
  {
    'context.selection',
    false,
    'boolean',
    'Whether the lines that you have just selected are sent along with each prompt, instead of the line of the cursor.',
  },
  {
    'prompts',
    {},
    'table',
    'Prompts by name for |:AcpPrompt| and |:AcpFix|: a text, a table with `text` and `desc`, or a function. Adds to the built-in ones and overrides them; false removes one. See |acp-templates|.',
  },
  { 'keys.send', '<CR>', 'string', 'Prompt, Normal mode: send the prompt.' },
  { 'keys.send_insert', '<C-s>', 'string', 'Prompt, Insert mode: send the prompt.' },
  {
    'keys.detach',
    '<BS>',
    'string',
    'Prompt and question window, Normal mode: remove what is sent along, the last one first.',
  },
  { 'keys.ask_close', 'q', 'string', 'Question window, Normal mode: close it; <Esc> does too.' },
  {
    'keys.paste',
    '<M-v>',
    'string',
    'Prompt: take a picture from the clipboard. See |acp-pictures|.',
  },
  {
    'keys.mention',
    '<C-g>m',
    'string',
    'Prompt, while it is offered: replace the lines just pasted with a mention of the place where they were yanked. See |acp-yanked-lines|.',
  },
  {
    'keys.suggestion',
    '<Tab>',
    'string',
    'Prompt, while it is empty and the agent suggests a text: take that text.',
  },
  {
    'keys.queue_send',
    '<CR>',
    'string',
    'Queue, Normal mode: send the prompt under the cursor now.',
  },
  {
    'keys.cycle_mode',
    '<S-Tab>',
    'string',
    'Prompt: change the mode of the session to the next one. While a completion menu is open, the key does what it does without this plugin. See |acp-remembered|.',
  },
  {
    'keys.cancel',
    '<C-c>',
    'string',
    'Chat and prompt: stop the running turn. In Insert mode it leaves that mode, see `stop_from_insert`.',
  },
  {
    'keys.stop_subagent',
    'X',
    'string',
    'Chat: stop the subagent under the cursor; the turn goes on. See |acp-subagents|.',
  },
  {
    'keys.history_previous',
    '<Up>',
    'string',
    'Prompt, first line: the earlier prompt of this folder. See |acp-history|.',
  },
  { 'keys.history_next', '<Down>', 'string', 'Prompt, last line: the later prompt.' },
  { 'keys.toggle', 'za', 'string', 'Chat: expand or collapse the entry under the cursor.' },
  { 'keys.expand', 'zo', 'string', 'Chat: expand the entry under the cursor.' },
  { 'keys.collapse', 'zc', 'string', 'Chat: collapse the entry under the cursor.' },
  { 'keys.expand_all', 'zR', 'string', 'Chat: expand every entry.' },
  { 'keys.collapse_all', 'zM', 'string', 'Chat: collapse every entry.' },
  {
    'keys.open',
    '<CR>',
    'string',
    'Chat: answer the question under the cursor; open the attachment, path, link, change or terminal under the cursor; else expand or collapse the entry.',
  },
  { 'keys.diff', 'gd', 'string', 'Chat: show the change under the cursor side by side.' },
  { 'keys.yank_code', 'gy', 'string', 'Chat: yank the code block under the cursor.' },
  {
    'keys.put_code',
    'gp',
    'string',
    'Chat: put the code block under the cursor into the file that it names. See |acp-code-blocks|.',
  },
  {
    'keys.mine',
    'gm',
    'string',
    'Conflict: take your side of the conflict under the cursor, or of those selected.',
  },
  { 'keys.theirs', 'ga', 'string', 'Conflict: take their side.' },
  { 'keys.both', 'gb', 'string', 'Conflict: take both sides, yours first.' },
  { 'keys.next', ']]', 'string', 'Chat: go to your next prompt.' },
  { 'keys.previous', '[[', 'string', 'Chat: go to your previous prompt.' },
  { 'keys.next_tool', ']t', 'string', 'Chat: go to the next tool call.' },
  { 'keys.previous_tool', '[t', 'string', 'Chat: go to the previous tool call.' },
  {
    'keys.next_question',
    'gw',
    'string',
    'Chat and prompt: go to the next question that waits for you.',
  },
  {
    'keys.quickfix',
    'gq',
    'string',
    'Terminal: put the file positions in the output into the quickfix list, by `errorformat`.',
  },
  {
    'keys.help',
    'g?',
    'string',
    'Every window of the plugin, Normal mode: list its keys and all commands.',
  },
  { 'keys.review_next', ']h', 'string', 'Review: go to the next hunk, also in another file.' },
  { 'keys.review_previous', '[h', 'string', 'Review: go to the previous hunk.' },
  { 'keys.review_keep', 'a', 'string', 'Review: keep the hunk.' },
  { 'keys.review_reject', 'x', 'string', 'Review: reject the hunk.' },
  { 'keys.review_keep_file', 'A', 'string', 'Review: keep the file.' },
  { 'keys.review_reject_file', 'X', 'string', 'Review: reject the file.' },
  { 'keys.review_keep_all', 'gA', 'string', 'Review: keep all changes.' },
  { 'keys.review_reject_all', 'gX', 'string', 'Review: reject all changes.' },
  { 'keys.review_undo', 'u', 'string', 'Review: undo the last decision.' },
  { 'keys.review_open', '<CR>', 'string', 'Review, list of files: show the file.' },
  { 'keys.review_close', 'q', 'string', 'Review: close the review.' },
  {
    'keys.review_prefix',
    '<LocalLeader>',
    'string',
    'Review, in the file itself: the prefix of these keys, except for those that begin with a bracket.',
  },
  { 'keys.sessions_open', '<CR>', 'string', 'List of sessions: open the session.' },
  { 'keys.sessions_rename', 'r', 'string', 'List of sessions: rename the session.' },
  {
    'keys.sessions_close',
    'x',
    'string',
    'List of sessions: close the chat of the session, which is kept.',
  },
  {
    'keys.sessions_delete',
    'D',
    'string',
    'List of sessions: delete the session, after a question.',
  },
  {
    'keys.sessions_fork',
    'F',
    'string',
    'List of sessions: continue in another chat with a copy of the session.',
  },
  { 'keys.sessions_refresh', 'R', 'string', 'List of sessions: read the sessions again.' },
  {
    'sessions',
    'picker',
    { 'picker', 'panel', 'sidebar' },
    'What |:AcpSessions| without a word opens. `picker`: a list to choose from once. `panel`: a list that stays, below all windows. `sidebar`: the same beside them. See |acp-sessions-panel|.',
  },
  {
    'review',
    'split',
    { 'split', 'inline' },
    '`split`: a review shows the file before and after side by side. `inline`: it marks the changes in the file.',
  },
  {
    'question',
    nil,
    { 'select', 'float', 'chat' },
    'What a question opens by itself when you are idle in the empty prompt. `select`: |vim.ui.select()|. `float`: a window with the whole command or change, and a digit for each choice. `chat`: nothing. Unset: `select` if a plugin has replaced |vim.ui.select()|, else `chat`. See |acp-answers|.',
  },
  {
    'pictures',
    'inline',
    { 'inline', 'line' },
    '`inline`: pictures are shown below their line in the chat, if Neovim or a plugin can do that. `line`: only the line is shown. See |acp-pictures|.',
  },
  {
    'strict',
    false,
    'boolean',
    'Whether agents must follow ACP v1 exactly. By default the dialects of older documents are understood too.',
  },
  {
    'proposals',
    false,
    'boolean',
    'Whether agents may also call methods that are only proposed: `fs/list_directory` and `terminal/run`.',
  },
  {
    'follow',
    false,
    'boolean',
    'Whether a window shows the file and line the agent works on. |:AcpFollow| switches it for this Neovim.',
  },
  {
    'on_conflict',
    'ask',
    { 'ask', 'refuse' },
    'What to do when an agent writes lines that you have changed since it read them. `ask`: you choose while it waits. `refuse`: the agent gets an error. See |acp-conflicts|.',
  },
  {
    'permissions',
    {},
    'table',
    'Rules about what agents may do without a question, such as `"allow run npm test *"`. See |acp-permissions|.',
  },
  {
    'format_on_write',
    false,
    'boolean',
    'Whether formatters that run when you save a buffer also run when a change of an agent is saved.',
  },
  {
    'history',
    true,
    'boolean',
    'Whether the prompts that you send are remembered on disk. See |acp-history|.',
  },
  {
    'keep.days',
    30,
    'number',
    'Days after which a conversation that was not continued is deleted, with its checkpoints and attachments. 0: never. See |acp-forget|.',
  },
  {
    'keep.sessions',
    100,
    'number',
    'How many conversations stay whatever their age, the newest ones.',
  },
  {
    'private',
    false,
    'boolean',
    'Whether new sessions are private: nothing of them is kept. See |acp-private|.',
  },
  {
    'worktree',
    false,
    'boolean',
    'Whether |:AcpNew| and |:AcpChat| start new sessions in a git worktree of their own. See |acp-worktrees|.',
  },
  {
    'notify',
    { 'message' },
    'table or boolean',
    'How you are notified when you do not look at a chat: a list of `message`, `bell`, `osc9`, `osc99`, `osc777`, `desktop` and functions, or a table `{ with = list, on = kinds, command = program }`. `false`: not at all. See |acp-notify|.',
  },
  {
    'progress',
    false,
    'boolean',
    'Whether a running turn is a progress message of Neovim 0.12. See |acp-progress|.',
  },
  {
    'log_level',
    'info',
    { 'error', 'warn', 'info', 'debug' },
    'The least severe messages that are logged.',
  },
}

---@type table<string, any>|nil what the user has set, all together
local set_options
---@type table<string, any>|nil
local current
---@type string[] what is wrong with the configured options
local complaints_of_current = {}

-- Writes a value at a dotted path.
local function put(target, path, value)
  local keys = vim.split(path, '.', { plain = true })
  for index = 1, #keys - 1 do
    target[keys[index]] = target[keys[index]] or {}
    target = target[keys[index]]
  end
  target[keys[#keys]] = value
end

---@return table<string, any>
function M.defaults()
  local defaults = {}
  for _, option in ipairs(M.options) do
    put(defaults, option[1], vim.deepcopy(option[2]))
  end
  return defaults
end

---@return string|nil
local function complaint_about(path, value, expected)
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

-- What is wrong with the names in a table of options, such as `keys`.
---@return string[]
local function complaints_about_group(group, value, known)
  if group == 'context' and value == false then
    return {}
  elseif type(value) ~= 'table' then
    local expected = group == 'context' and 'a table or false' or 'a table'
    return { ('%s is %s; expected %s'):format(group, vim.inspect(value), expected) }
  end
  local complaints = {}
  for name in pairs(value) do
    if not known[group .. '.' .. name] then
      local complaint = 'unknown option "%s.%s"; see :help acp-options'
      table.insert(complaints, complaint:format(group, name))
    end
  end
  return complaints
end

local function unknown_options(options, known)
  local complaints = {}
  for key, value in pairs(options) do
    if not known[key] then
      table.insert(complaints, ('unknown option "%s"; see :help acp-options'):format(key))
    elseif key == 'keys' or key == 'context' or key == 'keep' then
      vim.list_extend(complaints, complaints_about_group(key, value, known))
    end
  end
  return complaints
end

-- `remember` as a list.
---@param given boolean|string[]
---@param complaints string[]
---@return string[]
local function parts_to_remember(given, complaints)
  local all = { 'mode', 'model', 'options' }
  if type(given) == 'boolean' then
    return given and all or {}
  end
  return vim.tbl_filter(function(part)
    if vim.list_contains(all, part) then
      return true
    end
    local complaint = 'remember has %s; expected "%s"'
    local expected = table.concat(all, '", "')
    table.insert(complaints, complaint:format(vim.inspect(part), expected))
    return false
  end, vim.tbl_values(given))
end

-- The defaults with the valid options over them, and what is wrong with the others.
---@param options table<string, any>
---@return table<string, any> merged, string[] complaints
local function merge(options)
  local merged, complaints, known = M.defaults(), {}, {}
  for _, option in ipairs(M.options) do
    local path, _, expected = unpack(option)
    known[path] = true
    known[path:match('^[^.]+')] = true
    local value = vim.tbl_get(options, unpack(vim.split(path, '.', { plain = true })))
    local complaint = value ~= nil and complaint_about(path, value, expected)
    if complaint then
      table.insert(complaints, complaint)
    elseif value ~= nil then
      put(merged, path, value)
    end
  end
  local agents, about_agents = require('acp.agents.spec').clean(merged.agents)
  merged.agents = agents
  vim.list_extend(complaints, about_agents)
  local prompts, about_prompts = require('acp.templates').merge(merged.prompts)
  merged.prompts = prompts
  vim.list_extend(complaints, about_prompts)
  merged.remember = parts_to_remember(merged.remember, complaints)
  local notify, about_notify = require('acp.attention.spec').clean(merged.notify)
  merged.notify = notify
  vim.list_extend(complaints, about_notify)
  vim.list_extend(complaints, unknown_options(options, known))
  table.sort(complaints)
  return merged, complaints
end

---@return table<string, any>
local function global_options()
  local global = vim.g.acp
  local options = type(global) == 'function' and global() or global
  return type(options) == 'table' and options or {}
end

---@param value any
---@return boolean
local function is_group(value)
  return type(value) == 'table' and value[1] == nil
end

-- Lists are replaced: what is left of the earlier one would be no choice of anybody.
---@param earlier any
---@param later any
---@return any
local function add(earlier, later)
  if not is_group(earlier) or not is_group(later) then
    return later
  end
  local sum = vim.deepcopy(earlier)
  for name, value in pairs(later) do
    sum[name] = add(sum[name], value)
  end
  return sum
end

--- Adds to the options that were given before, at first to those of |vim.g.acp|. Starts nothing.
---@param options? table<string, any>|false false: begins again with those of |vim.g.acp|
function M.set(options)
  set_options = options ~= false and set_options or global_options()
  set_options = add(set_options, options or {})
  local known = complaints_of_current
  current, complaints_of_current = merge(set_options)
  for _, complaint in ipairs(complaints_of_current) do
    if not vim.list_contains(known, complaint) then
      require('acp.messages').warn(complaint)
    end
  end
end

---@return table<string, any>
function M.get()
  if not current then
    M.set()
  end
  return current
end

---@return string[] what is wrong with the configured options
function M.complaints()
  M.get()
  return complaints_of_current
end

--- The options that the host needs.
---@return table
function M.for_host()
  local options = M.get()
  return {
    log_level = options.log_level,
    shell = vim.o.shell,
    strict = options.strict,
    proposals = options.proposals,
    on_conflict = options.on_conflict,
    history = options.history,
    keep = options.keep,
    permissions = options.permissions,
    idle_minutes = options.idle_minutes,
    remember = options.remember,
    settings_file = require('acp.paths').state('settings.json'),
    modes = options.modes,
    models = options.models,
    markdown = options.markdown,
    plain = options.plain,
    keys = {
      cancel = options.keys.cancel or '',
      next_question = options.keys.next_question or '',
      diff = options.keys.diff or '',
    },
    permission_files = {
      user = vim.fs.joinpath(vim.fn.stdpath('config'), 'acp-permissions'),
      trust = require('acp.paths').state('trusted-permissions.json'),
      audit = require('acp.paths').state('decisions.log'),
    },
    editor_folders = require('acp.paths').editor_folders(),
  }
end

return M
