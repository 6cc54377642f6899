--- The two windows of a chat: where they open and how they look.
local M = {}

local min_width, min_height = 30, 8

---@param buf integer|nil
---@return integer|nil window that shows it on this tab page
local function window_of(buf)
  if not buf then
    return nil
  end
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage() then
      return win
    end
  end
end

---@type table<integer, table<string, true>> the names of the options that were set, by window
local dressed = {}

-- A window that is split from one of ours has its options.
local function note_split()
  local win = vim.api.nvim_get_current_win()
  for other, names in pairs(dressed) do
    local is_valid = vim.api.nvim_win_is_valid(other)
    if is_valid and vim.api.nvim_win_get_buf(other) == vim.api.nvim_win_get_buf(win) then
      dressed[win] = vim.deepcopy(names)
      return
    end
  end
end

local is_watching = false

local function watch()
  if is_watching then
    return
  end
  is_watching = true
  local group = vim.api.nvim_create_augroup('acp.windows', {})
  vim.api.nvim_create_autocmd('WinNew', { group = group, callback = note_split })
  vim.api.nvim_create_autocmd({ 'BufEnter', 'BufWinEnter' }, {
    group = group,
    callback = function()
      M.undress_others()
    end,
  })
end

--- Sets options of a window until it shows something else.
---@param win integer
---@param options table<string, any>
function M.set_options(win, options)
  watch()
  dressed[win] = dressed[win] or {}
  for name, value in pairs(options) do
    dressed[win][name] = true
    vim.api.nvim_set_option_value(name, value, { win = win, scope = 'local' })
  end
end

local set = M.set_options

-- Gives a window that shows something else now the options that the user has chosen for windows.
local function undress(win)
  local names = dressed[win] or {}
  dressed[win] = nil
  if vim.api.nvim_win_is_valid(win) then
    vim.api.nvim_win_call(win, function()
      for name in pairs(names) do
        vim.cmd.setlocal(name .. '<')
      end
    end)
  end
end

--- Gives all windows back, so that a session file can use them.
function M.undress_all()
  vim.tbl_map(undress, vim.tbl_keys(dressed))
end

--- Resets the windows that showed a buffer of ours until it was unloaded.
function M.undress_others()
  for win in pairs(dressed) do
    local is_valid = vim.api.nvim_win_is_valid(win)
    if not is_valid or not require('acp.names').is_ours(vim.api.nvim_win_get_buf(win)) then
      undress(win)
    end
  end
end

---@param node any a part of |winlayout()|
---@param win integer
---@param is_stacked boolean
---@return boolean
local function has_neighbour(node, win, is_stacked)
  local kind, content = unpack(node)
  if kind == 'leaf' then
    return content == win and is_stacked
  end
  return vim.iter(content):any(function(child)
    return has_neighbour(child, win, is_stacked or kind == 'col')
  end)
end

--- Sets the height of a window, if there is a window above or below it. Neovim would give the rest of the height to the
--- command line otherwise.
---@param win integer
---@param height integer
function M.set_height(win, height)
  local tab = vim.api.nvim_tabpage_get_number(vim.api.nvim_win_get_tabpage(win))
  local is_new = vim.api.nvim_win_get_height(win) ~= height
  if is_new and has_neighbour(vim.fn.winlayout(tab), win, false) then
    vim.api.nvim_win_set_height(win, height)
  end
end

-- The margin is a 'statuscolumn'. Whenever the number of lines changes, Neovim forgets its width until the next redraw and
-- takes that of the line numbers, so it wraps and scrolls right only if both are the same.
---@param win integer
---@param text string
---@param width integer
local function set_margin(win, text, width)
  set(win, { statuscolumn = text, number = true, numberwidth = width })
end

local function plain(win)
  set(win, {
    relativenumber = false,
    signcolumn = 'no',
    foldcolumn = '0',
    foldenable = false,
    cursorline = false,
    colorcolumn = '',
    list = false,
    spell = false,
    wrap = true,
    linebreak = true,
    breakindent = true,
    breakindentopt = 'list:-1',
    winfixbuf = true,
  })
end

