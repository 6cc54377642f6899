import { textContent } from '../tool-call.ts';
import type { TourTurn } from '../turn.ts';
import { askQuestion } from './ask.ts';
import { proposeEdit } from './edit.ts';
import { filesIn, showFile } from './read.ts';
import { runShellCommand } from './run.ts';

interface TourStep {
  readonly step: string;
  readonly introduction: string;
  readonly run: (turn: TourTurn, rest: string) => Promise<void>;
}

const chapterBeats = 40;
const searchBeats = 20;
const shownFiles = 20;

const welcome = `I am the tour, a small agent that comes with acp.nvim. I run on this machine, need no key and no network, and change nothing without asking you.

\`<C-c>\` in Normal mode stops me, and \`:AcpCancel\` from any window.`;

const firstThought = 'A new user. First something to look at, then something to decide, and keep it short.';

const afterThought = `The line with \`▸\` above is a folded thought. \`za\` or \`<CR>\` on it opens it.

Below is a plan. Its marks change while I work.`;

const tourSteps: readonly TourStep[] = [
  {
    step: 'Look around',
    introduction: 'First I look around. Each tool call is one line. It opens like a thought.',
    run: lookAround,
  },
  {
    step: 'Change a file',
    introduction:
      'Now I propose a change and wait. In Normal mode `gw` goes to the question, and the number of an answer chooses it.',
    run: proposeEdit,
  },
  {
    step: 'Run a command',
    introduction: 'Agents can run commands if you allow it. You see the output while they run.',
    run: runShellCommand,
  },
  {
    step: 'Ask you something',
    introduction: 'Finally, a question. You can leave it unanswered.',
    run: askQuestion,
  },
];

const farewell = `That was the tour. What to try next:

- \`:AcpChat {agent}\` opens a chat with an agent; \`<Tab>\` completes the names.
- \`<CR>\` in Normal mode sends the prompt. A prompt sent while the agent works is queued; \`queue\` and \`steer\` show what you can do with it.
- \`:AcpSend\` sends lines: select some code, then \`:'<,'>AcpSend what does this do?\`
- \`@\` in a prompt mentions a file, which is then attached. Try \`resources @\` and choose one from the menu.
- \`:AcpRestart\` restarts an agent that is stuck.
- \`:checkhealth acp\` finds what is missing, \`:help acp\` explains everything.

\`help\` lists my other commands.`;

export async function runTour(turn: TourTurn): Promise<void> {
  await turn.sendMessage(welcome);
  await turn.sendThought(firstThought);
  await turn.sendExplanation(afterThought);
  const steps = tourSteps.map(({ step }) => step);
  for (const [index, { introduction: before, run: play }] of tourSteps.entries()) {
    await turn.sendPlan(steps, index);
    await turn.sendExplanation(before);
    await play(turn, '');
    await turn.pause(chapterBeats);
  }
  await turn.sendPlan(steps, steps.length);
  await turn.sendMessage(farewell);
}

async function lookAround(turn: TourTurn): Promise<void> {
  const tool = await turn.startToolCall({ kind: 'search', title: 'files in this folder' });
  await tool.begin();
  const names = await filesIn(turn.session.cwd);
  await turn.pause(searchBeats);
  await tool.finish(textContent(names.slice(0, shownFiles).join('\n') || 'No files.'));
  await showFile(turn, '');
}
