import type { PlanItem, Severity, ToolKind, ToolStatus } from '../model/entries.ts';
import type { Piece } from '../ports/frame.ts';

export const toolSigns: Readonly<Record<ToolStatus, Piece>> = {
  pending: ['○', 'AcpPending'],
  running: ['●', 'AcpRunning'],
  done: ['✓', 'AcpDone'],
  failed: ['✗', 'AcpFailed'],
  cancelled: ['⊘', 'AcpCancelled'],
  unreported: ['·', 'AcpMuted'],
};

export const planSigns: Readonly<Record<PlanItem['status'], Piece>> = {
  pending: toolSigns.pending,
  running: toolSigns.running,
  done: toolSigns.done,
};

/** The verb in the heading of a tool call. */
export const toolVerbs: Readonly<Record<ToolKind, string>> = {
  read: 'read',
  edit: 'edit',
  delete: 'delete',
  move: 'move',
  search: 'search',
  execute: 'run',
  think: 'think',
  fetch: 'fetch',
  switch_mode: 'mode',
  other: 'tool',
};

export const noticeColours: Readonly<Record<Severity, string>> = {
  info: 'AcpMuted',
  warning: 'AcpWaiting',
  error: 'AcpFailed',
};

export const question: Piece = ['?', 'AcpWaiting'];
export const attachment = '▪';
export const picture = '▣';
/** What is shown or chosen now, in a list. */
export const current = '›';
export const closed = '▸';
export const opened = '▾';
