import type { Walk } from './walk.ts';

async function send(walk: Walk): Promise<void> {
  const chat = await walk.aChat();
  const steps = walk.steps(chat);
  const isLast = walk.random.below(40) === 0;
  const token = await walk.rig.send(isLast ? [...steps, ['exit']] : steps, chat);
  walk.prompts.set(chat, [...(walk.prompts.get(chat) ?? []), token]);
}

/** The user changes their lines of a file in its buffer, and may save it. */
async function type(walk: Walk): Promise<void> {
  const name = walk.fileOf(await walk.aChat());
  const file = walk.typeInto(name);
  const isSaved = walk.random.below(2) === 0;
  if (isSaved) file.saved.add(file.typed);
  await walk.rig.nvim.lua(
    `local name, text, is_saved = ...
     local buf = vim.fn.bufadd(name)
     vim.fn.bufload(buf)
     vim.bo[buf].buflisted = true
     vim.api.nvim_buf_set_lines(buf, 0, 1, true, { text })
     if is_saved then vim.api.nvim_buf_call(buf, function() vim.cmd('silent write!') end) end`,
    walk.rig.nvim.sandbox.path(name),
    file.typed,
    isSaved,
  );
}

async function answer(walk: Walk): Promise<void> {
  await walk.rig.nvim.lua(
    `local which = ...
     local questions = require('acp').questions()
     local question = questions[1 + which % math.max(1, #questions)]
     if question and #(question.choices or {}) > 0 then require('acp').answer(question, 1 + which % 2) end`,
    walk.random.below(100),
  );
}

/** Chooses an item of the picker that was opened last, or closes it. */
async function choose(walk: Walk): Promise<void> {
  const which = walk.random.below(3);
  await walk.rig.nvim.lua(
    `local picker, which = table.remove(rig.pickers), ...
     if picker then picker.answer(picker.items[which], picker.items[which] and which or nil) end`,
    which,
  );
}

/** The user writes a draft. One with a prompt that came back is left alone, because it must not get lost. */
async function draft(walk: Walk): Promise<void> {
  await walk.run('AcpChat');
  const keys = walk.random.pick(['<Esc>Gosome words @fi<Esc>', '<Esc>ggdG', '<Esc>ione<CR>two<Esc>']);
  await walk.rig.nvim.lua(
    `local chat = require('acp.chats').current()
     local text = table.concat(vim.api.nvim_buf_get_lines(chat.prompt, 0, -1, false), '\\n')
     if vim.api.nvim_get_current_buf() == chat.prompt and not text:find('p%d') then vim.api.nvim_input(...) end`,
    keys,
  );
}

async function switchChat(walk: Walk): Promise<void> {
  await walk.rig.nvim.lua(
    "require('acp.chats').select(require('acp.chats').get(...)) vim.cmd('silent AcpChat') vim.cmd.stopinsert()",
    await walk.aChat(),
  );
}

async function close(walk: Walk): Promise<void> {
  const chats = await walk.chats();
  if (chats.length < 2) return;
  await switchChat(walk);
  const closed = await walk.rig.nvim.lua<number>("return require('acp.chats').current().id");
  await walk.run('AcpClose');
  walk.prompts.delete(closed);
}

async function open(walk: Walk): Promise<void> {
  if ((await walk.chats()).length < 4) await walk.run('AcpNew busy');
}

/** Opens the review, or presses a key in the one that is open. */
async function review(walk: Walk): Promise<void> {
  const isOpen = await walk.rig.nvim.lua<boolean>(
    `local review = require('acp.chats').current().review
     local win = review and vim.fn.win_findbuf(review)[1]
     if win then
       vim.api.nvim_set_current_win(win)
       vim.cmd.stopinsert()
       vim.api.nvim_input(...)
     end
     return win ~= nil`,
    walk.random.pick(['X', 'K', ']h', 'x', 'q']),
  );
  if (!isOpen) await walk.run('AcpReview');
}

async function restore(walk: Walk): Promise<void> {
  await walk.rig.nvim.lua('rig.takes = 2');
  await walk.run('AcpRestore');
}

/** The first of the earlier sessions, which may be one that was closed. */
async function reopen(walk: Walk): Promise<void> {
  if ((await walk.chats()).length >= 4) return;
  await walk.rig.nvim.lua('rig.takes = 1');
  await walk.run('AcpSessions');
}

async function resize(walk: Walk): Promise<void> {
  await walk.rig.nvim.resize(80 + walk.random.below(100), 20 + walk.random.below(40));
}

async function arrange(walk: Walk): Promise<void> {
  await walk.run(walk.random.pick(windowCommands));
}

async function killHost(walk: Walk): Promise<void> {
  const exits = await walk.rig.exits();
  await walk.rig.nvim.lua('rig.kill_after(0)');
  await walk.rig.recover(exits, false);
}

const windowCommands = [
  ...[
    'wincmd o',
    'wincmd s',
    'wincmd v',
    'wincmd c',
    'wincmd T',
    'wincmd H',
    'wincmd J',
    'wincmd w',
    'wincmd =',
  ],
  ...[
    'only',
    'tabnew',
    'tabclose',
    'tabonly',
    'tabnext',
    'copen',
    'cclose',
    'enew!',
    'bdelete',
    'edit f1.txt',
  ],
  ...['AcpChat', 'AcpChat!', 'AcpPlan', 'AcpTraffic', 'AcpTerminals', 'AcpInbox', 'AcpAnswer'],
];

const actions = {
  send: send,
  cancel: async (walk: Walk) => walk.rig.nvim.lua("require('acp').cancel(...)", await walk.aChat()),
  answer: answer,
  choose: choose,
  type: type,
  draft: draft,
  switch: switchChat,
  close: close,
  open: open,
  review: review,
  restore: restore,
  reopen: reopen,
  resize: resize,
  arrange: arrange,
  'restart the agent': (walk: Walk) => walk.run('AcpRestart'),
  'restart the host': (walk: Walk) => walk.run('AcpRestart!'),
  'kill the host': killHost,
} satisfies Record<string, (walk: Walk) => Promise<unknown>>;

type Action = keyof typeof actions;

const weights: Partial<Record<Action, number>> = {
  ...{ send: 14, cancel: 5, answer: 8, choose: 6, type: 8, draft: 4, arrange: 6 },
  ...{ switch: 4, open: 4, close: 2, review: 5, restore: 2, reopen: 2, resize: 2 },
};
const weighted = (Object.keys(actions) as Action[]).flatMap((name) =>
  Array.from({ length: weights[name] ?? 1 }, () => name),
);

/** Takes a random step and returns its name. */
export async function takeStep(walk: Walk): Promise<Action> {
  const name = walk.random.pick(weighted);
  await actions[name](walk);
  return name;
}
