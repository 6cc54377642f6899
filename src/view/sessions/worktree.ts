import type { Picker, PickerItem } from '../../ports/dialogs.ts';
import { patchText } from '../frame.ts';
import { blank, makeLine } from '../line.ts';
import { sanitiseLine } from '../sanitise.ts';

export interface ShownWorktree {
  readonly chat: number;
  readonly ask: number;
  readonly folder: string;
  readonly branch: string;
  readonly main: string;
  readonly mainBranch: string;
  readonly uncommitted: readonly string[];
  readonly commits: number;
  readonly changed: number;
}

const maxFiles = 30;

/** Shows what the worktree of a session has, and asks what to do with it. */
export function worktreePicker(tree: ShownWorktree): Picker {
  const { branch, mainBranch, uncommitted, commits } = tree;
  const prompt = `Worktree ${sanitiseLine(branch)}`;
  const payload = { chat: tree.chat, ask: tree.ask };
  const hasNothing = uncommitted.length === 0 && commits === 0;
  const first = uncommitted.length > 0 ? 'Commit all of it, and merge' : 'Merge';
  const merge: PickerItem = {
    label: `${first} it into ${sanitiseLine(mainBranch)}`,
    op: 'worktree.merge',
    payload,
  };
  return {
    prompt,
    title: prompt,
    kind: 'acp.worktree',
    mustRead: true,
    isGuarded: true,
    body: patchText(bodyLines(tree)),
    items: [
      { label: 'Leave it as it is' },
      ...(hasNothing ? [] : [merge]),
      { label: removalLabel(tree), op: 'worktree.remove', payload },
    ],
  };
}

function removalLabel({ uncommitted, commits, branch }: ShownWorktree): string {
  if (uncommitted.length > 0)
    return `Commit all of it to ${sanitiseLine(branch)}, close the chat and remove the folder`;
  return commits > 0
    ? 'Close the chat and remove the folder; the branch stays'
    : 'Close the chat and remove the folder and the branch';
}

function bodyLines({ folder, branch, main, mainBranch, uncommitted, commits, changed }: ShownWorktree) {
  const files = uncommitted.slice(0, maxFiles).map((file) => makeLine([`    ${sanitiseLine(file)}`, '']));
  const more = uncommitted.length - files.length;
  const notMerged =
    commits === 0
      ? 'all commits are merged'
      : `${count(commits, 'commit')} with ${count(changed, 'changed file')} not merged`;
  const notCommitted =
    files.length === 0 ? 'everything is committed' : `${count(uncommitted.length, 'file')} not committed`;
  return [
    makeLine(['  folder  ', 'AcpMuted'], [sanitiseLine(folder), '']),
    makeLine(['  branch  ', 'AcpMuted'], [sanitiseLine(branch), '']),
    makeLine(['  from    ', 'AcpMuted'], [`${sanitiseLine(mainBranch)} in ${sanitiseLine(main)}`, '']),
    makeLine([`  ${notMerged}`, '']),
    makeLine([`  ${notCommitted}`, '']),
    ...files,
    ...(more > 0 ? [makeLine([`    and ${more} more`, 'AcpMuted'])] : []),
    blank,
    makeLine(['  Files that git ignores are deleted with the folder.', 'AcpMuted']),
  ];
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
