--- The highlight groups. All are defaults, so a colour scheme or the user may override them.
local M = {}

---@class acp.HighlightGroup
---@field desc string
---@field link? string
---@field from? string a group whose colours it has; its style is the one given here
---@field behind? string a group whose background it has, weak enough for code on it
---@field line? string a group whose colour it has, but for one that can't be seen on the background of the window
---@field tint? number background: that of the window with this share of the colour of its text
---@field ansi? integer the colour of a terminal with this number; see |terminal-config|
---@field bold? boolean
---@field italic? boolean

-- Comments are italic in many colour schemes, and output and figures should not be.
---@type table<string, acp.HighlightGroup>
M.groups = {
  AcpUser = { from = 'Title', bold = true, desc = 'Your name above a prompt.' },
  AcpUserBar = { from = 'Special', desc = 'The bar to the left of what you said.' },
  AcpAgent = { from = 'Function', bold = true, desc = 'The name of the agent.' },
  AcpTitle = { from = 'Normal', bold = true, desc = 'The title of the session, in the winbar.' },
  AcpMuted = {
    from = 'Comment',
    desc = 'Details: times, counts, output.',
  },
  AcpThought = { link = 'Comment', desc = 'A thought of the agent.' },
  AcpToolKind = { from = 'Comment', desc = 'The kind of a tool call.' },
  AcpToolTitle = { link = 'Normal', desc = 'The title of a tool call.' },
  AcpOutput = { from = 'Comment', desc = 'Output of a command without a colour of its own.' },
  AcpAnsiBlack = { from = 'Comment', desc = 'Output of a command: black.' },
  AcpAnsiRed = { ansi = 1, desc = 'Output of a command: red.' },
  AcpAnsiGreen = { ansi = 2, desc = 'Output of a command: green.' },
  AcpAnsiYellow = { ansi = 3, desc = 'Output of a command: yellow.' },
  AcpAnsiBlue = { ansi = 4, desc = 'Output of a command: blue.' },
  AcpAnsiMagenta = { ansi = 5, desc = 'Output of a command: magenta.' },
  AcpAnsiCyan = { ansi = 6, desc = 'Output of a command: cyan.' },
  AcpAnsiWhite = { link = 'Normal', desc = 'Output of a command: white.' },
  AcpAnsiBrightBlack = { from = 'Comment', desc = 'Output of a command: bright black, a grey.' },
  AcpAnsiBrightRed = { link = 'AcpAnsiRed', desc = 'Output of a command: bright red.' },
  AcpAnsiBrightGreen = { link = 'AcpAnsiGreen', desc = 'Output of a command: bright green.' },
  AcpAnsiBrightYellow = { link = 'AcpAnsiYellow', desc = 'Output of a command: bright yellow.' },
  AcpAnsiBrightBlue = { link = 'AcpAnsiBlue', desc = 'Output of a command: bright blue.' },
  AcpAnsiBrightMagenta = { link = 'AcpAnsiMagenta', desc = 'Output of a command: bright magenta.' },
  AcpAnsiBrightCyan = { link = 'AcpAnsiCyan', desc = 'Output of a command: bright cyan.' },
  AcpAnsiBrightWhite = { link = 'AcpAnsiWhite', desc = 'Output of a command: bright white.' },
  AcpPlan = { from = 'Title', bold = true, desc = 'The heading of a plan.' },
  AcpPending = { from = 'Comment', desc = 'The sign of an entry that has not started.' },
  AcpRunning = { from = 'DiagnosticInfo', desc = 'The sign of a running entry.' },
  AcpDone = { from = 'DiagnosticOk', desc = 'The sign of a completed entry.' },
  AcpFailed = { from = 'DiagnosticError', desc = 'The sign of a failed entry, and error messages.' },
  AcpCancelled = { from = 'Comment', desc = 'The sign of a cancelled entry.' },
  AcpWaiting = { from = 'DiagnosticWarn', desc = 'An open question.' },
  AcpWorktree = {
    from = 'DiagnosticHint',
    desc = 'The session has its own worktree, in the winbar.',
  },
  AcpPrivate = { from = 'DiagnosticHint', desc = 'The session is private, in the winbar.' },
  AcpMode = { link = 'AcpMuted', desc = 'The mode of the agent, in the winbar.' },
  AcpAllowAll = {
    from = 'DiagnosticError',
    bold = true,
    desc = 'The session allows everything but destructive commands, or the agent asks less in its mode, in the winbar.',
  },
  AcpOption = { from = 'Special', desc = 'The answers to a question.' },
  AcpAnswer = { link = 'Normal', desc = 'The answer you gave.' },
  AcpAdded = { from = 'Added', desc = 'Number of added lines.' },
  AcpRemoved = { from = 'Removed', desc = 'Number of removed lines.' },
  AcpDiffAdd = { behind = 'DiffAdd', desc = 'Diff: added lines.' },
  AcpDiffDelete = { behind = 'DiffDelete', desc = 'Diff: removed lines.' },
  AcpDiffText = { link = 'DiffText', desc = 'Diff: changed words in a line.' },
  AcpHeading1 = { from = 'Normal', bold = true, desc = 'Markdown: a heading of the first level.' },
  AcpHeading2 = { from = 'Comment', bold = true, desc = 'Markdown: a heading of the second level.' },
  AcpHeading3 = { from = 'Comment', italic = true, desc = 'Markdown: a heading of a lower level.' },
  AcpQuote = { from = 'Comment', desc = 'Markdown: a quotation.' },
  AcpListMarker = { from = 'Special', desc = 'Markdown: a bullet or number.' },
  AcpCode = { from = 'String', desc = 'Markdown: code within a line.' },
  AcpCodeBlock = { tint = 0.08, desc = 'Markdown: the background of a code block.' },
  AcpCodeLanguage = { from = 'Comment', desc = 'Markdown: the language of a code block.' },
  AcpHost = { from = 'Title', desc = 'The host name in an address that an agent asks to open.' },
  AcpLink = { link = 'Underlined', desc = 'Links, and paths that can be opened.' },
  AcpMention = { from = 'Special', desc = 'What is attached to a prompt, and a mention of it.' },
  AcpMentionUnknown = {
    link = 'DiagnosticUnderlineWarn',
    desc = 'A mention in the prompt that refers to nothing.',
  },
  AcpMarkup = { link = 'NonText', desc = 'Markdown: markup characters.' },
  AcpPrompt = { from = 'Function', desc = 'The sign to the left of the prompt.' },
  AcpSuggestion = { from = 'Comment', desc = 'What the agent suggests as the next prompt.' },
  AcpQueued = { link = 'Normal', desc = 'A prompt that waits.' },
  AcpHint = { from = 'Comment', desc = 'Keys and messages in the prompt.' },
  AcpSeparator = { line = 'WinSeparator', desc = 'The line between chat and prompt.' },
  AcpBold = { bold = true, desc = 'Markdown: strong text.' },
  AcpItalic = { italic = true, desc = 'Markdown: emphasised text.' },
}

