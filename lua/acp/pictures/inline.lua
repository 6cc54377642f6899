--- Pictures below the lines of a buffer that name them, if Neovim or another plugin can show pictures. Nothing here may
--- disturb the chat: errors of these plugins are ignored.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.pictures.inline')
-- The host writes the pictures of an agent after it has drawn their lines.
local wait_ms, max_waits = 200, 25

---@class acp.InlinePicture: acp.Picture
---@field mark integer
---@field viewer? acp.PictureViewer
---@field shown? any what the viewer returned
---@field is_removed? boolean

---@type table<integer, table<integer, acp.InlinePicture>> by buffer and mark
local pictures = {}
local is_scheduled = false

---@param picture acp.InlinePicture
---@return boolean
local function locate(picture)
  if picture.is_removed or not api.nvim_buf_is_valid(picture.buf) then
    return false
  end
  local row = api.nvim_buf_get_extmark_by_id(picture.buf, ns, picture.mark, {})[1]
  picture.row = row or picture.row
  local here = vim.fn.bufwinid(picture.buf)
  picture.win = here ~= -1 and here or vim.fn.win_findbuf(picture.buf)[1]
  return row ~= nil
end

---@param picture acp.InlinePicture
local function remove(picture)
  picture.is_removed = true
  if picture.shown then
    pcall(picture.viewer.hide, picture.shown)
  end
end

-- One that can't be shown is not tried again.
---@param picture acp.InlinePicture
local function show(picture)
  if not picture.viewer or not picture.locate() then
    return
  end
  local ok, shown = pcall(picture.viewer.show, picture, picture.shown)
  if ok then
    picture.shown = shown
  else
    remove(picture)
  end
end

local function show_all()
  is_scheduled = false
  for _, marks in pairs(pictures) do
    for _, picture in pairs(marks) do
      if picture.viewer and not picture.viewer.is_static then
        show(picture)
      end
    end
  end
end

--- Draws pictures again where their lines are now.
function M.refresh()
  if not is_scheduled and next(pictures) then
    is_scheduled = true
    vim.schedule(show_all)
  end
end

local function watch_windows()
  local group = api.nvim_create_augroup('acp.pictures', {})
  local events = { 'WinScrolled', 'WinResized', 'WinClosed', 'BufWinEnter', 'TabEnter' }
  api.nvim_create_autocmd(events, { group = group, callback = M.refresh })
end

---@param picture acp.InlinePicture
---@param waits integer
local function show_when_written(picture, waits)
  if picture.is_removed then
    return
  end
  if vim.uv.fs_stat(picture.path) then
    picture.viewer = require('acp.pictures.viewers').find()
    return show(picture)
  end
  if waits > 0 then
    vim.defer_fn(function()
      show_when_written(picture, waits - 1)
    end, wait_ms)
  end
end

--- Shows a picture below a line.
---@param buf integer
---@param row integer
---@param path string
---@param width? integer in pixels
---@param height? integer
function M.add(buf, row, path, width, height)
  if require('acp.config').get().pictures ~= 'inline' then
    return
  end
  local mark = api.nvim_buf_set_extmark(buf, ns, row, 0, {})
  ---@type acp.InlinePicture
  local picture = { buf = buf, row = row, path = path, width = width, height = height, mark = mark }
  picture.locate = function()
    return locate(picture)
  end
  if not next(pictures) then
    watch_windows()
  end
  pictures[buf] = pictures[buf] or {}
  pictures[buf][mark] = picture
  vim.schedule(function()
    show_when_written(picture, max_waits)
  end)
end

--- Removes those of some lines.
---@param buf integer
---@param first integer
---@param last integer exclusive
function M.clear(buf, first, last)
  if not pictures[buf] then
    return
  end
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, ns, { first, 0 }, { last, 0 }, {})) do
    local picture = pictures[buf][mark[1]]
    if picture and mark[2] < last then
      pictures[buf][mark[1]] = nil
      api.nvim_buf_del_extmark(buf, ns, mark[1])
      remove(picture)
    end
  end
end

--- Removes all of a buffer.
---@param buf integer
function M.forget(buf)
  local removed = pictures[buf]
  pictures[buf] = nil
  for _, picture in pairs(removed or {}) do
    remove(picture)
  end
  if removed and not next(pictures) then
    api.nvim_create_augroup('acp.pictures', {})
  end
end

return M
