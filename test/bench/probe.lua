--- Measures from within Neovim. `bench.chat` is what is measured: plugin.lua, bare-node.lua or bare-lua.lua.
local M = {}

local uv = vim.uv
local timer_ms = 5
local sample_ms = 5
local first_words = 'What the change'

---@type uv.uv_timer_t|nil
local timer
---@type number[] how late each tick was
local delays = {}

--- Time the process has computed so far. /proc has it in steps of 10 ms only.
---@return number ms
function M.cpu()
  local usage = uv.getrusage()
  local seconds = usage.utime.sec + usage.stime.sec
  return seconds * 1e3 + (usage.utime.usec + usage.stime.usec) / 1e3
end

function M.start_timer()
  delays = {}
  local last = uv.hrtime()
  timer = assert(uv.new_timer())
  timer:start(timer_ms, timer_ms, function()
    local now = uv.hrtime()
    delays[#delays + 1] = (now - last) / 1e6 - timer_ms
    last = now
  end)
end

---@return number[] ms
function M.stop_timer()
  timer:close()
  return delays
end

---@class bench.Sample
---@field at number ms
---@field lines integer
---@field cpu number ms

local function is_complete(buf, last, words)
  local lines = vim.api.nvim_buf_get_lines(buf, math.max(0, last - 3), last, false)
  return table.concat(lines):find(words, 1, true) ~= nil
end

--- Follows the growth of the transcript, and tells the UI's channel when the last words of a flood are in it.
---@param words string the last ones
function M.watch(words)
  local buf = M.chat.buf()
  local first = vim.api.nvim_buf_line_count(buf)
  ---@type bench.Sample[]
  M.samples = { { at = uv.hrtime() / 1e6, lines = 0, cpu = M.cpu() } }
  vim.api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, _, _, _, last)
      local grown = vim.api.nvim_buf_line_count(buf) - first
      local now = uv.hrtime() / 1e6
      local is_over = is_complete(buf, last, words)
      if now - M.samples[#M.samples].at >= sample_ms or is_over then
        table.insert(M.samples, { at = now, lines = grown, cpu = M.cpu() })
      end
      if is_over then
        vim.rpcnotify(1, 'bench_text_complete')
        return true
      end
    end,
  })
end

--- Runs a command until it ends.
---@param command string[]
---@return number ms
function M.time_job(command)
  local start = uv.hrtime()
  local stop
  local job = vim.fn.jobstart(command, {
    on_exit = function()
      stop = uv.hrtime()
    end,
  })
  vim.fn.jobwait({ job })
  return ((stop or uv.hrtime()) - start) / 1e6
end

--- Opens the chat.
---@return { at: string, returned: number } when in ns, and how many ms it took
function M.time_open()
  local start = uv.hrtime()
  M.chat.open()
  return { at = ('%d'):format(start), returned = (uv.hrtime() - start) / 1e6 }
end

--- Sends a prompt. `M.first_text` has the ms until the first words of the answer are in the buffer.
---@param prompt string
function M.time_first_text(prompt)
  M.first_text = nil
  local start
  vim.api.nvim_buf_attach(M.chat.buf(), false, {
    on_lines = function(_, buf, _, first, _, last)
      local text = table.concat(vim.api.nvim_buf_get_lines(buf, first, last, false), '\n')
      if start and text:find(first_words, 1, true) then
        M.first_text = (uv.hrtime() - start) / 1e6
        return true
      end
    end,
  })
  start = uv.hrtime()
  M.chat.send(prompt)
end

return M
