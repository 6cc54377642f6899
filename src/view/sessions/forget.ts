import { describeSize } from '../../base/text.ts';
import type { Picker } from '../../ports/dialogs.ts';
import { patchText } from '../frame.ts';
import { blank, type Line, makeLine } from '../line.ts';
import { timeAgo } from '../pickers/sessions.ts';
import { sanitiseLine } from '../sanitise.ts';

/** A session, or what a folder has apart from its sessions, and what is kept of it. */
export interface ForgetItem<File extends ForgetFile = ForgetFile> {
  readonly title: string;
  readonly agent?: string;
  readonly updatedAt?: number | undefined;
  /** A chat of this Neovim, which will be closed. */
  readonly isOpen: boolean;
  readonly files: readonly File[];
}

interface ForgetFile {
  readonly kind: string;
  readonly path: string;
  readonly bytes: number;
}

export interface ForgetPlan {
  readonly ask: number;
  /** What is forgotten: `this session`, or a folder. */
  readonly what: string;
  readonly items: readonly ForgetItem[];
  /** Sessions of other Neovims, which are left out. */
  readonly inUse: number;
  readonly now: number;
}

/** Shows exactly what would be deleted, and asks whether to delete it. */
export function forgetPicker(plan: ForgetPlan): Picker {
  const { ask, what, items, inUse, now } = plan;
  const bytes = items.flatMap(({ files }) => files).reduce((sum, file) => sum + file.bytes, 0);
  const lines: readonly Line[] = [
    ...items.flatMap((item) => itemLines(item, now)),
    blank,
    ...(inUse > 0 ? [makeLine([`  Left as it is: ${inUse} open in another Neovim.`, 'AcpWaiting'])] : []),
    makeLine(['  This cannot be undone. Your files stay as they are.', 'AcpMuted']),
    makeLine(['  Agents may have copies of their own; :AcpSessions delete deletes those too.', 'AcpMuted']),
  ];
  const prompt = `Delete what is kept of ${sanitiseLine(what)}? (${describeSize(bytes)})`;
  return {
    prompt,
    title: prompt,
    kind: 'acp.forget',
    mustRead: true,
    isGuarded: true,
    body: patchText(lines),
    items: [{ label: 'Keep it' }, { label: 'Delete it', op: 'forget.run', payload: { ask } }],
  };
}

function itemLines({ title, agent, updatedAt, isOpen, files }: ForgetItem, now: number): readonly Line[] {
  const facts = [agent ?? '', timeAgo(updatedAt, now), isOpen ? 'its chat will be closed' : '']
    .filter((part) => part !== '')
    .map(sanitiseLine);
  const details = facts.length === 0 ? '' : `  ${facts.join(' · ')}`;
  return [
    makeLine([`  ${sanitiseLine(title)}`, ''], [details, 'AcpMuted']),
    ...files.map(({ kind, path, bytes }) =>
      makeLine([`    ${kind}  ${sanitiseLine(path)}  ${describeSize(bytes)}`, 'AcpMuted']),
    ),
  ];
}
