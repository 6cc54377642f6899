import { isRecord } from '../base.ts';
import type { AgentEvent, ToolPatch } from '../session/events.ts';
import { listOf, textOf } from './wire.ts';

/** What one agent does that no rule of the protocol covers. */
export interface Quirks {
  /** A message that is no message but says, in its first group, which mode the session is in. */
  readonly modeMessage?: RegExp;
  /** What is said in the user's name, but not by the user; it is the whole of a message. */
  readonly innerMessage?: RegExp;
  /** A missing file has to be read as an empty one. */
  readonly emptyForMissingFile?: boolean;
  /** It closes every other session when it opens one. */
  readonly isSingleSession?: boolean;
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
    innerMessage: /^\s*<session_context>/,
    // It looks for a file before it creates one, and gives up on every error there is.
    emptyForMissingFile: true,
  },
  'pi-acp': {
    // A prompt of a session that it has closed so is never answered.
    isSingleSession: true,
  },
  '@agentclientprotocol/claude-agent-acp': { innerMessage: interrupted },
  '@zed-industries/claude-code-acp': { innerMessage: interrupted },
  'Kimi Code CLI': {
    // What it told its model beside the prompts.
    innerMessage: /^\s*<system-reminder>[\s\S]*<\/system-reminder>\s*$/,
  },
  'qwen-code': {
    // It has a picker of its own for them; without it only "Submit" and "Cancel" would be seen.
    asksByPermission: true,
  },
};

const none: Quirks = {};

export function quirksOf(program: string | undefined): Quirks {
  return program !== undefined && Object.hasOwn(quirks, program) ? quirks[program]! : none;
}

/** The event that an agent means. */
export function meantBy(event: AgentEvent, { modeMessage, innerMessage }: Quirks): AgentEvent {
  if (event.kind !== 'chunk') return event;
  if (event.role === 'user') return innerMessage?.test(event.text) ? { kind: 'nothing' } : event;
  const mode = event.role === 'agent' ? modeMessage?.exec(event.text)?.[1] : undefined;
  return mode === undefined ? event : { kind: 'mode', mode };
}

/** The tool call that a permission is about, with the questions that it asks. */
export function askedBy(tool: ToolPatch, toolCall: unknown, { asksByPermission }: Quirks): ToolPatch {
  const text = asksByPermission ? questionsIn(toolCall) : '';
  return text === '' ? tool : { ...tool, content: [...(tool.content ?? []), { kind: 'text', text }] };
}

function questionsIn(toolCall: unknown): string {
  if (!isRecord(toolCall)) return '';
  const { rawInput, _meta } = toolCall;
  const marked = isRecord(_meta) ? listOf(_meta.qwenQuestions, questionFrom) : [];
  const given = isRecord(rawInput) ? listOf(rawInput.questions, questionFrom) : [];
  return (marked.length > 0 ? marked : given).join('\n');
}

function questionFrom(item: unknown): string | undefined {
  const question = isRecord(item) ? textOf(item.question) : undefined;
  if (!isRecord(item) || question === undefined) return undefined;
  return [question, ...listOf(item.options, choiceFrom)].join('\n');
}

function choiceFrom(choice: unknown): string | undefined {
  if (typeof choice === 'string') return `- ${choice}`;
  const label = isRecord(choice) ? textOf(choice.label) : undefined;
  if (!isRecord(choice) || label === undefined) return undefined;
  const description = textOf(choice.description);
  return description ? `- ${label}: ${description}` : `- ${label}`;
}
