--- Ways to show a picture in a buffer: snacks.nvim, image.nvim and |vim.ui.img|. Each one is used only if it is there.
local M = {}

local api = vim.api
local space_ns = api.nvim_create_namespace('acp.pictures.space')

local max_columns, max_rows = 80, 20

---@class acp.Picture
---@field buf integer
---@field path string
---@field width? integer in pixels
---@field height? integer in pixels
---@field row integer the line it is shown below, 0-based
---@field win? integer that shows the buffer
---@field locate fun(): boolean brings `row` and `win` up to date; false if the line is gone

---@class acp.PictureViewer
---@field is_there fun(): boolean
---@field show fun(picture: acp.Picture, shown: any): any draws it, again if `shown` is what the last call returned
---@field hide fun(shown: any)
---@field is_static? boolean it does not have to be drawn again when lines or windows move

---@param buf integer
---@param row integer
---@return integer indent, integer length in bytes
local function line_at(buf, row)
  local line = api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
  return #line:match('^ *'), #line
end

---@return table|nil
local function snacks()
  return rawget(_G, 'Snacks')
end

---@type acp.PictureViewer
local with_snacks = {
  is_static = true,
  is_there = function()
    local found = snacks()
    return found ~= nil and found.config.image.enabled == true
  end,
  show = function(picture, shown)
    if shown then
      return shown
    end
    shown = {}
    local image = snacks().image
    local function find_range()
      picture.locate()
      local indent, length = line_at(picture.buf, picture.row)
      local line = picture.row + 1
      return { line, indent }, { line, indent, line, length }
    end
    local function place()
      -- Without placeholders it draws at the corner of the window.
      if shown.is_hidden or not image.terminal.env().placeholders then
        return
      end
      local pos, range = find_range()
      shown.placement = image.placement.new(picture.buf, picture.path, {
        pos = pos,
        range = range,
        inline = true,
        conceal = false,
        auto_resize = true,
        max_width = max_columns,
        max_height = max_rows,
        on_update_pre = function(placement)
          placement.opts.pos, placement.opts.range = find_range()
        end,
      })
    end
    image.terminal.detect(function()
      pcall(place)
    end)
    return shown
  end,
  hide = function(shown)
    shown.is_hidden = true
    if shown.placement then
      shown.placement:close()
    end
  end,
}

---@type acp.PictureViewer
local with_image_nvim = {
  is_there = function()
    local ok, image = pcall(require, 'image')
    return ok and type(image) == 'table' and type(image.from_file) == 'function'
  end,
  show = function(picture, shown)
    if shown and (shown.window ~= picture.win or not picture.win) then
      shown:clear()
      shown = nil
    end
    if not picture.win then
      return nil
    end
    local indent = line_at(picture.buf, picture.row)
    if shown then
      if shown.geometry.y ~= picture.row then
        shown:move(indent, picture.row)
      end
      return shown
    end
    local image = assert(require('image').from_file(picture.path, {
      window = picture.win,
      buffer = picture.buf,
      x = indent,
      y = picture.row,
      inline = true,
      with_virtual_padding = true,
      namespace = 'acp',
    }))
    image:render()
    return image
  end,
  hide = function(shown)
    shown:clear()
  end,
}

-- Asking the terminal would block Neovim.
---@return boolean
local function is_terminal_with_pictures()
  local name = ('%s %s'):format(vim.env.TERM or '', vim.env.TERM_PROGRAM or ''):lower()
  return name:find('kitty') ~= nil or name:find('ghostty') ~= nil or name:find('wezterm') ~= nil
end

---@param picture acp.Picture
---@return integer width, integer height in cells, which are about twice as high as wide
local function size_in_cells(picture)
  local columns, rows = (picture.width or 320) / 8, (picture.height or 240) / 16
  local info = vim.fn.getwininfo(picture.win)[1]
  local share = math.min(
    1,
    math.min(max_columns, info.width - info.textoff - 4) / columns,
    math.min(max_rows, info.height - 2) / rows
  )
  return math.max(1, math.floor(columns * share)), math.max(1, math.floor(rows * share))
end

---@param picture acp.Picture
---@param height integer
---@return integer|nil row, integer|nil col on the screen, if all of it is visible
local function place_on_screen(picture, height)
  if api.nvim_win_get_tabpage(picture.win) ~= api.nvim_get_current_tabpage() then
    return
  end
  local indent, length = line_at(picture.buf, picture.row)
  local last = vim.fn.screenpos(picture.win, picture.row + 1, math.max(1, length))
  local info = vim.fn.getwininfo(picture.win)[1]
  local bottom = info.winrow + info.winbar + info.height - 1
  if last.row > 0 and last.row + height <= bottom then
    return last.row + 1, info.wincol + info.textoff + indent
  end
end

---@param path string
---@return boolean
local function is_png(path)
  return vim.fn.readblob(path, 0, 4) == '\137PNG'
end

---@param picture acp.Picture
---@param height integer
---@param id? integer
---@return integer id
local function reserve_rows(picture, height, id)
  local rows = {}
  for _ = 1, height do
    table.insert(rows, { { '' } })
  end
  local options = { id = id, virt_lines = rows }
  return api.nvim_buf_set_extmark(picture.buf, space_ns, picture.row, 0, options)
end

---@type acp.PictureViewer
local with_neovim = {
  is_there = function()
    local images = vim.ui.img
    return type(images) == 'table'
      and type(images.set) == 'function'
      and is_terminal_with_pictures()
  end,
  show = function(picture, shown)
    shown = shown or { buf = picture.buf, is_png = is_png(picture.path) }
    if not shown.is_png then
      return shown
    end
    local width, height, row, col
    if picture.win then
      width, height = size_in_cells(picture)
      shown.space = reserve_rows(picture, height, shown.space)
      row, col = place_on_screen(picture, height)
    end
    if not row then
      if shown.id then
        vim.ui.img.del(shown.id)
        shown.id = nil
      end
      return shown
    end
    local place = { row = row, col = col, width = width, height = height }
    if not vim.deep_equal(place, shown.id and shown.place) then
      shown.place = place
      shown.id = vim.ui.img.set(shown.id or vim.fn.readblob(picture.path), place)
    end
    return shown
  end,
  hide = function(shown)
    if shown.space and api.nvim_buf_is_valid(shown.buf) then
      api.nvim_buf_del_extmark(shown.buf, space_ns, shown.space)
    end
    if shown.id then
      vim.ui.img.del(shown.id)
    end
  end,
}

--- The first one that is there.
---@return acp.PictureViewer|nil
function M.find()
  for _, viewer in ipairs({ with_snacks, with_image_nvim, with_neovim }) do
    local ok, is_there = pcall(viewer.is_there)
    if ok and is_there then
      return viewer
    end
  end
end

return M
