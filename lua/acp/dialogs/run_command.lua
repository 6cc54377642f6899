--- Offers to run a command of the user's system, and runs it in a terminal, where its progress can be seen.
local M = {}

local api = vim.api

--- Runs a command in a terminal in the current window.
---@param command string[]
---@param options table
---@return integer job
function M.start(command, options)
  if vim.fn.has('nvim-0.11') == 1 then
    options.term = true
    return vim.fn.jobstart(command, options)
  end
  return vim.fn.termopen(command, options)
end

---@class acp.OfferedCommand
---@field question string why it is offered
---@field command string[]
---@field cwd? string
---@field done fun() called when it has succeeded

---@param offer acp.OfferedCommand
local function run(offer)
  local win = api.nvim_get_current_win()
  vim.cmd.new({ mods = { split = 'botright' } })
  local buf = api.nvim_get_current_buf()
  local ok, job = pcall(M.start, offer.command, {
    cwd = offer.cwd,
    on_exit = function(_, code)
      if code ~= 0 then
        local message = '"%s" ended with code %d; its output is in the terminal'
        return require('acp.messages').error(message:format(table.concat(offer.command, ' '), code))
      end
      -- The output is useful only when the command failed.
      if api.nvim_buf_is_valid(buf) then
        api.nvim_buf_delete(buf, { force = true })
      end
      offer.done()
    end,
  })
  if not ok or job <= 0 then
    vim.cmd.close()
    require('acp.messages').error(('"%s" could not be started'):format(offer.command[1]))
  end
  if api.nvim_win_is_valid(win) then
    api.nvim_set_current_win(win)
  end
end

--- Shows the exact command and runs it if the user wants that.
---@param offer acp.OfferedCommand
function M.offer(offer)
  local yes = 'Run it in a terminal'
  require('acp.dialogs.select').list({ yes, 'Not now' }, {
    prompt = ('%s: %s'):format(offer.question, table.concat(offer.command, ' ')),
    kind = 'acp.run',
  }, function(item)
    if item == yes then
      run(offer)
    end
  end)
end

return M
