import type { StructuredPatch } from 'diff';
import { isRecord } from '../../base/record.ts';
import type { Location, ToolEntry } from '../../model/entries.ts';
import { editsIn } from '../../model/tool-arguments.ts';
import { type DiffContent, diffFromPatch, diffFromTexts, type FileDiff, parsePatches } from './diff.ts';

/** Agents repeat the same diff with every update of a call, so the last ones are found by their content. */
const maxRecent = 32;

/** The changes that tool calls show. Each is computed once; the transcript asks for them with every frame. */
export class ToolDiffCache {
  private readonly byContent = new WeakMap<DiffContent, FileDiff>();
  private readonly patches = new WeakMap<object, readonly StructuredPatch[]>();
  private readonly edits = new WeakMap<object, readonly DiffContent[]>();
  private recent: readonly FileDiff[] = [];

  /** The diffs of a call, or else the patch or the edits in its arguments. */
  of({ diffs, rawInput, locations, toolKind }: ToolEntry): readonly FileDiff[] {
    if (diffs.length > 0) return diffs.map((content) => this.fromContent(content, toolKind === 'delete'));
    if (!isRecord(rawInput)) return [];
    if (typeof rawInput.diff === 'string') return this.fromPatch(rawInput, rawInput.diff, locations);
    const isEdit = toolKind === 'edit' || toolKind === 'other';
    return isEdit ? this.editsOf(rawInput).map((content) => this.fromContent(content, false)) : [];
  }

  private fromContent(content: DiffContent, isDelete: boolean): FileDiff {
    const known =
      this.byContent.get(content) ?? this.recent.find(({ source }) => isSameContent(source, content));
    const diff = known ?? diffFromTexts(content);
    this.byContent.set(content, diff);
    if (!known) this.recent = [diff, ...this.recent].slice(0, maxRecent);
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

function isSameContent(
  source: FileDiff['source'],
  { path, oldText, newText, replacesFile }: DiffContent,
): boolean {
  if (!('kind' in source) || source.replacesFile !== replacesFile) return false;
  return source.path === path && source.oldText === oldText && source.newText === newText;
}
