import path from 'node:path';
import type { NvimOptions } from '../nvim/nvim.ts';
import { repoRoot } from '../nvim/nvim-process.ts';
import { Sandbox } from '../nvim/sandbox.ts';
import { answerImmediately, withoutLater } from '../nvim/user.ts';
import { hasGit, makeRepository } from '../system/git.ts';
import { aSharedFile } from './shared-file.ts';

const agent = path.join(repoRoot, 'test/fixtures/agents/busy.mjs');

/** Lua functions of the rig. The listener of exits is added first, so it sees what the user saw. */
const functions = `
local host = require('acp.host')
local function text(buf)
  return buf and table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\\n') or ''
end
-- The first item of so many pickers is chosen by itself.
_G.rig = { exits = {}, pickers = {}, takes = 0 }
function rig.shown()
  local shown = {}
  for id, chat in pairs(require('acp.chats').all()) do
    local queue = table.concat(require('acp').queue(id), '\\n')
    table.insert(shown, { id = id, text = text(chat.buf), draft = text(chat.prompt), queue = queue })
  end
  return shown
end
host.on('exit', function(_, is_restarted)
  -- A walk that keeps all of them would look like a leak.
  if rig.exits[#rig.exits] then rig.exits[#rig.exits].chats = {} end
  table.insert(rig.exits, { chats = rig.shown(), isRestarted = is_restarted })
end)
-- The tab page that the user is on may show no chat.
function rig.shows_host_down()
  return vim.iter(pairs(require('acp.chats').all())):all(function(_, chat)
    return vim.iter(chat.buf and vim.fn.win_findbuf(chat.buf) or {}):all(function(win)
      return vim.wo[win].winbar:find('the host is down', 1, true) ~= nil
    end)
  end)
end
-- The newest one: the one before may still be ending.
function rig.pid()
  local newest
  for _, channel in ipairs(vim.api.nvim_list_chans()) do
    local is_host = vim.list_contains(channel.argv or {}, require('acp.paths').root .. '/rplugin/node/acp.js')
    newest = is_host and math.max(newest or 0, channel.id) or newest
  end
  local ok, pid = pcall(vim.fn.jobpid, newest)
  return ok and pid or nil
end
local kill
function kill()
  -- The last one may have just exited.
  if not rig.pid() then return vim.defer_fn(kill, 10) end
  vim.uv.kill(rig.pid(), 'sigkill')
end
function rig.kill_after(ms) vim.defer_fn(kill, ms) end
-- Kills the host when it has called a number of operations, and after a while if it calls fewer.
function rig.kill_at(count)
  local operations, left = require('acp.operations'), count
  local receive = operations.receive
  local function finish()
    if left then
      operations.receive, left = receive, nil
      kill()
    end
  end
  operations.receive = function(...)
    left = left and left - 1
    local answer = receive(...)
    if left == 0 then finish() end
    return answer
  end
  vim.defer_fn(finish, 400)
end
-- The user never has their own changes undone.
local function unless_undoing(on_choice)
  return function(item, index)
    local is_undoing = type(item) == 'table' and item.op == 'restore.run' and item.payload.all
    return on_choice(not is_undoing and item or nil, not is_undoing and index or nil)
  end
end
${withoutLater}
vim.ui.select = function(items, options, choose)
  local on_choice = unless_undoing(choose)
  items = _G.without_later(items)
  table.insert(rig.pickers, { answer = on_choice, items = items, prompt = options.prompt })
  if rig.takes > 0 then
    rig.takes = rig.takes - 1
    vim.schedule(function() on_choice(items[1], 1) end)
  end
end
vim.ui.input = function(options, on_confirm)
  table.insert(rig.pickers, { answer = on_confirm, items = { 'typed' }, prompt = options.prompt })
end`;

/** Options for a Neovim with the busy agent in a project of its own. */
export function busyOptions(options: NvimOptions = {}): NvimOptions & { readonly sandbox: Sandbox } {
  const sandbox = options.sandbox ?? new Sandbox();
  const files = {
    'open.txt': aSharedFile(0),
    'closed.txt': aSharedFile(0, ''),
    'other.txt': aSharedFile(0, ''),
  };
  sandbox.write(files);
  if (hasGit) makeRepository(sandbox.cwd);
  const config = `vim.g.acp = {
    agents = { busy = { command = { 'node', '${agent}' } } },
    permissions = { 'allow run *', 'allow edit *', 'allow read *' },
  }`;
  return {
    ...{ columns: 140, lines: 40, ...options, sandbox },
    env: {
      ACP_TEST_TROUBLE: path.join(sandbox.root, 'trouble'),
      // Neovim writes it into the project if its own folder can't be written to.
      NVIM_LOG_FILE: path.join(sandbox.root, 'nvim.log'),
      ...options.env,
    },
    init: `${config}\n${answerImmediately}\n${functions}\nvim.o.swapfile = false\n${options.init ?? ''}`,
  };
}
