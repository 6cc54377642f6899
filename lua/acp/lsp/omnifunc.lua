--- Completion for Neovim 0.10, whose own 'omnifunc' drops items that do not begin with the typed text.
local M = {}

local api = vim.api

-- The preview of "completeopt" would open a window, so the items have no documentation.
local function show(result, params)
  local line = api.nvim_get_current_line()
  local start
  local words = vim.tbl_map(function(item)
    start = start or item.textEdit.range.start.character
    return {
      word = item.textEdit.newText,
      abbr = item.label,
      menu = item.detail,
      icase = 1,
      dup = 1,
    }
  end, result.items)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  if row == params.position.line and api.nvim_get_mode().mode:sub(1, 1) == 'i' then
    vim.fn.complete(start and vim.str_byteindex(line, start, true) + 1 or vim.fn.col('.'), words)
  end
end

--- Opens the menu as soon as the host has answered.
function M.open()
  local params = vim.lsp.util.make_position_params(0, 'utf-16')
  local tick = vim.b.changedtick
  require('acp.lsp.completion').complete(params, function(result, deliver)
    local function run()
      if vim.b.changedtick == tick then
        show(result, params)
      end
    end
    vim.schedule(function()
      if deliver then
        return deliver(run)
      end
      run()
    end)
  end)
end

--- 'omnifunc' of the prompt.
function M.complete(find_start)
  if find_start == 1 then
    M.open()
    return -2
  end
  return {}
end

return M
