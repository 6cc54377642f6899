--- Mentions of what the code defines: `@function`, `@class` and `@symbol:Name`. Treesitter is asked first, then the
--- language servers.
local M = {}

local api = vim.api
local items = require('acp.context.items')
local max_symbols = 10
-- Neovim 0.10 can't parse in the background.
local max_parse_bytes = 1024 * 1024

---@class acp.SyntaxKind
---@field word string for the user
---@field types string[] parts of the names of syntax nodes
---@field others string[] parts of the names of nodes that are something else
---@field symbols table<integer, true> kinds of symbols in the language server protocol

---@type table<string, acp.SyntaxKind>
local kinds = {
  ['function'] = {
    word = 'function',
    types = { 'function', 'method', 'constructor', 'procedure', 'subroutine', 'lambda', 'closure' },
    others = { 'call', 'invocation', 'type', 'signature', 'param', 'declarator', 'body', 'name' },
    symbols = { [6] = true, [9] = true, [12] = true },
  },
  class = {
    word = 'class',
    types = {
      'class',
      'struct',
      'interface',
      'trait',
      'impl',
      'enum',
      'union',
      'record',
      'protocol',
    },
    others = {
      'expression',
      'body',
      'heritage',
      'pattern',
      'field',
      'member',
      'name',
      'variant',
      'enumerator',
    },
    symbols = { [5] = true, [10] = true, [11] = true, [23] = true },
  },
}

local function has_part(name, parts)
  return vim.iter(parts):any(function(part)
    return name:find(part, 1, true) ~= nil
  end)
end

local function is_of_kind(node, kind)
  local name = node:type()
  return node:named() and has_part(name, kind.types) and not has_part(name, kind.others)
end

-- A function that is passed to a call is a part of the one around it.
local function is_argument(node)
  local parent = node:parent()
  return parent ~= nil and parent:type():find('argument', 1, true) ~= nil
end

---@param node TSNode|nil
---@param kind acp.SyntaxKind
---@return { first: integer, last: integer }|nil
local function enclosing(node, kind)
  local innermost
  while node do
    if is_of_kind(node, kind) then
      innermost = innermost or node
      if not is_argument(node) then
        innermost = node
        break
      end
    end
    node = node:parent()
  end
  if not innermost then
    return nil
  end
  local parent = innermost:parent()
  local outer = parent and parent:type():find('decorated', 1, true) and parent or innermost
  local first, _, last, column = outer:range()
  return { first = first + 1, last = column == 0 and last > first and last or last + 1 }
end

---@param buf integer
---@param cursor integer[]
---@param done fun(node: TSNode|nil)
local function syntax_node(buf, cursor, done)
  local ok, parser = pcall(vim.treesitter.get_parser, buf)
  if not ok or not parser then
    return done(nil)
  end
  local function find()
    local found, node =
      pcall(vim.treesitter.get_node, { bufnr = buf, pos = { cursor[1] - 1, cursor[2] } })
    done(found and node or nil)
  end
  if vim.fn.has('nvim-0.11') == 1 then
    return parser:parse(nil, find)
  end
  if api.nvim_buf_get_offset(buf, api.nvim_buf_line_count(buf)) > max_parse_bytes then
    return done(nil)
  end
  parser:parse()
  find()
end

---@param client vim.lsp.Client
---@param method string
---@param params table
---@param buf integer
---@param done fun(result: any)
local function request(client, method, params, buf, done)
  local function handle(_, result)
    done(result)
  end
  local sent
  if vim.fn.has('nvim-0.11') == 1 then
    sent = client:request(method, params, handle, buf)
  else
    sent = client.request(method, params, handle, buf)
  end
  if not sent then
    done(nil)
  end
end

-- Asks all language servers of a buffer that know a method, and calls back with all results.
---@param buf integer
---@param method string
---@param params table
---@param done fun(results: { client: vim.lsp.Client, result: any }[])
local function request_all(buf, method, params, done)
  local clients = vim.lsp.get_clients({ bufnr = buf, method = method })
  local results, missing = {}, #clients
  if missing == 0 then
    return done({})
  end
  for _, client in ipairs(clients) do
    request(client, method, params, buf, function(result)
      table.insert(results, { client = client, result = result })
      missing = missing - 1
      if missing == 0 then
        done(results)
      end
    end)
  end
end

-- Calls back with every symbol of a tree.
local function each_symbol(symbols, visit)
  for _, symbol in ipairs(symbols or {}) do
    visit(symbol, symbol.range or symbol.location.range)
    each_symbol(symbol.children, visit)
  end
end

local function lines_of(range)
  local last = range['end']
  local is_before = last.character == 0 and last.line > range.start.line
  return { first = range.start.line + 1, last = last.line + (is_before and 0 or 1) }
