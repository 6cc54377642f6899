-- Generates the parts of doc/acp.txt that come from the code: `nvim -l scripts/docs.lua`. --check only compares.
local root = vim.fs.dirname(vim.fs.dirname(vim.fn.fnamemodify(arg[0], ':p')))
local file = vim.fs.joinpath(root, 'doc', 'acp.txt')
local width = 78
vim.opt.runtimepath:prepend(root)
vim.cmd.source(vim.fs.joinpath(root, 'plugin', 'acp.lua'))

local function wrap(text, indent)
  local lines, line = {}, ''
  for word in text:gmatch('%S+') do
    if line ~= '' and vim.fn.strdisplaywidth(indent .. line .. ' ' .. word) > width then
      table.insert(lines, indent .. line)
      line = word
    else
      line = line == '' and word or line .. ' ' .. word
    end
  end
  table.insert(lines, indent .. line)
  return lines
end

-- A heading with its help tag on the right.
local function heading(name, tag)
  return name
    .. (' '):rep(math.max(1, width - vim.fn.strdisplaywidth(name) - #tag - 2))
    .. '*'
    .. tag
    .. '*'
end

local function collect(items)
  local lines = {}
  for _, item in ipairs(items) do
    vim.list_extend(lines, item)
  end
  if lines[#lines] ~= '' then
    table.insert(lines, '')
  end
  return lines
end

local function sorted(table_)
  local names = vim.tbl_keys(table_)
  table.sort(names)
  return names
end

-- The tag of the topic that a line belongs to.
---@param line string
---@return string|nil
local function topic_in(line)
  local tag = line:match('%*(acp%-[%w%-%.]+)%*$')
  local is_entry = tag and (vim.startswith(tag, 'acp-option-') or vim.startswith(tag, 'acp-list-'))
  return not is_entry and tag or nil
end

local before = vim.fn.readfile(file)

-- These name many commands and explain none.
local overviews = { ['acp-first-steps'] = true, ['acp-recipes'] = true, ['acp-faq'] = true }

local topics_by_hand = {
  Acp = 'acp-palette',
  AcpAsk = 'acp-from-code',
  AcpCancel = 'acp-chat',
  AcpClose = 'acp-sessions',
  AcpNew = 'acp-sessions',
  AcpRestart = 'acp-commands',
  AcpSend = 'acp-from-code',
  AcpWorktree = 'acp-worktrees',
}

---@return table<string, true>
local function all_topics()
  local topics = {}
  for _, line in ipairs(before) do
    topics[topic_in(line) or ''] = true
  end
  return topics
end

-- The topic with the name of a command, else the one that names it most often.
---@return table<string, string> topics by command
local function topics_of_commands()
  local counts, order, topic = {}, {}, nil
  for _, line in ipairs(before) do
    local is_list = line:find('%*acp%-list%-') ~= nil
    topic = not is_list and (topic_in(line) or topic) or nil
    for name in line:gmatch(':(Acp%a+)') do
      if topic and not overviews[topic] then
        counts[name] = counts[name] or {}
        counts[name][topic] = (counts[name][topic] or 0) + 1
        order[topic] = order[topic] or vim.tbl_count(order)
      end
    end
  end
  local result, existing = {}, all_topics()
  for name, by_topic in pairs(counts) do
    local own = 'acp-' .. name:sub(4):lower()
    local topics = vim.tbl_keys(by_topic)
    table.sort(topics, function(one, other)
      if by_topic[one] ~= by_topic[other] then
        return by_topic[one] > by_topic[other]
      end
      return order[one] < order[other]
    end)
    result[name] = existing[own] and own or topics[1]
  end
  return result
end

local sections = {}

function sections.options()
  return collect(vim.tbl_map(function(option)
    local path, default, expected, text = unpack(option)
    local kind = type(expected) == 'table' and '"' .. table.concat(expected, '", "') .. '"'
      or expected
    local shown = default == nil and 'unset' or vim.inspect(default)
    local lines = { heading(path, 'acp-option-' .. path) }
    table.insert(lines, ('    %s, default %s'):format(kind, shown))
    vim.list_extend(lines, wrap(text, '    '))
    return vim.list_extend(lines, { '' })
  end, require('acp.config').options))
end

-- Neovim knows how many arguments a command takes, but not their names.
local arguments = {
  Acp = '[command]',
  AcpAdd = '[mention]',
  AcpChat = '[agent]',
  AcpCommit = '[text]',
  AcpExport = '[file]',
  AcpExplain = '[text]',
  AcpFix = '[text]',
  AcpForget = '[what]',
  AcpPrivate = '[agent]',
  AcpPrompt = '[name] [text]',
  AcpTest = '[text]',
  AcpMode = '[mode]',
  AcpModel = '[model]',
  AcpNew = '[agent]',
  AcpOption = '[option] [value]',
  AcpPermissions = '[what]',
  AcpQueue = '[action]',
  AcpRecord = '[file]',
  AcpRename = '[title]',
  AcpRestore = '[undo]',
  AcpReview = '[what or file]',
  AcpRun = '{command}',
  AcpHistory = '[words]',
  AcpSearch = '{words}',
  AcpSend = '[text]',
  AcpSessions = '[action or title]',
  AcpSteer = '[text]',
  AcpTerminals = '[action]',
}

local function argument_of(command, nargs)
  if nargs == '0' then
    return ''
  end
  local argument = arguments[command]
  return ' ' .. assert(argument, ('name the argument of :%s in scripts/docs.lua'):format(command))
end

-- What to type, and why. A command that takes the rest of the line as text can't be followed by a comment.
local examples = {
  Acp = { { ':Acp' }, { ':Acp chat claude' } },
  AcpAdd = { { ':AcpAdd' }, { ':AcpAdd @diagnostics' }, { ":'<,'>AcpAdd!" } },
  AcpAgents = { { ':AcpAgents', 'try or install another agent' } },
  AcpAnswer = { { ':AcpAnswer', 'from any window' } },
  AcpAsk = { { ":'<,'>AcpAsk", 'what does this do?' } },
  AcpCancel = { { ':AcpCancel', 'it is on the wrong track' } },
  AcpChat = { { ':AcpChat claude' }, { ':AcpChat!', 'hide it, and show it again' } },
  AcpClose = { { ':AcpClose', 'done; :AcpSessions brings it back' } },
  AcpCommit = { { ':AcpCommit in one line' } },
  AcpExplain = { { ":'<,'>AcpExplain in two sentences" } },
  AcpExport = { { ':AcpExport' }, { ':AcpExport! notes/login.md' } },
  AcpFix = { { ':AcpFix' }, { ":'<,'>AcpFix without new dependencies" } },
  AcpFollow = { { ':vsplit | AcpFollow', 'watch it in a window of its own' } },
  AcpForget = { { ':AcpForget folder' } },
  AcpFork = { { ':AcpFork', 'try another way, and keep this one' } },
  AcpHistory = { { ':AcpHistory login redirect' } },
  AcpInbox = { { ':AcpInbox', 'questions, ended turns, changes' } },
  AcpLog = { { ':AcpLog', 'why did the agent exit?' } },
  AcpLogin = { { ':AcpLogin' } },
  AcpLogout = { { ':AcpLogout', 'to log in as somebody else' } },
  AcpMode = { { ':AcpMode plan' } },
  AcpModel = { { ':AcpModel opus' } },
  AcpNew = { { ':AcpNew gemini' }, { ':AcpNew!', 'work beside your own changes' } },
  AcpOption = { { ':AcpOption effort high' } },
  AcpPaste = { { ':AcpPaste', 'a screenshot' } },
  AcpPermissions = { { ':AcpPermissions try git push' }, { ':AcpPermissions add allow run make' } },
  AcpPlan = { { ':AcpPlan', 'keep it in sight in a long turn' } },
  AcpPrivate = { { ':AcpPrivate claude' } },
  AcpPrompt = { { ':AcpPrompt review' }, { ":'<,'>AcpPrompt! explain" } },
  AcpQueue = { { ':AcpQueue', 'edit it, then :w' }, { ':AcpQueue now' } },
  AcpRecord = { { ':AcpRecord ~/bug.jsonl' }, { ':AcpRecord!', 'enough' } },
  AcpRename = { { ':AcpRename Redirect after login' } },
  AcpReport = { { ':AcpReport', 'read it before you give it away' } },
  AcpRestart = { { ':AcpRestart', 'the agent hangs' } },
  AcpRestore = { { ':AcpRestore', 'choose a prompt' }, { ':AcpRestore undo' } },
  AcpRetry = { { ':AcpRetry', 'after an error of the model' } },
  AcpReview = { { ':AcpReview' }, { ':AcpReview turn', 'only the last turn' } },
  AcpRun = { { ':AcpRun npm test -- --watch=false' } },
  AcpSearch = { { ':AcpSearch redirect agent:claude since:2026-11-01' } },
  AcpSend = { { ':AcpSend Run the tests.' }, { ":'<,'>AcpSend What does this do?" } },
  AcpSessions = { { ':AcpSessions panel' }, { ':AcpSessions!', 'those of other folders, too' } },
  AcpSteer = { { ':AcpSteer Leave the tests as they are.' } },
  AcpTerminals = { { ':AcpTerminals kill' } },
  AcpTest = { { ':AcpTest' }, { ":'<,'>AcpTest with an empty list" } },
  AcpTraffic = { { ':AcpTraffic', 'what does the agent really send?' } },
  AcpWhy = { { ':AcpWhy', 'why was I not asked?' } },
  AcpWorktree = { { ':AcpWorktree', 'merge it, or remove it' } },
}

---@param command string
---@return string[]
local function example_of(command)
  local known =
    assert(examples[command], ('give an example of :%s in scripts/docs.lua'):format(command))
  return vim.tbl_map(function(example)
    local typed, reason = unpack(example)
    return '        ' .. (reason and ('%-26s " %s'):format(typed, reason) or typed)
  end, known)
end

function sections.commands()
  local commands = vim.api.nvim_get_commands({})
  local names = vim.tbl_filter(function(name)
    return vim.startswith(name, 'Acp')
  end, sorted(commands))
  local topics = topics_of_commands()
  return collect(vim.tbl_map(function(name)
    local command = commands[name]
    local topic = topics_by_hand[name] or topics[name]
    local see = topic and (' See |%s|.'):format(topic) or ''
    local range = command.range and '[range]' or ''
    local bang = command.bang and '[!]' or ''
    local form = (':%s%s%s%s'):format(range, name, bang, argument_of(name, command.nargs))
    local lines = { heading(form, ':' .. name) }
    vim.list_extend(lines, wrap(command.definition .. '.' .. see .. ' >vim', '    '))
    return vim.list_extend(vim.list_extend(lines, example_of(name)), { '<' })
  end, names))
end

---@param group acp.HighlightGroup
---@return string|nil
local function colours_of(group)
  return group.link and 'links to ' .. group.link
    or group.from and 'colours of ' .. group.from
    or group.line and 'colour of ' .. group.line .. ', if it can be seen'
    or group.behind and 'background of ' .. group.behind .. ', weakened'
    or group.tint and 'from the colours of Normal'
    or group.ansi and ('g:terminal_color_%d, or a default colour'):format(group.ansi)
    or nil
end

function sections.highlights()
  local groups = require('acp.ui.highlight').groups
  return collect(vim.tbl_map(function(name)
    local group = groups[name]
    local style = group.bold and 'bold' or group.italic and 'italic' or nil
    local colours = colours_of(group)
    local look = table.concat(
      vim.tbl_filter(function(part)
        return part ~= nil
      end, { colours or style, colours and style }),
      ', '
    )
    return vim.list_extend({ name }, wrap(('%s (%s)'):format(group.desc, look), '    '))
  end, sorted(groups)))
end

function sections.agents()
  return collect(vim.tbl_map(function(agent)
    local indent = (' '):rep(11)
    local lines = { ('%-10s %s'):format(agent.name, agent.install or 'comes with the plugin') }
    if agent.node then
      table.insert(lines, ('%sNeeds Node %s or newer.'):format(indent, agent.node))
    end
    if agent.login then
      vim.list_extend(lines, wrap('Log in: ' .. agent.login, indent))
    end
    return vim.list_extend(lines, agent.notes and wrap(agent.notes, indent) or {})
  end, require('acp.agents').list()))
end

function sections.runfiles()
  local text =
    table.concat(vim.fn.readfile(vim.fs.joinpath(root, 'src', 'model', 'run-files.json')))
  return collect(vim.tbl_map(function(group)
    local names = vim.tbl_map(function(name)
      return ('`%s`'):format(name)
    end, group.files)
    local lines = wrap(group.name .. ': ' .. table.concat(names, ', '), '  ')
    lines[1] = '- ' .. vim.trim(lines[1])
    return lines
  end, vim.json.decode(text).groups))
end

-- The topics of each chapter, by the tag of the chapter.
---@param lines string[]
---@return table<string, string[]>
local function topics_of_chapters(lines)
  local topics, chapter = {}, nil
  for index, line in ipairs(lines) do
    local tag = topic_in(line)
    if vim.startswith(lines[index - 1] or '', '====') then
      chapter = tag
      topics[tag or ''] = {}
    elseif chapter and tag then
      table.insert(topics[chapter], ('|%s|'):format(tag))
    end
  end
  return topics
end

-- The contents are the lines before the first chapter that name one. Below each are its topics.
local function fill_contents(lines)
  local topics, result, is_contents = topics_of_chapters(lines), {}, true
  for _, line in ipairs(lines) do
    is_contents = is_contents and not vim.startswith(line, '====')
    local chapter = is_contents and line:match('^%d+%. .*%.%. |(acp%-[%w%-]+)|$')
    if not (is_contents and line:find('^    +|acp%-')) then
      table.insert(result, line)
    end
    if chapter and topics[chapter] and #topics[chapter] > 0 then
      vim.list_extend(result, wrap(table.concat(topics[chapter], ' '), '    '))
    end
  end
  return result
end

-- A generated list lies between the line with its tag and the next topic, or the end of its chapter.
local function fill(lines)
  local result, is_stale = {}, false
  for _, line in ipairs(lines) do
    if is_stale and (vim.startswith(line, '====') or topic_in(line)) then
      is_stale = false
    end
    if not is_stale then
      table.insert(result, line)
    end
    local name = line:match('^ *%*acp%-list%-(%l+)%*$')
    if name then
      vim.list_extend(result, sections[name]())
      is_stale = true
    end
  end
  return result
end

-- Where the text of a line begins that goes on in the next line: behind a bullet, or in the second column of a table.
---@param line string
---@return integer
local function text_column(line)
  local _, bullet = line:find('^ *%- ')
  local _, cell = line:find('^ +%S.-   *')
  return bullet or (cell and cell > 12 and cell) or #line:match('^ *')
end

-- The words of a line that is too long move to the next line of its paragraph.
---@param lines string[]
---@return string[]
local function wrap_prose(lines)
  local result, is_example, index = {}, false, 0
  lines = vim.list_slice(lines)
  while index < #lines do
    index = index + 1
    local line = lines[index]
    is_example = is_example and not line:find('^<') and not line:find('^%S')
    local is_prose = not is_example and not line:find('%*%S+%*$')
    is_example = is_example or line:find('^>%l*$') ~= nil or line:find(' >%l*$') ~= nil
    while is_prose and vim.fn.strdisplaywidth(line) > width do
      local rest, word = line:match('^(.*%S) +(%S+)$')
      local next_line = lines[index + 1] or ''
      local column = text_column(line)
      local indent = #next_line:match('^ *')
      local goes_on = next_line:find('%S')
        and not next_line:find('^ *%- ')
        and not next_line:find('^[<>]')
      if goes_on and indent == column and not next_line:find('%*%S+%*$') then
        lines[index + 1] = (' '):rep(indent) .. word .. ' ' .. vim.trim(next_line)
      else
        table.insert(lines, index + 1, (' '):rep(column) .. word)
      end
      line = rest
    end
    table.insert(result, line)
  end
  return result
end

local after = fill_contents(wrap_prose(fill(before)))
if vim.deep_equal(before, after) then
  return
end
if vim.list_contains(arg, '--check') then
  io.stderr:write('doc/acp.txt is out of date: run nvim -l scripts/docs.lua\n')
  os.exit(1)
end
vim.fn.writefile(after, file)