---@param from integer colour
---@param to integer colour
---@param share number of the second one
---@return integer colour between two
local function blend(from, to, share)
  local mixed = 0
  for _, place in ipairs({ 0x10000, 0x100, 1 }) do
    local one, other = math.floor(from / place) % 256, math.floor(to / place) % 256
    mixed = mixed + math.floor(one + (other - one) * share + 0.5) * place
  end
  return mixed
end

-- A background a little lighter or darker than that of the window. Without true colours, and in a transparent window,
-- it is the one of the cursor line.
---@param share number of the colour of the text
---@return vim.api.keyset.highlight
local function tint(share)
  local normal = vim.api.nvim_get_hl(0, { name = 'Normal', link = false })
  local line = vim.api.nvim_get_hl(0, { name = 'CursorLine', link = false })
  local has_both = normal.bg and normal.fg
  return { bg = has_both and blend(normal.bg, normal.fg, share) or line.bg, ctermbg = line.ctermbg }
end

---@param colour integer
---@return number luminance from 0 to 1, as contrast is defined by WCAG
local function luminance(colour)
  local sum = 0
  for place, weight in pairs({ [0x10000] = 0.2126, [0x100] = 0.7152, [1] = 0.0722 }) do
    local value = math.floor(colour / place) % 256 / 255
    sum = sum + weight * (value <= 0.03928 and value / 12.92 or ((value + 0.055) / 1.055) ^ 2.4)
  end
  return sum
end

local function contrast(one, other)
  local dark, light = luminance(one), luminance(other)
  if dark > light then
    dark, light = light, dark
  end
  return (light + 0.05) / (dark + 0.05)
end

-- What WCAG wants at least of large text and signs.
local text_contrast = 3

-- Not every colour scheme sets the groups that ours are derived from, or the colours of terminals: those of another
-- one, for another background, may be left.
---@param colour integer|nil
---@return integer|nil colour that can be read in the window: this one, or one nearer to that of the text
local function readable(colour)
  local normal = vim.api.nvim_get_hl(0, { name = 'Normal', link = false })
  if not colour or not normal.fg or not normal.bg then
    return colour
  end
  for share = 0, 0.9, 0.1 do
    local mixed = blend(colour, normal.fg, share)
    if contrast(mixed, normal.bg) >= text_contrast then
      return mixed
    end
  end
  return normal.fg
end

-- The colours of code are made for the background of the window. Some colour schemes give lines of a diff a strong
-- background, others none but a colour of the text.
local strong_contrast, strong_share, text_share = 1.7, 0.5, 0.2

-- One of the 16 colours of a terminal is too strong behind code: some words have the same colour. Terminals with more
-- colours have weak ones, also for a group that only has a colour of the text.
local weak = {
  DiffAdd = { dark = 22, light = 194 },
  DiffDelete = { dark = 52, light = 224 },
}

-- Of the terminal.
---@return integer
local function count_colours()
  return tonumber(vim.api.nvim_eval('&t_Co')) or 16
end

