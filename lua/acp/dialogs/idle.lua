--- Waits until the user is idle: in Normal mode, without a key press for a while.
local M = {}

--- Milliseconds without a key before a question opens by itself. Tests set it.
M.quiet_ms = 1000

local namespace = vim.api.nvim_create_namespace('acp.dialogs.idle')
local watchers, next_id = 0, 1
local last_key = 0

-- A key that was typed while Neovim was busy comes after what Neovim was busy with, but the user had not seen that yet.
local tick_ms, ticks_without_use = 50, 40
local ticker, ticks_left = nil, 0
local counted, counted_at = 0, vim.uv.hrtime() / 1e6

---@param most number
local function count(most)
  local at = vim.uv.hrtime() / 1e6
  counted = counted + math.min(at - counted_at, most)
  counted_at = at
end

local function tick()
  count(2 * tick_ms)
  ticks_left = ticks_left - 1
  if ticks_left <= 0 and ticker then
    ticker:stop()
  end
end

-- Scheduled: a timer also fires while Neovim waits for |system()|, and then no key is read. A prompt such as that of
-- |inputlist()| reads keys and runs nothing that is scheduled.
local tick_soon = vim.schedule_wrap(tick)
local function on_timer()
  local run = vim.api.nvim_get_mode().blocking and tick or tick_soon
  run()
end

--- The time in which Neovim could read keys and draw. Two seconds after the last call, all of the time counts again.
---@return number milliseconds
function M.now()
  ticker = ticker or vim.uv.new_timer()
  if ticker:is_active() then
    count(2 * tick_ms)
  else
    count(math.huge)
    ticker:start(tick_ms, tick_ms, on_timer)
  end
  ticks_left = ticks_without_use
  return counted
end

--- Records the time of key presses until the returned function is called. It costs time at every key, so it is on only
--- while needed.
---@return fun() stop
function M.watch()
  watchers = watchers + 1
  if watchers == 1 then
    vim.on_key(function()
      last_key = M.now()
    end, namespace)
  end
  local is_over = false
  return function()
    watchers = is_over and watchers or watchers - 1
    is_over = true
    if watchers == 0 then
      vim.on_key(nil, namespace)
    end
  end
end

--- Checks again whoever waits when the screen returns, as if a key had been pressed then.
function M.watch_screen()
  require('acp.screen').on_return(function()
    last_key = M.now()
    M.check_again()
  end)
end

--- Whether the user is in plain Normal mode: no pending operator, no macro, no command-line window, and a screen:
--- Neovim 0.12 crashes if the screen returns in a prompt such as that of |inputlist()|.
---@return boolean
function M.is_normal()
  local mode = vim.api.nvim_get_mode().mode
  local is_macro = vim.fn.reg_recording() ~= '' or vim.fn.reg_executing() ~= ''
  local is_plain = (mode == 'n' or mode == 'nt') and not is_macro and vim.fn.getcmdwintype() == ''
  return is_plain and not require('acp.screen').is_hidden()
end

local events = {
  'ModeChanged',
  'WinEnter',
  'BufEnter',
  'TabEnter',
  'TextChanged',
  'RecordingLeave',
  'CmdwinLeave',
  'User AcpIdle',
}

--- Runs a function once, as soon as the user is idle, which may be immediately.
---@param wait { quiet: number, since?: number, is_ready?: fun(): boolean } milliseconds without a key, counted from
---  `since` at the earliest, and another condition
---@param run fun()
---@return fun() stop cancels it
function M.wait(wait, run)
  local timer, is_over, unwatch = vim.uv.new_timer(), false, M.watch()
  local group = vim.api.nvim_create_augroup('acp.idle.' .. next_id, {})
  next_id = next_id + 1
  local function stop()
    if not is_over then
      is_over = true
      timer:close()
      pcall(vim.api.nvim_del_augroup_by_id, group)
      unwatch()
    end
  end
  local function check()
    if is_over or not M.is_normal() or (wait.is_ready and not wait.is_ready()) then
      return
    end
    local rest = math.max(last_key, wait.since or 0) + wait.quiet - M.now()
    if rest > 0 then
      return timer:start(math.ceil(rest), 0, vim.schedule_wrap(check))
    end
    stop()
    run()
  end
  for _, event in ipairs(events) do
    local name, pattern = event:match('^(%S+) ?(%S*)$')
    vim.api.nvim_create_autocmd(name, {
      group = group,
      pattern = pattern ~= '' and pattern or nil,
      callback = vim.schedule_wrap(check),
    })
  end
  check()
  return stop
end

--- Checks again whoever waits, after a change that fires no event of Neovim.
function M.check_again()
  vim.api.nvim_exec_autocmds('User', { pattern = 'AcpIdle', modeline = false })
end

return M
