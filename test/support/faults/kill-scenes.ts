import type { HostRig } from './host-rig.ts';
import type { Random } from './random.ts';

/** What happens when the host is killed. `within` is the latest moment, in milliseconds. */
export interface Scene {
  readonly within: number;
  /** It sends what is in the prompt buffer. */
  readonly isDraftSent?: boolean;
  begin(rig: HostRig, random: Random): Promise<unknown>;
}

const version = (random: Random) => 1 + random.below(1_000_000);

export const killScenes: Readonly<Record<string, Scene>> = {
  'the host starts': { within: 250, begin: ({ nvim }) => nvim.command('AcpRestart!') },
  'the agent starts': { within: 350, begin: ({ nvim }) => nvim.command('AcpNew busy | stopinsert') },
  'text is streamed': { within: 200, begin: (rig) => rig.send([['stream', 150, 1]]) },
  'text floods in': { within: 80, begin: (rig) => rig.send([['stream', 3_000, 0]]) },
  'tools are called': { within: 200, begin: (rig) => rig.send([['plan'], ['calls', 30, 3]]) },
  'files are written': {
    within: 250,
    begin: (rig, random) =>
      rig.send([
        ['write', 'open.txt', version(random)],
        ['write', 'closed.txt', version(random)],
        ['write', 'open.txt', version(random)],
        ['write', 'other.txt', version(random)],
      ]),
  },
  'a command runs': {
    within: 250,
    begin: (rig) =>
      rig.send([
        ['terminal', 'seq 30000'],
        ['terminal', 'sleep 100'],
      ]),
  },
  'a question is open': { within: 150, begin: (rig) => rig.send([['ask']]) },
  'a form is open': { within: 150, begin: (rig) => rig.send([['form']]) },
  'a prompt is typed and sent': {
    within: 60,
    isDraftSent: true,
    begin: (rig) => rig.nvim.input(`<C-w>b<Esc>i${rig.nextToken()} and a draft<Esc><CR>`),
  },
  'prompts wait': {
    within: 100,
    begin: async (rig) => {
      await rig.send([['hang']]);
      for (let prompt = 0; prompt < 3; prompt += 1) await rig.send();
    },
  },
  'changes are rejected': {
    within: 200,
    begin: async (rig, random) => {
      await rig.converse([
        ['disk', 'closed.txt', version(random)],
        ['write', 'other.txt', version(random)],
      ]);
      await rig.nvim.command('AcpReview');
      await rig.nvim.waitFor(
        () => rig.nvim.lua("return require('acp.chats').current().review ~= nil"),
        'the review',
      );
      await rig.nvim.input('X');
    },
  },
  'files are restored': {
    within: 200,
    begin: async (rig, random) => {
      await rig.converse([
        ['disk', 'closed.txt', version(random)],
        ['write', 'open.txt', version(random)],
      ]);
      await rig.nvim.lua('rig.takes = 2');
      await rig.nvim.command('AcpRestore');
    },
  },
  'sessions are listed': { within: 150, begin: ({ nvim }) => nvim.command('AcpSessions') },
};