end

local function smallest(best, lines)
  return (not best or lines.last - lines.first < best.last - best.first) and lines or best
end

---@param buf integer
---@param line integer
---@param kind acp.SyntaxKind
---@param done fun(range: { first: integer, last: integer }|nil)
local function enclosing_symbol(buf, line, kind, done)
  local params = { textDocument = { uri = vim.uri_from_bufnr(buf) } }
  request_all(buf, 'textDocument/documentSymbol', params, function(results)
    local best
    for _, each in ipairs(results) do
      each_symbol(each.result, function(symbol, range)
        local lines = lines_of(range)
        if kind.symbols[symbol.kind] and lines.first <= line and line <= lines.last then
          best = smallest(best, lines)
        end
      end)
    end
    done(best)
  end)
end

---@param kind acp.SyntaxKind
---@return acp.ContextProvider
local function around_cursor(kind)
  return function(_, _, answer)
    local win, buf = items.origin()
    if not win then
      return answer(items.no_window)
    end
    local cursor = api.nvim_win_get_cursor(win)
    local function finish(range)
      local problem = ('no %s around the cursor is known to treesitter or a language server'):format(
        kind.word
      )
      answer(range and items.of_buffer(buf, range) or items.problem(problem))
    end
    syntax_node(buf, cursor, function(node)
      local range = enclosing(node, kind)
      if range then
        return finish(range)
      end
      enclosing_symbol(buf, cursor[1], kind, finish)
    end)
  end
end

M['function'] = around_cursor(kinds['function'])
M.class = around_cursor(kinds.class)

-- The symbols whose name is the one given, else those that differ only in case.
local function matching(symbols, name, container)
  local function filter(is_same)
    return vim.tbl_filter(function(each)
      local symbol = each.symbol
      return is_same(symbol.name, name)
        and (not container or (symbol.containerName or ''):find(container, 1, true) ~= nil)
        and vim.startswith(symbol.location.uri, 'file:')
    end, symbols)
  end
  local exact = filter(function(one, other)
    return one == other or one:gsub('%(.*$', '') == other
  end)
  return #exact > 0 and exact
    or filter(function(one, other)
      return one:lower() == other:lower()
    end)
end

-- Many servers report only the line with the name. The symbols of the document have the lines of the definition.
local function whole_range(each, buf, done)
  local symbol, client = each.symbol, each.client
  local range = symbol.location.range
  if not range then
    return done(nil)
  end
  local lines = lines_of(range)
  local is_known =
    vim.lsp.get_clients({ id = client.id, method = 'textDocument/documentSymbol' })[1]
  if lines.last > lines.first or not is_known then
    return done(lines)
  end
  local params = { textDocument = { uri = symbol.location.uri } }
  request(client, 'textDocument/documentSymbol', params, buf, function(result)
    local best
    each_symbol(result, function(other, other_range)
      local found = lines_of(other_range)
      if other.name == symbol.name and found.first <= lines.first and lines.first <= found.last then
        best = smallest(best, found)
      end
    end)
    done(best or lines)
  end)
end

---@param found { client: vim.lsp.Client, symbol: table }[]
---@param buf integer
---@param done fun(items: acp.ContextItem[])
local function references(found, buf, done)
  local result, missing = {}, math.min(#found, max_symbols)
  for index = 1, missing do
    local each = found[index]
    whole_range(each, buf, function(range)
      result[index] = { path = vim.uri_to_fname(each.symbol.location.uri), range = range }
      missing = missing - 1
      if missing == 0 then
        done(result)
      end
    end)
  end
end

---@type acp.ContextProvider
function M.symbol(argument, _, answer)
  local win, buf = items.origin()
  if not win then
    return answer(items.no_window)
  end
  local method = 'workspace/symbol'
  if #vim.lsp.get_clients({ bufnr = buf, method = method }) == 0 then
    return answer(items.problem('no language server of this buffer knows symbols'))
  end
  -- `Class.method` or `module::name`
  local container, name = argument:match('^(.-)[.:]+([^.:]+)$')
  name = name or argument
  request_all(buf, method, { query = name }, function(results)
    local symbols = {}
    for _, each in ipairs(results) do
      for _, symbol in ipairs(each.result or {}) do
        table.insert(symbols, { client = each.client, symbol = symbol })
      end
    end
    local found = matching(symbols, name, container)
    if #found == 0 then
      return answer(items.problem('no language server knows such a symbol'))
    end
    references(found, buf, function(list)
      local left = #found - #list
      local problem = left > 0 and ('%d more symbols have this name'):format(left) or nil
      answer({ items = list, problem = problem })
    end)
  end)
end

return M