---@param name string
---@param ctermbg integer|nil
---@param ctermfg integer|nil
---@return integer|nil
local function weak_ctermbg(name, ctermbg, ctermfg)
  local colour = ctermbg or ctermfg
  if not colour or colour >= 16 then
    return ctermbg
  end
  return count_colours() >= 256 and weak[name][vim.o.background] or nil
end

---@param name string
---@return vim.api.keyset.highlight
local function behind(name)
  local normal = vim.api.nvim_get_hl(0, { name = 'Normal', link = false })
  local group = vim.api.nvim_get_hl(0, { name = name, link = false })
  local bg, ctermbg, text = group.bg, group.ctermbg, group.fg
  if group.reverse then
    bg, text = group.fg, nil
  end
  local cterm = group.cterm or {}
  if cterm.reverse then
    ctermbg = group.ctermfg
  end
  local strongest = ctermbg
  ctermbg = weak_ctermbg(name, ctermbg, group.ctermfg)
  if bg and normal.bg and contrast(bg, normal.bg) > strong_contrast then
    bg = blend(normal.bg, bg, strong_share)
  elseif not bg and text and normal.bg then
    bg = blend(normal.bg, text, text_share)
  end
  return {
    bg = bg,
    ctermbg = ctermbg,
    fg = not bg and text or nil,
    ctermfg = not ctermbg and (strongest or group.ctermfg) or nil,
  }
end

-- Some colour schemes hide the lines between windows. Between chat and prompt there is nothing else to see.
local least_contrast, line_share = 1.3, 0.25

---@param name string
---@return vim.api.keyset.highlight
local function visible_line(name)
  local normal = vim.api.nvim_get_hl(0, { name = 'Normal', link = false })
  local line = vim.api.nvim_get_hl(0, { name = name, link = false })
  local is_hidden = line.fg and normal.bg and contrast(line.fg, normal.bg) < least_contrast
  return {
    fg = is_hidden and normal.fg and blend(normal.bg, normal.fg, line_share) or line.fg,
    ctermfg = line.ctermfg,
  }
end

---@param group acp.HighlightGroup
---@return vim.api.keyset.highlight
local function with_colours_of(group)
  local colours = vim.api.nvim_get_hl(0, { name = group.from, link = false })
  local style = { bold = group.bold, italic = group.italic }
  return vim.tbl_extend('error', {
    fg = readable(colours.fg),
    ctermfg = colours.ctermfg,
    cterm = next(style) and style or nil,
  }, style)
end

-- The colours of the default colour scheme, for colour schemes that set none for terminals.
local ansi_names = { 'Red', 'Green', 'Yellow', 'Blue', 'Magenta', 'Cyan' }

-- The colour that the output has in a terminal window. Blue can't be read on black, so terminals with bright colours
-- show these on a dark background, as the default colour scheme does.
---@param number integer
---@return vim.api.keyset.highlight
local function ansi(number)
  local is_dark = vim.o.background == 'dark'
  local given = vim.g['terminal_color_' .. number]
  local fg = type(given) == 'string' and vim.api.nvim_get_color_by_name(given) or -1
  if fg == -1 then
    local shade = is_dark and 'NvimLight' or 'NvimDark'
    fg = vim.api.nvim_get_color_by_name(shade .. ansi_names[number])
  end
  return { fg = readable(fg), ctermfg = is_dark and count_colours() >= 16 and number + 8 or number }
end

---@param group acp.HighlightGroup
---@return vim.api.keyset.highlight
local function definition_of(group)
  if group.ansi then
    return ansi(group.ansi)
  elseif group.tint then
    return tint(group.tint)
  elseif group.behind then
    return behind(group.behind)
  elseif group.line then
    return visible_line(group.line)
  elseif group.from then
    return with_colours_of(group)
  end
  return { link = group.link, bold = group.bold, italic = group.italic }
end

---@type table<string, vim.api.keyset.get_hl_info> what was set last, by group
local last = {}

---@param name string
---@return vim.api.keyset.get_hl_info
local function read(name)
  local found = vim.api.nvim_get_hl(0, { name = name })
  found.default = nil
  return found
end

-- A group that differs from what was set here is of the user or the colour scheme. Others follow the colours that they
-- are derived from, which not every colour scheme clears before it sets its own.
---@param name string
---@param group acp.HighlightGroup
local function set(name, group)
  local found = read(name)
  local is_unset = next(found) == nil
  if is_unset or vim.deep_equal(found, last[name]) then
    local definition = vim.tbl_extend('force', definition_of(group), { default = is_unset })
    vim.api.nvim_set_hl(0, name, definition)
    last[name] = read(name)
  end
end

local function set_all()
  for name, group in pairs(M.groups) do
    set(name, group)
  end
end

--- Defines the groups now and whenever the colours that they are derived from have changed. The default colours change
--- with 'background' without the event of a colour scheme.
function M.define()
  set_all()
  local on = require('acp.ui.autocommands').group('highlight')
  on('ColorScheme', set_all)
  vim.api.nvim_create_autocmd('OptionSet', {
    group = 'acp.highlight',
    pattern = 'background',
    callback = set_all,
  })
end

return M
