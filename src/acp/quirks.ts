import { lookUp } from '../base.ts';
import type { AgentEvent } from '../session/events.ts';

/** What one agent does that no rule of the protocol covers. */
export interface Quirks {
  /** A message that is no message but says, in its first group, which mode the session is in. */
  readonly modeMessage?: RegExp;
  /** What is said in the user's name, but not by the user; it is the whole of a message. */
  readonly innerMessage?: RegExp;
  /** What stands at the end of a message for tool calls that are told elsewhere. */
  readonly callMark?: RegExp;
  /** A missing file has to be read as an empty one. */
  readonly emptyForMissingFile?: boolean;
  /** It closes every other session when it opens one. */
  readonly isSingleSession?: boolean;
  /** A chunk that is a whole message: what the program says between the answers of its model. */
  readonly wholeMessage?: RegExp;
  /** Questions to the user come as permission requests with the questions among the arguments. */
  readonly asksByPermission?: boolean;
}

// A conversation that is told again says so where a turn was stopped.
const interrupted = /^\s*\[Request interrupted by user(?: for tool use)?\]\s*$/;

/** By the name that an agent's program gives itself. */
const quirks: Readonly<Record<string, Quirks>> = {
  'gemini-cli': {
    // It answers session/set_mode with this text instead of a current_mode_update.
    modeMessage: /^\[MODE_UPDATE\] (\S+)$/,
    // A conversation that it tells again begins with what it told its model about the folder.
    // Results of tools come as messages of the user.
    innerMessage: /^\s*(?:<session_context>|(?:\[Function Response: [\w.-]{1,100}\]){1,100}$)/,
    callMark: /(?:\[Function Call: [\w.-]{1,100}\]){1,100}$/,
    // It looks for a file before it creates one, and gives up on every error there is.
    emptyForMissingFile: true,
  },
  'pi-acp': {
    // A prompt of a session that it has closed so is never answered.
    isSingleSession: true,
    wholeMessage: /^Retrying \(attempt \d/,
  },
  '@agentclientprotocol/claude-agent-acp': { innerMessage: interrupted },
  '@zed-industries/claude-code-acp': { innerMessage: interrupted },
  'Kimi Code CLI': {
    // What it told its model beside the prompts.
    innerMessage: /^\s*<system-reminder>[\s\S]*<\/system-reminder>\s*$/,
  },
  'qwen-code': {
    // The options are "Submit" and "Cancel"; what to submit belongs beside them in the answer.
    asksByPermission: true,
  },
};

/** Programs that give themselves several names. */
const families: readonly (readonly [RegExp, Quirks])[] = [
  [/copilot/i, { wholeMessage: /^(?:Info|Warning|Error): / }],
];

const none: Quirks = {};

export function quirksOf(program: string | undefined): Quirks {
  if (program === undefined) return none;
  return lookUp(quirks, program) ?? families.find(([name]) => name.test(program))?.[1] ?? none;
}

/** The event that an agent means. */
export function meantBy(event: AgentEvent, quirks: Quirks): AgentEvent {
  const { modeMessage, innerMessage, wholeMessage, callMark } = quirks;
  if (event.kind !== 'chunk') return event;
  if (event.role === 'user') return innerMessage?.test(event.text) ? { kind: 'nothing' } : event;
  const mode = event.role === 'agent' ? modeMessage?.exec(event.text)?.[1] : undefined;
  if (mode !== undefined) return { kind: 'mode', mode };
  if (callMark?.test(event.text)) return { ...event, text: event.text.replace(callMark, ''), isWhole: true };
  return wholeMessage?.test(event.text) ? { ...event, isWhole: true } : event;
}
