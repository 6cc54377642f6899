--- The Neovim side of bare-node.mjs.
local M = {}

local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
local layout = dofile(here .. '/layout.lua')
local buf, win, job
local is_over = false

function M.open()
  buf, win = layout.open()
  local command = { 'node', here .. '/bare-node.mjs', here .. '/flood-agent.mjs' }
  job = vim.fn.jobstart(command, { rpc = true })
end

function M.send(text)
  is_over = false
  vim.rpcnotify(job, 'prompt', text)
end

function M.draw(frame)
  local append = frame.hasDiff and layout.append_diff or layout.append
  append(buf, win, frame.lines)
  is_over = frame.over
end

M.lines = layout.lines

function M.buf()
  return buf
end

function M.is_over()
  return is_over
end

-- The first answers come like those to a prompt.
M.is_ready = M.is_over

return M
