--- The names of our buffers. A session file of |:mksession| restores buffers with such names, but without content.
local M = {}

local api = vim.api
-- Neovim puts the current folder before a name that is no URL. The autocommands of `plugin/acp.lua` have it too.
local scheme = 'acp://'

---@type table<integer, true>
local ours = {}

--- The name of a buffer: one path component, because Neovim's tabline shortens all but the last one to a letter.
---@param ... string|integer what it shows, for example `tour`, 1 and `prompt`
---@return string for example acp://tour-1-prompt
function M.make(...)
  return scheme .. table.concat({ ... }, '-'):gsub('/', '-')
end

---@param chat { agent: string, id: integer }
---@param part string|nil nil for the transcript
---@return string
function M.of_chat(chat, part)
  return M.make(chat.agent, chat.id, part)
end

--- Whether a buffer has a name of ours, whoever has created it.
---@param buf integer
---@return boolean
function M.has_our_name(buf)
  return M.is_our_name(api.nvim_buf_get_name(buf))
end

---@param name string
---@return boolean
function M.is_our_name(name)
  return vim.startswith(name, scheme)
end

---@param buf integer
---@return boolean
function M.is_ours(buf)
  return ours[buf] == true
end

local function has_text(buf)
  return api.nvim_buf_is_loaded(buf) and not require('acp.ui.buffer_text').is_empty(buf)
end

-- The last window of Neovim can't be closed.
local function close_windows(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if not pcall(api.nvim_win_close, win, true) then
      vim.wo[win].winfixbuf = false
      api.nvim_win_call(win, vim.cmd.enew)
    end
  end
end

-- A buffer with text keeps it, without its name.
local function remove(buf)
  if not has_text(buf) then
    close_windows(buf)
    pcall(api.nvim_buf_delete, buf, { force = true })
  else
    api.nvim_buf_set_name(buf, '')
  end
end

--- Removes buffers with a name of ours that we have not created.
function M.remove_stale()
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if M.has_our_name(buf) and not ours[buf] then
      remove(buf)
    end
  end
end

---@param name string
---@return integer|nil buf
function M.find(name)
  return vim.iter(api.nvim_list_bufs()):find(function(buf)
    return api.nvim_buf_get_name(buf) == name
  end)
end

local function forget_deleted()
  for buf in pairs(ours) do
    if not api.nvim_buf_is_valid(buf) then
      ours[buf] = nil
    end
  end
end

--- Names a buffer and maps the keys of every buffer of ours. A second buffer of the same name gets a number. Setting
--- the name may fail, because it may contain a path sent by an agent.
---@param buf integer
---@param name string
function M.set(buf, name)
  forget_deleted()
  ours[buf] = true
  -- Searching for an .editorconfig would take a millisecond.
  vim.b[buf].editorconfig = false
  require('acp.ui.mappings.file_keys').map(buf)
  local holder = M.find(name)
  if holder and not ours[holder] then
    remove(holder)
  end
  local count = 1
  while not pcall(api.nvim_buf_set_name, buf, count == 1 and name or name .. '#' .. count) do
    count = count + 1
    if count > 9 then
      return
    end
  end
end

-- The names of our buffers while a session file may use them for others.
---@type table<integer, string>
local freed = {}

--- Frees the names of our buffers.
function M.free_names()
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if M.has_our_name(buf) then
      freed[buf] = api.nvim_buf_get_name(buf)
      api.nvim_buf_set_name(buf, '')
    end
  end
end

--- Removes the buffers that have our names meanwhile, and names ours again.
function M.reclaim_names()
  local names = freed
  freed = {}
  M.remove_stale()
  for buf, name in pairs(names) do
    if api.nvim_buf_is_valid(buf) and ours[buf] then
      M.set(buf, name)
    elseif api.nvim_buf_is_valid(buf) then
      remove(buf)
    end
  end
end

return M
