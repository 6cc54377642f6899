--- Files that agents know: what becomes of them behind the user's back.
local M = {}

local api = vim.api
---@type table<integer, table<integer, true>> by buffer: the chats that know it
local watched = {}

-- What Neovim does about a file that is not what it was. It asks nothing: a question for each file of a long change is
-- answered without being read.
local choices = {
  changed = 'reload',
  deleted = '',
  mode = '',
  time = '',
}

local function living_chat(buf)
  if not require('acp.host').is_running() then
    return nil
  end
  for chat in vim.spairs(watched[buf]) do
    if require('acp.chats').get(chat) then
      return chat
    end
  end
end

--- Nothing is reloaded over unsaved text: the host puts both together, or lets the user do it.
---@param buf integer
---@param path string
---@param chat integer
function M.watch(buf, path, chat)
  if watched[buf] then
    watched[buf][chat] = true
    return
  end
  watched[buf] = { [chat] = true }
  local group = api.nvim_create_augroup('acp.guard.' .. buf, {})
  api.nvim_create_autocmd('FileChangedShell', {
    group = group,
    buffer = buf,
    callback = function()
      local owner = living_chat(buf)
      if not owner then
        vim.v.fcs_choice = 'ask'
        return
      end
      vim.v.fcs_choice = choices[vim.v.fcs_reason] or ''
      if vim.v.fcs_reason == 'conflict' then
        require('acp.host').mention('file.changed', { chat = owner, path = path })
      end
    end,
  })
  api.nvim_create_autocmd('BufUnload', {
    group = group,
    buffer = buf,
    callback = function()
      watched[buf] = nil
      pcall(api.nvim_del_augroup_by_id, group)
    end,
  })
end

local function is_alive(pid)
  return pid ~= 0 and vim.uv.kill(pid, 0) == 0
end

-- Neovim names a swap file after its file: beside it, or in a folder of all of them, there by its whole path if the name
-- of the folder ends with two slashes.
local function swap_files(path)
  local names = {}
  local base = vim.fs.basename(path) .. '.sw'
  for _, folder in ipairs(vim.opt.directory:get()) do
    local is_beside = folder == '.' or vim.startswith(folder, './')
    local place = is_beside and vim.fs.dirname(path) or vim.fs.normalize(folder)
    local whole = path:gsub('/', '%%') .. '.sw'
    local start = is_beside and '.' .. base or vim.endswith(folder, '//') and whole or base
    for name in vim.fs.dir(place) do
      if vim.startswith(name, start) then
        table.insert(names, vim.fs.joinpath(place, name))
      end
    end
  end
  return names
end

--- The other Neovim that has unsaved changes of a file, if there is one.
---@param path string
---@return { pid: integer }|nil
function M.other_editor(path)
  for _, name in ipairs(swap_files(path)) do
    local swap = vim.fn.swapinfo(name)
    if swap.dirty == 1 and swap.pid ~= vim.fn.getpid() and is_alive(swap.pid) then
      return { pid = swap.pid }
    end
  end
end

return M
