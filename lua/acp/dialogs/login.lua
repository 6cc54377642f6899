--- Runs the program of an agent in a terminal, so that the user can log in there.
local M = {}

---@class acp.Login
---@field chat integer
---@field command string[]
---@field env table<string, string>
---@field cwd string

---@param login acp.Login
function M.run(login)
  local win = vim.api.nvim_get_current_win()
  vim.cmd.new({ mods = { split = 'botright' } })
  local buf = vim.api.nvim_get_current_buf()
  local ok, job = pcall(require('acp.dialogs.run_command').start, login.command, {
    cwd = login.cwd,
    env = next(login.env) and login.env or nil,
    on_exit = function(_, code)
      -- The output is useful only when the login failed.
      if code == 0 and vim.api.nvim_buf_is_valid(buf) then
        vim.api.nvim_buf_delete(buf, { force = true })
      end
      require('acp.host').notify_if_running('login.ended', { chat = login.chat, code = code })
    end,
  })
  if not ok or job <= 0 then
    vim.cmd.close()
    vim.api.nvim_set_current_win(win)
    require('acp.host').notify_if_running('login.ended', { chat = login.chat, code = 127 })
    return
  end
  vim.cmd.startinsert()
end

--- Asks for an API key. It is not shown, and only put into the environment of the agent.
---@param wanted { chat: integer, method: string, prompt: string }
function M.ask(wanted)
  local ok, key = pcall(vim.fn.inputsecret, wanted.prompt)
  vim.cmd.redraw()
  if ok and key ~= '' then
    local login = { chat = wanted.chat, method = wanted.method, key = key }
    require('acp.host').notify('login.key', login)
  end
end

return M
