import { lookUp } from '../../base/record.ts';
import type { AgentCapabilities } from '../../model/agent.ts';
import type { AgentEvent } from '../../model/session-events.ts';

/** Deviations of one agent from the protocol. */
export interface Quirks {
  /** Matches a message that reports the session mode, in group 1. */
  readonly modeMessage?: RegExp;
  /** Matches a whole user message that the user did not write. */
  readonly hiddenUserMessage?: RegExp;
  /** Matches the placeholder for tool calls at the end of a message; the tool calls are reported separately. */
  readonly toolCallMarker?: RegExp;
  /** Reading a missing file must return an empty text. */
  readonly readsMissingFileAsEmpty?: boolean;
  /** Opening a session closes every other one. */
  readonly isSingleSession?: boolean;
  /** Matches a chunk that is a complete message of the program, not a part of the model's answer. */
  readonly completeMessage?: RegExp;
  /** Questions are sent as permission requests, with the questions in the arguments of the tool call. */
  readonly asksQuestionsByPermission?: boolean;
  /** What is true of it instead of what it declares. */
  readonly capabilities?: Pick<AgentCapabilities, 'embeddedContext' | 'textOnly'>;
}

// A replayed conversation contains this where a turn was stopped.
const interrupted = /^\s*\[Request interrupted by user(?: for tool use)?\]\s*$/;

/** By the name that the agent reports. */
const quirksByProgram: Readonly<Record<string, Quirks>> = {
  'gemini-cli': {
    // Sent instead of a current_mode_update after session/set_mode.
    modeMessage: /^\[MODE_UPDATE\] (\S+)$/,
    // A replayed conversation begins with the context that was sent to the model, and has tool results as user
    // messages.
    hiddenUserMessage: /^\s*(?:<session_context>|(?:\[Function Response: [\w.-]{1,100}\]){1,100}$)/,
    toolCallMarker: /(?:\[Function Call: [\w.-]{1,100}\]){1,100}$/,
    // It reads a file before it creates it and gives up on any error.
    readsMissingFileAsEmpty: true,
  },
  'pi-acp': {
    // Prompts of a session that was closed this way are never answered.
    isSingleSession: true,
    completeMessage: /^Retrying \(attempt \d/,
  },
  '@agentclientprotocol/claude-agent-acp': { hiddenUserMessage: interrupted },
  '@zed-industries/claude-code-acp': { hiddenUserMessage: interrupted },
  'Kimi Code CLI': {
    // Text that was added to the prompts for the model.
    hiddenUserMessage: /^\s*<system-reminder>[\s\S]*<\/system-reminder>\s*$/,
  },
  'qwen-code': {
    // The options are "Submit" and "Cancel"; the response has the answers in an extra field.
    asksQuestionsByPermission: true,
  },
};

/** For programs that report several names. */
const quirksByPattern: readonly (readonly [RegExp, Quirks])[] = [
  [
    /copilot/i,
    {
      completeMessage: /^(?:Info|Warning|Error): /,
      // Its model gets the name of a file in place of its embedded text, so the unsaved text is lost.
      capabilities: { embeddedContext: false },
    },
  ],
  // Links and resources are dropped.
  [/cline/i, { capabilities: { embeddedContext: false, textOnly: true } }],
];

const none: Quirks = {};

export function quirksOf(program: string | undefined): Quirks {
  if (program === undefined) return none;
  return (
    lookUp(quirksByProgram, program) ?? quirksByPattern.find(([name]) => name.test(program))?.[1] ?? none
  );
}

/** Whether a quirk is about a chunk of the agent as it was sent. */
export function dependsOnChunks({ modeMessage, toolCallMarker, completeMessage }: Quirks): boolean {
  return (modeMessage ?? toolCallMarker ?? completeMessage) !== undefined;
}

/** Corrects an event for the quirks of its agent. */
export function applyQuirks(event: AgentEvent, quirks: Quirks): AgentEvent {
  const {
    modeMessage,
    hiddenUserMessage: innerMessage,
    completeMessage: wholeMessage,
    toolCallMarker: callMark,
  } = quirks;
  if (event.kind !== 'chunk') return event;
  if (event.role === 'user') return innerMessage?.test(event.text) ? { kind: 'nothing' } : event;
  const mode = event.role === 'agent' ? modeMessage?.exec(event.text)?.[1] : undefined;
  if (mode !== undefined) return { kind: 'mode', mode };
  if (callMark?.test(event.text))
    return { ...event, text: event.text.replace(callMark, ''), isCompleteMessage: true };
  return wholeMessage?.test(event.text) ? { ...event, isCompleteMessage: true } : event;
}
