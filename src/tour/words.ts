import type { StopReason } from '@agentclientprotocol/sdk';
import { askQuestion, demandPermission } from './scenes/ask.ts';
import { proposeEdit } from './scenes/edit.ts';
import { showForm, showLink } from './scenes/elicit.ts';
import { drip, flood } from './scenes/flood.ts';
import { greet } from './scenes/hello.ts';
import { listWords } from './scenes/help.ts';
import { speakMarkdown } from './scenes/markdown.ts';
import { workOffPlan } from './scenes/plan.ts';
import { readFileAloud } from './scenes/read.ts';
import { exchangeResources, sendNotices, setTitle, showUsage } from './scenes/reports.ts';
import { runCommand } from './scenes/run.ts';
import { showThought } from './scenes/think.ts';
import { useTools } from './scenes/tools.ts';
import { giveTour } from './scenes/tour.ts';
import { answerWithError, crash, hang, ignoreEverything, refuse, runOutOfTokens } from './scenes/trouble.ts';
import { speakUnicode } from './scenes/unicode.ts';
import type { Stage } from './stage.ts';

/** Plays on a stage; `rest` is what follows the word. */
export type Scene = (stage: Stage, rest: string) => Promise<void>;

export interface Word {
  readonly name: string;
  readonly group: 'show' | 'work' | 'trouble';
  readonly about: string;
  readonly scene: Scene;
  /** What may follow the word. */
  readonly hint?: string;
  /** How its turn ends when it is not the ordinary end. */
  readonly ends?: StopReason;
}

/** Everything the tour understands. The help and the slash commands are made from this list. */
export const words: readonly Word[] = [
  { name: 'tour', group: 'show', about: 'Everything worth seeing, step by step', scene: giveTour },
  { name: 'hello', group: 'show', about: 'A greeting', scene: greet },
  { name: 'help', group: 'show', about: 'This list', scene: (stage) => listWords(stage, words) },
  { name: 'think', group: 'show', about: 'A thought, folded until you open it', scene: showThought },
  { name: 'plan', group: 'show', about: 'A plan that is ticked off in place', scene: workOffPlan },
  { name: 'tools', group: 'show', about: 'Tool calls of several kinds; one fails', scene: useTools },
  { name: 'markdown', group: 'show', about: 'Headings, lists, tables and code', scene: speakMarkdown },
  {
    name: 'unicode',
    group: 'show',
    about: 'Many scripts, and characters made harmless',
    scene: speakUnicode,
  },
  { name: 'title', group: 'show', about: 'Gives this chat a title', hint: 'text', scene: setTitle },
  { name: 'usage', group: 'show', about: 'Figures for context and cost', scene: showUsage },
  { name: 'notice', group: 'show', about: 'Notices of three severities', scene: sendNotices },
  { name: 'resource', group: 'show', about: 'What you attached, and links back', scene: exchangeResources },
  {
    name: 'read',
    group: 'work',
    about: 'Reads a file through the editor',
    hint: 'path',
    scene: readFileAloud,
  },
  {
    name: 'edit',
    group: 'work',
    about: 'Proposes a change and asks first',
    hint: 'path',
    scene: proposeEdit,
  },
  { name: 'run', group: 'work', about: 'Runs a command in a terminal', hint: 'command', scene: runCommand },
  { name: 'ask', group: 'work', about: 'Asks you a question', scene: askQuestion },
  { name: 'form', group: 'work', about: 'A form with fields of every kind', scene: showForm },
  {
    name: 'link',
    group: 'work',
    about: 'A page of the web, opened if you like',
    hint: 'url',
    scene: showLink,
  },
  { name: 'permission', group: 'work', about: 'Asks for a permission', scene: demandPermission },
  { name: 'long', group: 'trouble', about: 'A long answer at full speed', hint: 'chunks', scene: flood },
  { name: 'slow', group: 'trouble', about: 'A slow answer, good for stopping', hint: 'chunks', scene: drip },
  { name: 'error', group: 'trouble', about: 'Answers with an error', scene: answerWithError },
  { name: 'crash', group: 'trouble', about: 'Exits in the middle of its answer', scene: crash },
  { name: 'hang', group: 'trouble', about: 'Says nothing until it is stopped', scene: hang },
  { name: 'deaf', group: 'trouble', about: 'Says nothing and cannot be stopped', scene: ignoreEverything },
  { name: 'refuse', group: 'trouble', about: 'Refuses to answer', scene: refuse, ends: 'refusal' },
  { name: 'limit', group: 'trouble', about: 'Runs out of tokens', scene: runOutOfTokens, ends: 'max_tokens' },
];

const unknownWord: Word = { name: '', group: 'show', about: '', scene: greet };

export function findWord(name: string): Word {
  return words.find((word) => word.name === name) ?? unknownWord;
}
