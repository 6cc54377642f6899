import { expect } from 'vitest';
import type { Entry } from '../../src/model/entries.ts';
import type { ToolPatch } from '../../src/model/session-events.ts';
import { ToolDiffCache } from '../../src/view/diff/tool-diff-cache.ts';
import type { Line } from '../../src/view/line.ts';
import { toolLines } from '../../src/view/transcript/tools/tool-lines.ts';
import type { ViewContext } from '../../src/view/transcript/view-context.ts';
import { aSession, aToolCall } from './builders.ts';

export const hostileText = 'rm -rf /\r\n\x1b[2Jok\u202e\u2028 \ud83d\0';

export function contextOf(
  state: ViewContext['state'],
  openIds: readonly number[] = [],
  cwd = '/home/me/shop',
): ViewContext {
  return {
    state,
    diffs: new ToolDiffCache(),
    now: 5_000,
    cwd,
    roots: [cwd],
    home: '/home/me',
    isOpen: (id) => openIds.includes(id),
  };
}

export function lastEntry<K extends Entry['kind']>(
  state: ViewContext['state'],
  kind: K,
): Extract<Entry, { kind: K }> {
  const entry = state.entries.findLast((candidate) => candidate.kind === kind);
  if (!entry) throw new Error(`no ${kind}`);
  return entry as Extract<Entry, { kind: K }>;
}

export const textsOf = (lines: readonly Line[]) => lines.map(({ text }) => text);
export const rightTextOf = (line: Line | undefined) =>
  line?.right
    ?.map(([text]) => text)
    .join('')
    .trim();

export function drawTool(patch: Partial<ToolPatch>, isOpen = false, cwd?: string): readonly Line[] {
  const state = aSession(aToolCall(patch));
  const entry = lastEntry(state, 'tool');
  return toolLines(entry, contextOf(state, isOpen ? [entry.id] : [], cwd));
}

export function expectHarmless(lines: readonly Line[]): void {
  for (const { text } of lines) {
    expect(text).not.toMatch(/[\x00-\x08\n\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
    expect(text.isWellFormed()).toBe(true);
  }
}
