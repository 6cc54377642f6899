-- lazy.nvim and vim.pack run this file after installing or updating the plugin; `nvim -l build.lua` does it by hand.
-- A release contains the bundles. There it only installs node-pty, and only if npm is there.
local root = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
local oldest_node = 20

-- lazy.nvim runs it in a coroutine. LuaJIT may report the main thread too, as Lua 5.2 does.
local function is_in_coroutine()
  local thread, is_main = coroutine.running()
  return thread ~= nil and not is_main
end

local function show(message)
  if is_in_coroutine() then
    coroutine.yield(message)
  elseif #vim.api.nvim_list_uis() > 0 then
    -- Two lines of messages, or one that does not fit, would wait for a key.
    vim.cmd.redraw()
    vim.api.nvim_echo({ { ('acp.nvim: ' .. message):sub(1, vim.o.columns - 13) } }, true, {})
  else
    io.stderr:write(message .. '\n')
  end
end

-- Runs a command and shows its output line by line, without blocking Neovim.
local function run(command)
  local lines, done = {}, nil
  local function collect(_, data)
    for line in (data or ''):gmatch('[^\n]+') do
      table.insert(lines, line)
    end
  end
  local options = { cwd = root, text = true, stdout = collect, stderr = collect }
  local started, failure = pcall(vim.system, command, options, function(result)
    done = result
  end)
  if not started then
    return { code = 127, output = tostring(failure) }
  end
  local shown = 0
  while not done or shown < #lines do
    if shown < #lines then
      shown = shown + 1
      show(lines[shown])
    elseif is_in_coroutine() then
      coroutine.yield()
    else
      vim.wait(20)
    end
  end
  return { code = done.code, output = table.concat(lines, '\n') }
end

local function need(program, advice)
  if vim.fn.executable(program) == 0 then
    error(('acp.nvim: %s was not found. %s'):format(program, advice), 0)
  end
end

local function check_node()
  local advice = ('Install Node %d or newer, then build again.'):format(oldest_node)
  need('node', advice)
  need('npm', advice)
  local version = run({ 'node', '--version' }).output
  local major = tonumber(version:match('v(%d+)'))
  if not major or major < oldest_node then
    error(('acp.nvim: node is %s. %s'):format(version, advice), 0)
  end
end

local function step(title, command)
  show(title)
  local result = run(command)
  if result.code ~= 0 then
    local what = table.concat(command, ' ')
    error(('acp.nvim: "%s" failed in %s:\n%s'):format(what, root, result.output), 0)
  end
end

local function build()
  check_node()
  step('Installing packages', { 'npm', 'ci', '--omit=dev', '--no-audit', '--no-fund' })
  step('Building the host', { 'node', 'scripts/build.mjs' })
end

local function is_release()
  return vim.uv.fs_stat(vim.fs.joinpath(root, 'scripts')) == nil
end

-- Only terminals need node-pty, so a failure is no reason to stop.
local function add_terminals()
  local command = { 'npm', 'install', '--no-audit', '--no-fund', '--no-package-lock' }
  if vim.fn.executable('npm') == 0 then
    show('npm was not found, so there are no terminals: see :checkhealth acp')
  elseif not pcall(step, 'Installing node-pty for terminals', command) then
    show('node-pty could not be installed, so there are no terminals: see :checkhealth acp')
  end
end

if is_release() then
  add_terminals()
else
  build()
end
show('Done')
