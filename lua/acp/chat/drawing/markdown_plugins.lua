--- Lets plugins such as render-markdown.nvim and markview.nvim draw the Markdown of a transcript.
local M = {}

local api = vim.api

-- They draw the whole screen again, so text that streams in is announced at most this often.
local pause_ms = 100

---@type table<integer, boolean> buffers whose change will be announced
local is_waiting = {}

---@return boolean
function M.are_used()
  return require('acp.config').get().markdown == 'plugin'
end

--- Gives the filetype of transcripts a parser; to be called before the filetype is set.
function M.register_parser()
  vim.treesitter.language.register('markdown', 'acp')
end

-- Neovim tells only about changes of the current buffer.
---@param buf integer
---@param patches table[] that were drawn
function M.announce_change(buf, patches)
  if #patches == 0 or is_waiting[buf] or not M.are_used() then
    return
  end
  is_waiting[buf] = true
  vim.defer_fn(function()
    is_waiting[buf] = nil
    if api.nvim_buf_is_valid(buf) then
      api.nvim_exec_autocmds('TextChanged', { buffer = buf, modeline = false })
    end
  end, pause_ms)
end

return M
