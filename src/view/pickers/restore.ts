import { createTwoFilesPatch } from 'diff';
import { countOf, shorten } from '../../base/text.ts';
import type { Picker, PickerItem } from '../../ports/dialogs.ts';
import { timeOfDay } from '../format.ts';
import { sanitise, sanitiseLine } from '../sanitise.ts';

interface CheckpointItem {
  readonly id: number;
  readonly at: number;
  readonly prompt: string;
  readonly changed: number;
}

/** A file that a restore would change. A text is undefined if the file does not exist or can't be read. */
export interface RestoreItem {
  readonly name: string;
  readonly now: string | undefined;
  readonly old: string | undefined;
  readonly isBinary: boolean;
  readonly mode: 'executable' | 'not executable' | undefined;
  /** Who else has changed it since the checkpoint. */
  readonly changedBy: 'user' | 'other' | undefined;
  /** The unsaved text of its buffer stays, unsaved. */
  readonly isUnsavedKept?: boolean;
  /** The file is deleted, also if the text of its buffer stays. */
  readonly isDeleted?: boolean;
}

const maxTitle = 48;
const maxNames = 3;

/** Most prompts change no file, so they are listed on request, unless no prompt did. */
export function checkpointPicker(
  chat: number,
  checkpoints: readonly CheckpointItem[],
  isComplete = false,
): Picker {
  const changing = checkpoints.filter(({ changed }) => changed > 0);
  const shown = isComplete || changing.length === 0 ? checkpoints : changing;
  const items: PickerItem[] = shown.map(({ id, at, prompt, changed }) => ({
    label: `${timeOfDay(at)}  ${shorten(sanitiseLine(prompt), maxTitle)}  (${countOf(changed, 'file')} changed)`,
    op: 'restore.plan',
    payload: { chat, checkpoint: id },
  }));
  if (shown.length < checkpoints.length) {
    items.push({
      label: `Show all ${checkpoints.length} prompts`,
      op: 'restore.show',
      payload: { chat, all: true },
    });
  }
  return { prompt: 'Restore the files to their state before this prompt', kind: 'acp.checkpoint', items };
}

/** Asks whether to restore, and whether to include files that others have changed since. */
export function restorePicker(chat: number, checkpoint: number, items: readonly RestoreItem[]): Picker {
  const changedBy = (who: RestoreItem['changedBy']) =>
    items.filter((item) => item.changedBy === who).map(({ name }) => sanitiseLine(name));
  const [own, users, others] = [changedBy(undefined), changedBy('user'), changedBy('other')];
  const take = (label: string, all: boolean): PickerItem => ({
    label,
    op: 'restore.run',
    payload: { chat, checkpoint, all },
  });
  const [left, too] = otherAuthors(users.length > 0, others.length > 0);
  const choices =
    own.length === items.length
      ? [take(`Restore ${countOf(items.length, 'file')}`, false)]
      : [
          ...(own.length > 0
            ? [take(`Restore ${countOf(own.length, 'file')}, leave what ${left} changed`, false)]
            : []),
          take(`Restore ${own.length > 0 ? 'all ' : ''}${countOf(items.length, 'file')}, ${too} too`, true),
        ];
  const leave = { op: 'restore.leave', payload: { chat } };
  const kept = items.filter(({ isUnsavedKept }) => isUnsavedKept).map(({ name }) => sanitiseLine(name));
  const warnings = [
    kept.length > 0 ? `; your unsaved text stays, unsaved: ${joinNames(kept)}` : '',
    users.length > 0 ? `; changed by you since: ${joinNames(users)}` : '',
    others.length > 0 ? `; changed by another session since: ${joinNames(others)}` : '',
  ];
  return {
    prompt: `${countOf(items.length, 'file')} would change${warnings.join('')}`,
    kind: 'acp.restore',
    items: [
      ...choices,
      { label: 'Show the diff first', op: 'restore.read', payload: { chat, checkpoint } },
      { label: 'Cancel', ...leave },
    ],
    closed: leave,
  };
}

function otherAuthors(isUsers: boolean, isOthers: boolean): readonly [string, string] {
  if (!isOthers) return ['you', 'yours'];
  return isUsers ? ['you and another session', 'those'] : ['another session', 'those'];
}

/** The effect of a restore: one line per file, then the diffs. */
export function restoreDiff(items: readonly RestoreItem[]): readonly string[] {
  const width = Math.max(...items.map(({ name }) => sanitiseLine(name).length));
  const summary = items.map((item) => `${sanitiseLine(item.name).padEnd(width)}  ${restoreEffect(item)}`);
  return [...summary, ...items.flatMap((item) => ['', ...restoreDiffLines(item)])];
}

function restoreEffect(item: RestoreItem): string {
  const { now, old, isBinary, mode, changedBy, isUnsavedKept, isDeleted = false } = item;
  const isGone = isDeleted || (old === undefined && !isBinary);
  const fate = isGone ? 'is deleted' : now === undefined && !isBinary ? 'is created again' : 'is restored';
  const parts = [
    mode === undefined ? fate : `${fate}, ${mode}`,
    isUnsavedKept ? 'your unsaved text stays, unsaved' : '',
    changedBy === undefined ? '' : `changed by ${changedBy === 'user' ? 'you' : 'another session'} since`,
  ];
  return parts.filter((part) => part !== '').join('; ');
}

function restoreDiffLines({ name, now, old, isBinary }: RestoreItem): readonly string[] {
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

function joinNames(names: readonly string[]): string {
  const more = names.length - maxNames;
  return more > 0 ? `${names.slice(0, maxNames).join(', ')} and ${more} more` : names.join(', ');
}