local function size_of(total, minimum)
  local size = require('acp.config').get().size
  local cells = size < 1 and math.floor(total * size) or math.floor(size)
  return math.max(minimum, math.min(cells, total - minimum))
end

---@return vim.api.keyset.win_config
local function layout()
  local position = require('acp.config').get().position
  local splits = { right = 'right', left = 'left', top = 'above', bottom = 'below' }
  local config = { split = splits[position], win = -1 }
  if position == 'right' or position == 'left' then
    config.width = size_of(vim.o.columns, min_width)
  else
    config.height = size_of(vim.o.lines, min_height)
  end
  return config
end

-- A line below the window and nothing in it. With a global statusline Neovim draws that itself.
local function separate(win)
  set(win, { fillchars = 'eob: ,stl:─,stlnc:─' })
  if vim.o.laststatus ~= 3 then
    set(win, { statusline = '%#AcpSeparator#%=' })
  end
end

-- Where another chat is shown on this tab page; there is room for one at a time.
---@param chat acp.Chat
---@param part 'buf'|'prompt'
---@return integer|nil window that shows this one from now on
local function take_over(chat, part)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local other, shown = require('acp.chats').of(vim.api.nvim_win_get_buf(win))
    if other and shown == part then
      require('acp.plan').close(other)
      set(win, { winfixbuf = false })
      vim.api.nvim_win_set_buf(win, chat[part])
      return win
    end
  end
end

---@param chat acp.Chat
local function open_transcript(chat)
  local prompt = window_of(chat.prompt)
  local place = prompt and { split = 'above', win = prompt } or layout()
  local win = take_over(chat, 'buf') or vim.api.nvim_open_win(chat.buf, false, place)
  plain(win)
  set(win, {
    winfixwidth = true,
    conceallevel = 2,
  })
  set_margin(win, ' ', 1)
  separate(win)
  return win
end

---@param chat acp.Chat
local function open_prompt(chat, above)
  local below = { split = 'below', win = above, height = 2 }
  local win = take_over(chat, 'prompt') or vim.api.nvim_open_win(chat.prompt, false, below)
  plain(win)
  set(win, {
    winfixheight = true,
    smoothscroll = true,
    fillchars = 'eob: ',
    -- A global 'winbar' takes a row of every window, and would show the name of the buffer there.
    winbar = vim.go.winbar ~= '' and ' ' or '',
  })
  set_margin(win, "%#AcpPrompt#%{v:lnum == 1 && v:virtnum == 0 ? ' › ' : '   '}", 2)
  return win
end

---@param win integer
---@param rows integer
---@return boolean
local function shows_line_of(win, rows)
  local buf = vim.api.nvim_win_get_buf(win)
  local first = math.max(0, vim.fn.line('w0', win) - 2)
  local last = math.min(vim.api.nvim_buf_line_count(buf) - 1, vim.fn.line('w$', win))
  local fewest_bytes = rows * vim.api.nvim_win_get_width(win) / 2
  for row = first, last do
    local size = vim.api.nvim_buf_get_offset(buf, row + 1) - vim.api.nvim_buf_get_offset(buf, row)
    if size > fewest_bytes then
      local range = { start_row = row, end_row = row }
      if vim.api.nvim_win_text_height(win, range).all >= rows then
        return true
      end
    end
  end
  return false
end

-- Without 'linebreak' a line takes fewer rows, which must not switch it on again.
local tall_share, still_tall_share = 0.9, 0.6

--- Lets a line that is taller than the window be scrolled through row by row. Neovim draws such a line wrongly with
--- 'linebreak', so words are not kept whole meanwhile.
---@param win integer
---@return boolean is_tall
function M.adapt_to_lines(win)
  local was_tall = vim.w[win].acp_tall == true
  local share = was_tall and still_tall_share or tall_share
  local is_tall = shows_line_of(win, math.floor(vim.api.nvim_win_get_height(win) * share))
  if is_tall ~= was_tall then
    vim.w[win].acp_tall = is_tall
    set(win, { smoothscroll = is_tall, linebreak = not is_tall })
  end
  return is_tall
end

