import { createTwoFilesPatch } from 'diff';
import { shorten } from '../base.ts';
import { timeOfDay } from './format.ts';
import type { Picker, PickerItem } from './pickers.ts';
import { sanitise, sanitiseLine } from './sanitise.ts';

export interface CheckpointItem {
  readonly id: number;
  readonly at: number;
  readonly prompt: string;
  readonly changed: number;
}

/** A file that going back would change; a text is absent where the file is, or can't be read. */
export interface RestoreItem {
  readonly name: string;
  readonly now: string | undefined;
  readonly old: string | undefined;
  readonly isBinary: boolean;
  /** How its mode would change. */
  readonly mode: 'executable' | 'not executable' | undefined;
  /** Who else has changed it since. */
  readonly changedBy: 'user' | 'other' | undefined;
  /** Text that was unsaved then stays in its buffer, unsaved. */
  readonly isUnsavedKept?: boolean;
}

const maxTitle = 48;
const maxNames = 3;

export function checkpointPicker(chat: number, checkpoints: readonly CheckpointItem[]): Picker {
  return {
    prompt: 'Restore the files as they were before',
    kind: 'acp.checkpoint',
    items: checkpoints.map(({ id, at, prompt, changed }) => ({
      label: `${timeOfDay(at)}  ${shorten(sanitiseLine(prompt), maxTitle)}  (${files(changed)} changed)`,
      op: 'restore.plan',
      payload: { chat, checkpoint: id },
    })),
  };
}

/** Whether to go back, and what about files that somebody else has changed since. */
export function restorePicker(chat: number, checkpoint: number, items: readonly RestoreItem[]): Picker {
  const changedBy = (who: RestoreItem['changedBy']) =>
    items.filter((item) => item.changedBy === who).map(({ name }) => sanitiseLine(name));
  const [own, users, others] = [changedBy(undefined), changedBy('user'), changedBy('other')];
  const take = (label: string, all: boolean): PickerItem => ({
    label,
    op: 'restore.take',
    payload: { chat, checkpoint, all },
  });
  const [left, too] = wordsFor(users.length > 0, others.length > 0);
  const choices =
    own.length === items.length
      ? [take(`Restore ${files(items.length)}`, false)]
      : [
          ...(own.length > 0
            ? [take(`Restore ${files(own.length)}, leave what ${left} changed`, false)]
            : []),
          take(`Restore ${own.length > 0 ? 'all ' : ''}${files(items.length)}, ${too} too`, true),
        ];
  const leave = { op: 'restore.leave', payload: { chat } };
  const kept = items.filter(({ isUnsavedKept }) => isUnsavedKept).map(({ name }) => sanitiseLine(name));
  const warnings = [
    kept.length > 0 ? `; your unsaved text stays, unsaved: ${listed(kept)}` : '',
    users.length > 0 ? `; changed by you since: ${listed(users)}` : '',
    others.length > 0 ? `; changed by another session since: ${listed(others)}` : '',
  ];
  return {
    prompt: `${files(items.length)} would change${warnings.join('')}`,
    kind: 'acp.restore',
    items: [
      ...choices,
      { label: 'Read the diff first', op: 'restore.read', payload: { chat, checkpoint } },
      { label: 'Cancel', ...leave },
    ],
    closed: leave,
  };
}

function wordsFor(isUsers: boolean, isOthers: boolean): readonly [string, string] {
  if (!isOthers) return ['you', 'yours'];
  return isUsers ? ['you and another session', 'those'] : ['another session', 'those'];
}

/** What going back would do to the files: what becomes of each, then the diff. */
export function restoreDiff(items: readonly RestoreItem[]): readonly string[] {
  const width = Math.max(...items.map(({ name }) => sanitiseLine(name).length));
  const summary = items.map((item) => `${sanitiseLine(item.name).padEnd(width)}  ${fateOf(item)}`);
  return [...summary, ...items.flatMap((item) => ['', ...diffOf(item)])];
}

function fateOf({ now, old, isBinary, mode, changedBy, isUnsavedKept }: RestoreItem): string {
  const isGone = old === undefined && !isBinary;
  const fate = isGone ? 'is deleted' : now === undefined && !isBinary ? 'is there again' : 'is put back';
  const parts = [
    mode === undefined ? fate : `${fate}, ${mode}`,
    isUnsavedKept ? 'your unsaved text stays, unsaved' : '',
    changedBy === undefined ? '' : `changed by ${changedBy === 'user' ? 'you' : 'another session'} since`,
  ];
  return parts.filter((part) => part !== '').join('; ');
}

function diffOf({ name, now, old, isBinary }: RestoreItem): readonly string[] {
  const shown = sanitiseLine(name);
  if (isBinary) return [`Binary file ${shown} would be restored`];
  const [from, to] = [
    now === undefined ? '/dev/null' : `a/${shown}`,
    old === undefined ? '/dev/null' : `b/${shown}`,
  ];
  const patch = createTwoFilesPatch(from, to, now ?? '', old ?? '');
  return patch
    .split('\n')
    .slice(1, -1)
    .map((line) => sanitise(line));
}

function files(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}

function listed(names: readonly string[]): string {
  const more = names.length - maxNames;
  return more > 0 ? `${names.slice(0, maxNames).join(', ')} and ${more} more` : names.join(', ');
}
