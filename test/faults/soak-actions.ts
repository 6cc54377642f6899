import type { Random } from '../support/random.ts';
import { aSharedFile, type HostRig, type Step, usersLines } from './host-rig.ts';

/** One Neovim under a random walk: what the user and the agents do, and what the files have to be. */
export class Walk {
  readonly rig: HostRig;
  readonly random: Random;
  /** The prompts of each chat that is open. */
  readonly prompts = new Map<number, string[]>();
  /** By file: what the user typed last, and everything that the user has saved. */
  readonly files = new Map<string, { typed: string; readonly saved: Set<string> }>();
  private version = 0;
  private typed = 0;

  constructor(rig: HostRig, random: Random) {
    this.rig = rig;
    this.random = random;
  }

  /** Runs Ex commands of the user; an error of Neovim itself is no failure of ours. */
  async run(command: string): Promise<void> {
    await this.rig.nvim.lua(
      `local ok, failure = pcall(vim.cmd, 'silent ' .. ...)
       vim.cmd.stopinsert()
       if not ok and tostring(failure):find('acp/', 1, true) then error(failure) end`,
      command,
    );
  }

  async chats(): Promise<readonly number[]> {
    return this.rig.nvim.lua("return vim.tbl_keys(require('acp.chats').all())");
  }

  async aChat(): Promise<number> {
    return this.random.pick(await this.chats());
  }

  /** The file of a chat, which no other chat writes to. */
  fileOf(chat: number): string {
    const name = `f${chat}.txt`;
    if (!this.files.has(name)) {
      this.files.set(name, { typed: 'user one', saved: new Set(['user one']) });
      this.rig.nvim.sandbox.write({ [name]: aSharedFile(0) });
    }
    return name;
  }

  steps(chat: number): readonly Step[] {
    const file = this.fileOf(chat);
    this.version += 1;
    const { version } = this;
    const kinds: readonly Step[] = [
      ['stream', 40, 1],
      ['stream', 1_000],
      ['calls', 5, 2],
      ['plan'],
      ['write', file, version],
      ['write', file, version],
      ['terminal', 'seq 20000'],
      ['terminal', 'sleep 100'],
      ['ask'],
      ['ask'],
      ['form'],
      ['hang'],
    ];
    return Array.from({ length: 1 + this.random.below(3) }, () => this.random.pick(kinds));
  }

  async send(): Promise<void> {
    const chat = await this.aChat();
    const steps = this.steps(chat);
    const isLast = this.random.below(40) === 0;
    const token = await this.rig.send(isLast ? [...steps, ['exit']] : steps, chat);
    this.prompts.set(chat, [...(this.prompts.get(chat) ?? []), token]);
  }

  /** The user changes their lines of a file in its buffer, and may save it. */
  async type(): Promise<void> {
    const name = this.fileOf(await this.aChat());
    const file = this.files.get(name)!;
    this.typed += 1;
    file.typed = `typed ${this.typed}`;
    const isSaved = this.random.below(2) === 0;
    if (isSaved) file.saved.add(file.typed);
    await this.rig.nvim.lua(
      `local name, text, is_saved = ...
       local buf = vim.fn.bufadd(name)
       vim.fn.bufload(buf)
       vim.bo[buf].buflisted = true
       vim.api.nvim_buf_set_lines(buf, 0, 1, true, { text })
       if is_saved then vim.api.nvim_buf_call(buf, function() vim.cmd('silent write!') end) end`,
      this.rig.nvim.sandbox.path(name),
      file.typed,
      isSaved,
    );
  }

  async answer(): Promise<void> {
    await this.rig.nvim.lua(
      `local which = ...
       local questions = require('acp').questions()
       local question = questions[1 + which % math.max(1, #questions)]
       if question and #(question.choices or {}) > 0 then require('acp').answer(question, 1 + which % 2) end`,
      this.random.below(100),
    );
  }

  /** Chooses an item of the picker that was opened last, or closes it. */
  async choose(): Promise<void> {
    const which = this.random.below(3);
    await this.rig.nvim.lua(
      `local picker, which = table.remove(rig.pickers), ...
       if picker then picker.answer(picker.items[which], picker.items[which] and which or nil) end`,
      which,
    );
  }

