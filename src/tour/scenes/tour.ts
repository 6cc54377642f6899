import type { Stage } from '../stage.ts';
import { textContent } from '../tool-call.ts';
import { askQuestion } from './ask.ts';
import { proposeEdit } from './edit.ts';
import { filesIn, readFileAloud } from './read.ts';
import { runCommand } from './run.ts';

interface Chapter {
  readonly step: string;
  readonly before: string;
  readonly play: (stage: Stage, rest: string) => Promise<void>;
}

const chapterBeats = 40;
const searchBeats = 20;
const shownFiles = 20;

const welcome = `I am the tour, a small agent that comes with acp.nvim. I run on this machine, need no key and no network, and change nothing without asking you.

\`<C-c>\` or \`:AcpCancel\` stops me at any time.`;

const thought =
  'Somebody is here for the first time. First something to look at, then something to decide, and no lectures.';

const afterThought = `Above this line is a thought. It stays folded until you want it: \`za\` or \`<CR>\` on a line with \`▸\` opens it.

Below is a plan. It is one block, and its marks change in place while I work.`;

const chapters: readonly Chapter[] = [
  {
    step: 'Look around',
    before: 'First I look around. Each tool call is one line that opens like a thought.',
    play: lookAround,
  },
  {
    step: 'Change a file',
    before: 'Now a change. I show it and wait: `:AcpAnswer`, or `<CR>` on the question, tells me yes or no.',
    play: proposeEdit,
  },
  {
    step: 'Run a command',
    before: 'Agents run commands, too, once you allow it. You see what they print while they run.',
    play: runCommand,
  },
  { step: 'Ask you something', before: 'Last, a question. You may leave it unanswered.', play: askQuestion },
];

const farewell = `That was the tour. What to try next:

- \`:AcpChat\` and the name of an agent opens a chat with it; \`<Tab>\` lists the names.
- \`<CR>\` in Normal mode sends the prompt. One sent while the agent works waits for its turn.
- \`:AcpSend\` sends lines: select some code, then \`:'<,'>AcpSend what does this do?\`
- \`:AcpRestart\` starts an agent anew when it is stuck.
- \`:checkhealth acp\` finds what is missing, \`:help acp\` explains everything.

\`help\` lists the other words I know.`;

export async function giveTour(stage: Stage): Promise<void> {
  await stage.say(welcome);
  await stage.think(thought);
  await stage.explain(afterThought);
  const steps = chapters.map(({ step }) => step);
  for (const [index, { before, play }] of chapters.entries()) {
    await stage.plan(steps, index);
    await stage.explain(before);
    await play(stage, '');
    await stage.pause(chapterBeats);
  }
  await stage.plan(steps, steps.length);
  await stage.say(farewell);
}

async function lookAround(stage: Stage): Promise<void> {
  const tool = await stage.startTool({ kind: 'search', title: 'files in this folder' });
  await tool.begin();
  const names = await filesIn(stage.session.cwd);
  await stage.pause(searchBeats);
  await tool.finish(textContent(names.slice(0, shownFiles).join('\n') || 'There are none.'));
  await readFileAloud(stage, '');
}
