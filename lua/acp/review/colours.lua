--- The colours of buffers that show what a file was or will be. Only its colours: a filetype would start language
--- servers for the buffer.
local M = {}

---@param buf integer
---@param language string|nil of tree-sitter
---@param syntax string
local function set(buf, language, syntax)
  vim.treesitter.stop(buf)
  local is_started = language and pcall(vim.treesitter.start, buf, language)
  vim.bo[buf].syntax = is_started and '' or syntax
end

--- Sets the colours that the name of a file asks for.
---@param buf integer
---@param path string
function M.set_by_name(buf, path)
  -- A path that comes from an agent may not be a valid file name.
  local is_name, found = pcall(vim.filetype.match, { filename = path })
  local filetype = is_name and found or ''
  local language = vim.treesitter.language.get_lang(filetype) or filetype
  -- Without queries, starting a parser would only switch the syntax off.
  local has_query, query = pcall(vim.treesitter.query.get, language, 'highlights')
  set(buf, has_query and query and language or nil, filetype)
end

--- Sets the colours that a file has, or that its name asks for if it is gone.
---@param buf integer what the file was
---@param file integer
---@param path string
function M.copy(buf, file, path)
  local active = vim.treesitter.highlighter.active[file]
  if not active and vim.bo[file].syntax == '' and vim.bo[file].buftype ~= '' then
    return M.set_by_name(buf, path)
  end
  set(buf, active and active.tree:lang(), vim.bo[file].syntax)
end

return M