  /** The user writes a draft. One with a prompt that came back is left alone, because it must not get lost. */
  async draft(): Promise<void> {
    await this.run('AcpChat');
    const keys = this.random.pick(['<Esc>Gosome words @fi<Esc>', '<Esc>ggdG', '<Esc>ione<CR>two<Esc>']);
    await this.rig.nvim.lua(
      `local chat = require('acp.chats').current()
       local text = table.concat(vim.api.nvim_buf_get_lines(chat.prompt, 0, -1, false), '\\n')
       if vim.api.nvim_get_current_buf() == chat.prompt and not text:find('p%d') then vim.api.nvim_input(...) end`,
      keys,
    );
  }

  async switchChat(): Promise<void> {
    await this.rig.nvim.lua(
      "require('acp.chats').select(require('acp.chats').get(...)) vim.cmd('silent AcpChat') vim.cmd.stopinsert()",
      await this.aChat(),
    );
  }

  async close(): Promise<void> {
    const chats = await this.chats();
    if (chats.length < 2) return;
    await this.switchChat();
    const closed = await this.rig.nvim.lua<number>("return require('acp.chats').current().id");
    await this.run('AcpClose');
    this.prompts.delete(closed);
  }

  async open(): Promise<void> {
    if ((await this.chats()).length < 4) await this.run('AcpNew busy');
  }

  async review(): Promise<void> {
    await this.run('AcpReview');
    const key = this.random.pick(['X', 'K', ']h', 'q']);
    // In another window the key would be the user's own.
    await this.rig.nvim.lua(
      `local review = require('acp.chats').current().review
       if review == vim.api.nvim_get_current_buf() then vim.api.nvim_input(...) end`,
      key,
    );
  }

  async restore(): Promise<void> {
    await this.rig.nvim.lua('rig.takes_first = true');
    await this.run('AcpRestore');
  }

  /** The first of the earlier sessions, which may be one that was closed. */
  async reopen(): Promise<void> {
    if ((await this.chats()).length >= 4) return;
    await this.rig.nvim.lua('rig.takes_first = true');
    await this.run('AcpSessions');
  }

  async resize(): Promise<void> {
    await this.rig.nvim.resize(80 + this.random.below(100), 20 + this.random.below(40));
  }

  async arrange(): Promise<void> {
    await this.run(this.random.pick(windowCommands));
  }

  async killHost(): Promise<void> {
    const exits = await this.rig.exits();
    await this.rig.nvim.lua('rig.kill_after(0)');
    await this.rig.recover(exits, false);
  }

  /** Takes a random step and returns its name. */
  async step(): Promise<string> {
    const name = this.random.pick(weighted);
    await this.rig.nvim.lua('rig.takes_first = false');
    await actions[name](this);
    return name;
  }

  usersLinesOf(name: string): string {
    return usersLines(this.files.get(name)!.typed);
  }
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
  send: (walk: Walk) => walk.send(),
  cancel: async (walk: Walk) => walk.rig.nvim.lua("require('acp').cancel(...)", await walk.aChat()),
  answer: (walk: Walk) => walk.answer(),
  choose: (walk: Walk) => walk.choose(),
  type: (walk: Walk) => walk.type(),
  draft: (walk: Walk) => walk.draft(),
  switch: (walk: Walk) => walk.switchChat(),
  close: (walk: Walk) => walk.close(),
  open: (walk: Walk) => walk.open(),
  review: (walk: Walk) => walk.review(),
  restore: (walk: Walk) => walk.restore(),
  reopen: (walk: Walk) => walk.reopen(),
  resize: (walk: Walk) => walk.resize(),
  arrange: (walk: Walk) => walk.arrange(),
  'restart the agent': (walk: Walk) => walk.run('AcpRestart'),
  'restart the host': (walk: Walk) => walk.run('AcpRestart!'),
  'kill the host': (walk: Walk) => walk.killHost(),
} satisfies Record<string, (walk: Walk) => Promise<unknown>>;

type Action = keyof typeof actions;

const weights: Partial<Record<Action, number>> = {
  ...{ send: 14, cancel: 5, answer: 8, choose: 6, type: 8, draft: 4, arrange: 6 },
  ...{ switch: 4, open: 4, close: 2, review: 2, restore: 2, reopen: 2, resize: 2 },
};
const weighted = (Object.keys(actions) as Action[]).flatMap((name) =>
  Array.from({ length: weights[name] ?? 1 }, () => name),
);
