import type { StructuredPatch } from 'diff';
import { isRecord } from '../../base/record.ts';
import type { Location, ToolEntry } from '../../model/entries.ts';
import { editsIn } from '../../model/tools/tool-arguments.ts';
import { type DiffContent, diffFromPatch, diffFromTexts, type FileDiff, parsePatches } from './diff.ts';
import type { TextPlace } from './find-in-file.ts';

/** Agents repeat the same diff with every update of a call, so the last ones are found by their content. */
const maxRecent = 32;
/** Of the texts of these diffs, in characters. They may belong to calls that were cut. */
const maxRecentLength = 4 * 1024 * 1024;
/** Characters of a line that are added to the part of it that an agent sent. In longer lines the change would be out of sight. */
const maxRest = 300;

/** The changes that tool calls show. Each is computed once; the transcript asks for them with every frame. */
export class ToolDiffCache {
  private readonly byContent = new WeakMap<DiffContent, FileDiff>();
  private readonly patches = new WeakMap<object, readonly StructuredPatch[]>();
  private readonly edits = new WeakMap<object, readonly DiffContent[]>();
  /** Diffs of whole lines, by the text that the agent sent of them. */
  private readonly whole = new WeakMap<FileDiff['source'], FileDiff>();
  private recent: readonly FileDiff[] = [];

  /** The diffs of a call, or else the patch or the edits in its arguments. */
  of({ diffs, rawInput, locations, toolKind }: ToolEntry): readonly FileDiff[] {
    if (diffs.length > 0) return diffs.map((content) => this.fromContent(content, toolKind === 'delete'));
    if (!isRecord(rawInput)) return [];
    if (typeof rawInput.diff === 'string') return this.fromPatch(rawInput, rawInput.diff, locations);
    const isEdit = toolKind === 'edit' || toolKind === 'other';
    return isEdit ? this.editsOf(rawInput).map((content) => this.fromContent(content, false)) : [];
  }

  /** Shows the whole lines of a change from now on, of which the agent sent only a part. */
  completeLines({ source }: FileDiff, { head, tail }: TextPlace): void {
    if (!('kind' in source) || head + tail === '' || head.length + tail.length > maxRest) return;
    const { oldText = '', newText } = source;
    if (oldText.endsWith('\n') || newText.endsWith('\n')) return;
    const texts = { oldText: `${head}${oldText}${tail}`, newText: `${head}${newText}${tail}` };
    this.whole.set(source, { ...diffFromTexts({ ...source, ...texts }), source });
  }

  private fromContent(content: DiffContent, isDelete: boolean): FileDiff {
    const known =
      this.byContent.get(content) ?? this.recent.find(({ source }) => isSameContent(source, content));
    const given = known ?? diffFromTexts(content);
    this.byContent.set(content, given);
    if (!known) this.recent = lastDiffs([given, ...this.recent]);
    const diff = this.whole.get(given.source) ?? given;
    return isDelete && content.newText === '' ? { ...diff, kind: 'deleted' } : diff;
  }

  private fromPatch(rawInput: object, text: string, locations: readonly Location[]): readonly FileDiff[] {
    const patches = this.patches.get(rawInput) ?? parsePatches(text);
    this.patches.set(rawInput, patches);
    return patches.flatMap((patch) => diffFromPatch(patch, locations));
  }

  private editsOf(rawInput: object): readonly DiffContent[] {
    const edits = this.edits.get(rawInput) ?? editsIn(rawInput);
    this.edits.set(rawInput, edits);
    return edits;
  }
}

/** The first of them is the last one that was computed. It stays, however long it is. */
function lastDiffs(diffs: readonly FileDiff[]): readonly FileDiff[] {
  let length = 0;
  const end = diffs.findIndex(({ source }, index) => {
    if ('kind' in source) length += (source.oldText?.length ?? 0) + source.newText.length;
    return index === maxRecent || (index > 0 && length > maxRecentLength);
  });
  return end === -1 ? diffs : diffs.slice(0, end);
}

function isSameContent(
  source: FileDiff['source'],
  { path, oldText, newText, replacesFile, omitted }: DiffContent,
): boolean {
  if (!('kind' in source) || source.replacesFile !== replacesFile || source.omitted !== omitted) return false;
  return source.path === path && source.oldText === oldText && source.newText === newText;
}
