--- Mentions that are added to the end of a text.
local M = {}

---@param line string
---@return string|nil mark, boolean is_alone
local function fence_in(line)
  local mark, rest = line:match('^ ? ? ?(```+)(.*)$')
  if not mark then
    mark, rest = line:match('^ ? ? ?(~~~+)(.*)$')
  end
  return mark, mark ~= nil and vim.trim(rest) == ''
end

--- The fence of a code block that is not closed. What follows in it is code, in which nothing is a mention.
---@param lines string[]
---@return string|nil
function M.open_fence(lines)
  local open
  for _, line in ipairs(lines) do
    local mark, is_alone = fence_in(line)
    if mark and not open then
      open = mark
    elseif mark and is_alone and mark:sub(1, 1) == open:sub(1, 1) and #mark >= #open then
      open = nil
    end
  end
  return open
end

--- A text with mentions below it, in a paragraph of their own.
---@param text string
---@param mentions string
---@return string
function M.mentions(text, mentions)
  if mentions == '' then
    return text
  end
  local fence = M.open_fence(vim.split(text, '\n', { plain = true }))
  return table.concat({ fence and text .. '\n' .. fence or text, mentions }, '\n\n')
end

return M
