import type { Setting } from '../../src/model/agent.ts';
import type { Entry } from '../../src/model/entries.ts';
import type { SessionState } from '../../src/model/session.ts';
import type { SessionEvent } from '../../src/model/session-events.ts';
import { aQuestion } from './builders.ts';

export const turnStarted = (text: string): SessionEvent => ({ kind: 'turn_started', text });
export const turnEnded = (stopReason = 'end_turn'): SessionEvent => ({ kind: 'turn_ended', stopReason });
export const plan = (...texts: string[]): SessionEvent => ({
  kind: 'plan',
  items: texts.map((text) => ({ text, status: 'pending' })),
});
export const asked: SessionEvent = { kind: 'question_asked', question: aQuestion() };
export const cancelled: SessionEvent = { kind: 'cancel_requested' };
export const completeMessage = (text: string): SessionEvent => ({
  kind: 'chunk',
  role: 'agent',
  text,
  isCompleteMessage: true,
});

/** The transcript as one line per entry. */
export function outline({ entries }: SessionState): readonly string[] {
  return entries.map(describeEntry);
}

function describeEntry(entry: Entry): string {
  switch (entry.kind) {
    case 'message':
      return `${entry.role}: ${entry.text}`;
    case 'attachments':
      return `attachments: ${entry.items.map(({ name }) => name).join(', ')}`;
    case 'tool':
      return `tool: ${entry.title} ${entry.status}`;
    case 'plan':
      return `plan: ${entry.items.map(({ text }) => text).join(', ')}`;
    case 'notice':
      return `${entry.severity}: ${entry.title}`;
    case 'question':
      return `question: ${entry.answer ?? 'open'}`;
    case 'compaction':
      return `compaction: ${typeof entry.status === 'object' ? entry.status.word : entry.status} ${entry.summary}${entry.error}`;
    case 'summary':
      return `summary: ${entry.summary.files} files`;
    case 'unknown':
      return `unknown: ${entry.count} ${entry.name}`;
  }
}

export function toolOf(state: SessionState, id = 'call-1') {
  const tool = state.tools.get(id);
  if (!tool) throw new Error(`no tool ${id}`);
  return tool;
}

export const aMode: Setting = {
  id: 'm',
  name: 'Mode',
  category: 'mode',
  current: 'ask',
  choices: [],
  source: 'mode',
};
export const aSwitch: Setting = {
  ...aMode,
  id: 'fast',
  category: undefined,
  current: false,
  source: 'option',
};
