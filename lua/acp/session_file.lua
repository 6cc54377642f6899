--- Our buffers and windows while a session file of |:mksession| is loaded, which has names and windows of its own.
local M = {}

local retry_ms = 100
local is_watching = false

-- Callbacks also run while a session file waits, for example for an answer about a swap file.
local function is_running()
  return vim.fn.expand('<stack>') ~= ''
end

local function finish()
  if is_running() then
    return vim.defer_fn(finish, retry_ms)
  end
  is_watching = false
  require('acp.ui.buffer_names').reclaim_names()
  require('acp.ui.window_options').restore()
  require('acp.ui.windows.kept').restore()
end

-- A session file that fails fires no |SessionLoadPost|.
local function watch_end()
  if not is_watching then
    is_watching = true
    vim.schedule(finish)
  end
end

--- Whether a session file is being loaded. One that has failed leaves `g:SessionLoad` behind.
---@return boolean
function M.is_loading()
  -- More than the autocommand that asks.
  return vim.g.SessionLoad ~= nil and vim.fn.expand('<stack>'):find('..', 1, true) ~= nil
end

--- Gives windows their own options until the session file has ended.
function M.free_windows()
  require('acp.ui.window_options').suspend_all()
  require('acp.ui.windows.kept').suspend_all()
  watch_end()
end

--- Frees the names of our buffers until then: it fails if it restores a buffer whose name is taken.
function M.free_names()
  require('acp.ui.buffer_names').free_names()
  watch_end()
end

return M
