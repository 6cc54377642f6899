import { displayPath } from '../../../base/paths.ts';
import type { ToolEntry } from '../../../model/entries.ts';
import type { Piece } from '../../../ports/frame.ts';
import { duration, moreLines } from '../../format.ts';
import { indentLines, type Line, makeLine } from '../../line.ts';
import { sanitiseLine, sanitiseStart } from '../../sanitise.ts';
import * as signs from '../../signs.ts';
import { fitEnd, piecesWidth } from '../../text/display-width.ts';
import type { ViewContext } from '../view-context.ts';
import type { CallGroup } from './call-groups.ts';
import { verbWidth } from './heading-layout.ts';
import { displayTitle } from './tool-title.ts';

const maxNames = 300;
const maxHoverLines = 60;

/** The line of a group: how many calls, the first of them by name, how long all of them took. */
export function groupLines(
  { calls, isOpen }: CallGroup,
  context: ViewContext,
  indent: number,
): readonly Line[] {
  const [first] = calls;
  const count = countOf(calls, context);
  const right = groupFigures(calls, isOpen);
  const width = (context.width ?? Number.POSITIVE_INFINITY) - indent;
  const free = width - verbWidth - 4 - count.length - piecesWidth(right);
  const names = isOpen ? '' : fitEnd(namesOf(calls, context), Math.max(0, free - 2));
  const line: Line = {
    ...makeLine(
      signs.toolSigns.done,
      [` ${signs.toolVerbs[first.toolKind].padEnd(verbWidth)} `, 'AcpToolKind'],
      [count, 'AcpToolTitle'],
      [names.length > 1 ? `  ${names}` : '', 'AcpMuted'],
    ),
    right,
  };
  return indentLines([line], indent);
}

/** The calls of a group by name. */
export function groupText({ calls }: CallGroup, context: ViewContext): string {
  const lines = calls.slice(0, maxHoverLines).map((call) => titleOf(call, context));
  const left = calls.length - lines.length;
  return [...lines, ...(left > 0 ? [moreLines(left)] : [])].join('\n');
}

function countOf(calls: CallGroup['calls'], context: ViewContext): string {
  const [{ toolKind }] = calls;
  if (toolKind === 'search') return `${calls.length} searches`;
  if (toolKind === 'fetch') return `${calls.length} pages`;
  const files = new Set(calls.map((call) => fileOf(call, context))).size;
  return files === calls.length ? `${files} files` : `${calls.length} times`;
}

function fileOf(call: ToolEntry, context: ViewContext): string {
  return call.locations[0]?.path ?? titleOf(call, context);
}

// A file that was read several times is named once.
function namesOf(calls: readonly ToolEntry[], context: ViewContext): string {
  const names = new Set<string>();
  let length = 0;
  for (const call of calls) {
    if (length > maxNames) break;
    const name = nameOf(call, context);
    if (!names.has(name)) length += name.length + 2;
    names.add(name);
  }
  return [...names].join(', ');
}

function nameOf(call: ToolEntry, context: ViewContext): string {
  const path = call.toolKind === 'read' ? call.locations[0]?.path : undefined;
  if (path === undefined) return titleOf(call, context);
  return sanitiseLine(displayPath(path, context.cwd, context.home));
}

function titleOf(call: ToolEntry, context: ViewContext): string {
  return sanitiseStart(displayTitle(call, context), maxNames);
}

function groupFigures(calls: readonly ToolEntry[], isOpen: boolean): readonly Piece[] {
  const timed = calls.filter(({ isReplayed, endedAt }) => !isReplayed && endedAt !== undefined);
  const ms = timed.reduce((sum, { startedAt, endedAt = startedAt }) => sum + endedAt - startedAt, 0);
  const sign: Piece = [` ${isOpen ? signs.opened : signs.closed}`, 'AcpMuted'];
  return timed.length === 0 ? [sign] : [[` ${duration(ms)}`, 'AcpMuted'], sign];
}
