import type { StopReason } from '@agentclientprotocol/sdk';
import { askQuestion, requestPermission, requestSeveralPermissions } from './commands/ask.ts';
import { proposeEdit } from './commands/edit.ts';
import { showForm, showLink } from './commands/elicit.ts';
import { sendLongAnswer, sendSlowAnswer } from './commands/flood.ts';
import { greet } from './commands/hello.ts';
import { listCommands } from './commands/help.ts';
import { sendMarkdown } from './commands/markdown.ts';
import { requestManyPermissions } from './commands/permissions/many.ts';
import { showRules } from './commands/permissions/rules.ts';
import { showPlan } from './commands/plan.ts';
import { showQueue } from './commands/prompts/queue.ts';
import { showSteering } from './commands/prompts/steer.ts';
import { suggestPrompt } from './commands/prompts/suggest.ts';
import { showFile } from './commands/read.ts';
import { exchangeResources, sendNotices, setTitle, showUsage } from './commands/reports.ts';
import { runShellCommand } from './commands/run.ts';
import { showThought } from './commands/think.ts';
import { showToolCalls } from './commands/tools.ts';
import { runTour } from './commands/tour.ts';
import { answerWithError, crash, hang, ignoreCancel, refuse, runOutOfTokens } from './commands/trouble.ts';
import { sendUnicode } from './commands/unicode.ts';
import type { TourTurn } from './turn.ts';

/** Runs a command; `rest` is the prompt without its first word. */
type CommandRunner = (turn: TourTurn, rest: string) => Promise<void>;

export interface TourCommand {
  readonly name: string;
  readonly group: 'show' | 'work' | 'trouble';
  readonly description: string;
  readonly run: CommandRunner;
  /** The optional argument. */
  readonly hint?: string;
  /** The stop reason, unless it is `end_turn`. */
  readonly stopReason?: StopReason;
}

/** All commands of the tour. `help` and the slash commands are generated from this list. */
export const commands: readonly TourCommand[] = [
  { name: 'tour', group: 'show', description: 'Shows the main features step by step', run: runTour },
  { name: 'hello', group: 'show', description: 'Greets you', run: greet },
  {
    name: 'help',
    group: 'show',
    description: 'Lists all commands',
    run: (turn) => listCommands(turn, commands),
  },
  { name: 'think', group: 'show', description: 'A thought, folded until you open it', run: showThought },
  { name: 'plan', group: 'show', description: 'A plan whose steps are checked off', run: showPlan },
  { name: 'tools', group: 'show', description: 'Tool calls of several kinds; one fails', run: showToolCalls },
  { name: 'markdown', group: 'show', description: 'Headings, lists, tables and code', run: sendMarkdown },
  {
    name: 'unicode',
    group: 'show',
    description: 'Many scripts and control characters',
    run: sendUnicode,
  },
  { name: 'title', group: 'show', description: 'Sets the title of this chat', hint: 'text', run: setTitle },
  { name: 'usage', group: 'show', description: 'Context usage and cost', run: showUsage },
  { name: 'notice', group: 'show', description: 'Notices of three severities', run: sendNotices },
  {
    name: 'resources',
    group: 'show',
    description: 'Lists what you attached, and attaches something',
    hint: '@file',
    run: exchangeResources,
  },
  {
    name: 'read',
    group: 'work',
    description: 'Reads a file through the editor',
    hint: 'path',
    run: showFile,
  },
  {
    name: 'edit',
    group: 'work',
    description: 'Proposes a change to a file',
    hint: 'path',
    run: proposeEdit,
  },
  {
    name: 'run',
    group: 'work',
    description: 'Runs a command in a terminal',
    hint: 'command',
    run: runShellCommand,
  },
  { name: 'ask', group: 'work', description: 'Asks you a question', run: askQuestion },
  { name: 'form', group: 'work', description: 'A form with fields of every kind', run: showForm },
  {
    name: 'link',
    group: 'work',
    description: 'Asks to open a web page',
    hint: 'url',
    run: showLink,
  },
  { name: 'permission', group: 'work', description: 'Asks for permission', run: requestPermission },
  {
    name: 'questions',
    group: 'work',
    description: 'Asks several questions at once',
    run: requestSeveralPermissions,
  },
  {
    name: 'many',
    group: 'work',
    description: 'Asks 40 questions of three kinds at once',
    run: requestManyPermissions,
  },
  { name: 'rules', group: 'work', description: 'Asks until you make a rule', run: showRules },
  {
    name: 'queue',
    group: 'work',
    description: 'Works for a while, so that you can queue prompts',
    hint: 'seconds',
    run: showQueue,
  },
  {
    name: 'steer',
    group: 'work',
    description: 'Works until you send a prompt into the turn',
    run: showSteering,
  },
  {
    name: 'suggest',
    group: 'work',
    description: 'Suggests your next prompt',
    hint: 'text',
    run: suggestPrompt,
  },
  {
    name: 'long',
    group: 'trouble',
    description: 'A long answer at full speed',
    hint: 'chunks',
    run: sendLongAnswer,
  },
  {
    name: 'slow',
    group: 'trouble',
    description: 'A slow answer to try cancelling',
    hint: 'chunks',
    run: sendSlowAnswer,
  },
  { name: 'error', group: 'trouble', description: 'Answers with an error', run: answerWithError },
  { name: 'crash', group: 'trouble', description: 'Exits in the middle of an answer', run: crash },
  { name: 'hang', group: 'trouble', description: 'Does not answer until cancelled', run: hang },
  {
    name: 'deaf',
    group: 'trouble',
    description: 'Does not answer and ignores cancelling',
    run: ignoreCancel,
  },
  { name: 'refuse', group: 'trouble', description: 'Refuses to answer', run: refuse, stopReason: 'refusal' },
  {
    name: 'limit',
    group: 'trouble',
    description: 'Runs out of tokens',
    run: runOutOfTokens,
    stopReason: 'max_tokens',
  },
];

const fallbackCommand: TourCommand = { name: '', group: 'show', description: '', run: greet };

export function findCommand(name: string): TourCommand {
  return commands.find((command) => command.name === name) ?? fallbackCommand;
}
