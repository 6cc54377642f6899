import type { Question, QuestionOption, Role } from '../../src/model/entries.ts';
import { emptySession, type SessionState } from '../../src/model/session.ts';
import type { AgentEvent, NoticeEvent, SessionEvent, ToolPatch } from '../../src/model/session-events.ts';
import type { PermissionSubject } from '../../src/permissions/decide.ts';
import type { AgentSpec, PermissionRequest } from '../../src/ports/agent.ts';
import { reduce } from '../../src/session/reducer/reducer.ts';

export function anAgentSpec(fields: Partial<AgentSpec> = {}): AgentSpec {
  return { name: 'tester', command: ['tester'], env: {}, cwd: '/work', ...fields };
}

/** What a rule decides about: a call in `/work/app`, where `.git` is protected. */
export function aPermissionSubject(fields: Partial<PermissionSubject> = {}): PermissionSubject {
  return {
    ...{ agent: 'claude', kind: 'execute', commands: [], paths: [], urls: [] },
    ...{ cwd: '/work/app', roots: ['/work/app', '/work/lib'] },
    resolveLinks: (file) => file,
    namesIn: () => [],
    isProtected: (file) => file.includes('/.git/'),
    ...fields,
  };
}

/** A session after these events, one second apart. */
export function aSession(...events: readonly SessionEvent[]): SessionState {
  const state = emptySession('tester', 0);
  for (const [index, event] of events.entries()) reduce(state, event, index * 1_000);
  return state;
}

/** A session in the middle of a turn. */
export function aTurn(prompt: string, ...events: readonly SessionEvent[]): SessionState {
  return aSession(isReady, { kind: 'turn_started', text: prompt }, ...events);
}

export const isReady: SessionEvent = { kind: 'agent_ready', agent: { name: 'tester', title: 'Tester' } };

export function aChunk(text: string, role: Role = 'agent', messageId?: string): AgentEvent {
  return { kind: 'chunk', role, text, ...(messageId !== undefined && { messageId }) };
}

export function aToolCall(fields: Partial<ToolPatch> = {}): AgentEvent {
  return { kind: 'tool', patch: aToolPatch(fields) };
}

export function aToolPatch(fields: Partial<ToolPatch> = {}): ToolPatch {
  return { toolCallId: 'call-1', ...fields };
}

export function aNotice(fields: Partial<NoticeEvent> = {}): NoticeEvent {
  return { kind: 'notice', severity: 'info', title: 'By the way', ...fields };
}

export const permissionOptions: readonly QuestionOption[] = [
  { id: 'yes', name: 'Allow once', kind: 'allow_once' },
  { id: 'always', name: 'Always allow', kind: 'allow_always' },
  { id: 'no', name: 'Reject', kind: 'reject_once' },
];

export function aQuestion(fields: Partial<Question> = {}): Question {
  return { id: 1, toolCallId: 'call-1', options: permissionOptions, ...fields };
}

export function aPermission(fields: Partial<PermissionRequest> = {}): PermissionRequest {
  return {
    tool: aToolPatch({ title: 'rm -rf build', toolKind: 'execute' }),
    options: permissionOptions,
    withdrawn: new AbortController().signal,
    ...fields,
  };
}