-- Where the view has to begin for the last row of the text to be the last of the window. |zb| does not manage that with
-- lines that are taller than the window.
---@param win integer
---@param last integer
---@return { topline: integer, skipcol: integer }
local function view_of_end(win, last)
  local info = vim.fn.getwininfo(win)[1]
  local row, rows = last, 0
  repeat
    row = row - 1
    rows = rows + vim.api.nvim_win_text_height(win, { start_row = row, end_row = row }).all
  until row == 0 or rows >= info.height
  local hidden = math.max(0, rows - info.height)
  return { topline = row + 1, skipcol = hidden * require('acp.figures').text_width(win) }
end

--- Shows the end of a transcript at the bottom of a window.
---@param win integer
---@param is_far? boolean so much is new that Neovim would put the end in the middle
function M.go_to_end(win, is_far)
  local last = vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(win))
  vim.api.nvim_win_set_cursor(win, { last, 0 })
  local is_tall = M.adapt_to_lines(win)
  vim.api.nvim_win_call(win, function()
    if is_tall then
      vim.fn.winrestview(view_of_end(win, last))
    elseif is_far then
      vim.cmd.normal({ 'zb', bang = true })
    end
  end)
end

--- The windows that show the end of a buffer and should go on doing so.
---@param buf integer
---@return integer[]
function M.followers(buf)
  local last = vim.api.nvim_buf_line_count(buf)
  return vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_cursor(win)[1] == last
  end, vim.fn.win_findbuf(buf))
end

--- Sets the filetype last and a moment later: the search for its plugins must not hold up the windows.
---@param buf integer
---@param filetype string
function M.set_filetype(buf, filetype)
  vim.schedule(function()
    if vim.api.nvim_buf_is_valid(buf) then
      vim.bo[buf].filetype = filetype
    end
  end)
end

--- Opens what is not open on this tab page.
---@param chat acp.Chat
---@return integer prompt window
function M.open(chat)
  local shown = window_of(chat.buf)
  local transcript = shown or open_transcript(chat)
  local prompt = window_of(chat.prompt) or open_prompt(chat, transcript)
  M.fit(chat)
  if not shown then
    require('acp.render').refit(chat)
    M.go_to_end(transcript)
  end
  return prompt
end

--- Opens a buffer above the transcript, without going there.
---@param chat acp.Chat
---@param buf integer
---@return integer window
function M.open_above(chat, buf)
  local below = window_of(chat.buf)
  local config = below and { split = 'above', win = below, height = 3 } or layout()
  local win = vim.api.nvim_open_win(buf, false, config)
  plain(win)
  set(win, { winfixheight = true })
  set_margin(win, ' ', 1)
  separate(win)
  return win
end

---@param chat acp.Chat
---@return boolean
function M.is_open(chat)
  return window_of(chat.buf) ~= nil
end

--- Closes the windows of a chat on this tab page; the last window of Neovim stays.
---@param chat acp.Chat
function M.close(chat)
  for _, buf in pairs({ chat.prompt, chat.buf }) do
    local win = window_of(buf)
    if win and not pcall(vim.api.nvim_win_close, win, true) then
      undress(win)
      vim.api.nvim_win_call(win, vim.cmd.enew)
    end
  end
end

--- Lets the prompt be as high as its text, up to a third of the screen.
---@param chat acp.Chat
function M.fit(chat)
  local win = window_of(chat.prompt)
  if not win then
    return
  end
  local height = vim.api.nvim_win_text_height(win, {}).all
  local wanted = math.max(2, math.min(height, math.floor(vim.o.lines / 3)))
  M.set_height(win, wanted + vim.fn.getwininfo(win)[1].winbar)
end

--- After a window has closed: Neovim gives its room to the prompt, whose height is fixed, and leaves the end of the
--- transcript where it was.
---@param chat acp.Chat
function M.settle(chat)
  M.fit(chat)
  local win = window_of(chat.buf)
  if win and vim.tbl_contains(M.followers(chat.buf), win) then
    M.go_to_end(win, true)
  end
end

--- A transcript without its window needs no prompt window either.
---@param chat acp.Chat
function M.follow_close(chat)
  local win = window_of(chat.prompt)
  if win and not window_of(chat.buf) then
    pcall(vim.api.nvim_win_close, win, true)
  end
end

return M
