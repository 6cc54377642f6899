import { absolutePath } from '../../../base/paths.ts';
import type { ToolEntry } from '../../../model/entries.ts';
import { readDisk } from '../disk.ts';
import { textOf } from '../document.ts';
import type { FileRecord, FileRecords } from '../file-record.ts';
import type { Roots } from '../roots.ts';
import { noteRead } from './agent-knowledge.ts';
import { afterReading, showsDisk } from './disk-news.ts';

/** A change of a file that a call reports: of the whole text, or of a part of it. */
interface ReportedEdit {
  readonly oldText: string | undefined;
  readonly newText: string;
}

/** The edits of one file in one report of a call. */
interface Report {
  readonly call: string;
  readonly edits: readonly ReportedEdit[];
}

interface AgentReportsParts {
  readonly cwd: string;
  readonly roots: Roots;
  readonly records: FileRecords;
  visibleText(record: FileRecord): Promise<string | undefined>;
}

const maxReports = 8;

/** What the tool calls of an agent say about the texts it has read by itself. */
export class AgentReports {
  private readonly parts: AgentReportsParts;
  /** By the path that the agent gave. */
  private readonly reports = new Map<string, readonly Report[]>();
  /** Finished calls that have read files. */
  private readonly readers = new Set<string>();
  private reading: Promise<unknown> = Promise.resolve();

  constructor(parts: AgentReportsParts) {
    this.parts = parts;
  }

  note(tool: ToolEntry): void {
    const { toolCallId, toolKind, status } = tool;
    for (const [file, edits] of editsOf(tool)) this.noteEdits(this.absolute(file), toolCallId, edits);
    if (toolKind !== 'read' || status !== 'done' || this.readers.has(toolCallId)) return;
    this.readers.add(toolCallId);
    // A call that begins further down has not read the whole file.
    for (const { path: file, line } of tool.locations)
      if ((line ?? 1) <= 1) this.noteReadSoon(this.absolute(file), outputOf(tool));
  }

  /** Returns what is to be called when all files were compared: a later write is not the one that was expected. */
  endTurn(): () => void {
    this.reports.clear();
    this.readers.clear();
    const expected = this.parts.records.all().map((record) => [record, record.expected] as const);
    return () => {
      for (const [record, then] of expected) if (record.expected === then) record.expected = undefined;
    };
  }

  /** Resolves when what was noted counts. */
  async settled(): Promise<void> {
    await this.reading;
  }

  /** The agent is about to write a text: the one it has changed may be known from what its calls have reported. */
  async learnBase(record: FileRecord, name: string, content: string): Promise<void> {
    const reports = [name, record.path].flatMap((file) => this.reports.get(this.absolute(file)) ?? []);
    if (reports.length === 0) return;
    const isBase = (text: string) => reports.some(({ edits }) => afterEdits(text, edits) === content);
    const base = knownTexts(record).find(isBase) ?? (await diskText(record));
    if (base !== undefined && isBase(base)) noteRead(record, base);
  }

  private absolute(file: string): string {
    return absolutePath(file, this.parts.cwd);
  }

  private noteEdits(file: string, call: string, edits: readonly ReportedEdit[]): void {
    const before = this.reports.get(file) ?? [];
    if (before.some((one) => one.call === call && sameEdits(one.edits, edits))) return;
    // The change of a new call is not the one that was expected.
    const record = before.some((one) => one.call === call) ? undefined : this.parts.records.find(file);
    if (record) record.expected = undefined;
    this.reports.set(file, [{ call, edits }, ...before].slice(0, maxReports));
  }

  private noteReadSoon(file: string, output: string): void {
    // A file that can't be read says nothing.
    this.reading = this.reading.then(() => this.noteRead(file, output)).catch(() => undefined);
  }

  private async noteRead(file: string, output: string): Promise<void> {
    const { real } = await this.parts.roots.resolve(file);
    const record = this.parts.records.find(real);
    if (record?.agentText === undefined) return;
    const { agentText } = record;
    const disk = await readDisk(real);
    if (!disk || agentText === disk.text) return;
    const { visibleText } = this.parts;
    const shown = (await visibleText(record)) ?? disk.text;
    const linesOf = (text: string) => text.split('\n');
    const texts = { read: linesOf(agentText), disk: linesOf(disk.text), buffer: linesOf(shown) };
    const isDisk = await showsDisk(texts, output);
    const known = isDisk ? disk.text : (await afterReading(texts)).join('\n');
    // A read or write through us meanwhile says more.
    if (record.agentText === agentText) noteRead(record, known);
  }
}

/** The disk may have the new text already; a buffer without unsaved text has what was on disk before. */
function knownTexts({ agentText, buffer, base }: FileRecord): readonly string[] {
  return [agentText, textIn(buffer), base?.text].filter((text) => text !== undefined);
}

async function diskText({ path }: FileRecord): Promise<string | undefined> {
  return (await readDisk(path).catch(() => undefined))?.text;
}

function textIn(buffer: FileRecord['buffer']): string | undefined {
  return buffer?.isLegible ? textOf(buffer) : undefined;
}

function outputOf({ content }: ToolEntry): string {
  return content.flatMap((part) => (part.kind === 'text' ? part.text : [])).join('\n');
}

function editsOf({ content }: ToolEntry): ReadonlyMap<string, readonly ReportedEdit[]> {
  const edits = new Map<string, ReportedEdit[]>();
  for (const part of content) {
    if (part.kind === 'diff') edits.set(part.path, [...(edits.get(part.path) ?? []), part]);
  }
  return edits;
}

function sameEdits(some: readonly ReportedEdit[], others: readonly ReportedEdit[]): boolean {
  const isSame = ({ oldText, newText }: ReportedEdit, index: number) =>
    others[index]!.oldText === oldText && others[index]!.newText === newText;
  return some.length === others.length && some.every(isSame);
}

/** The text after the edits; undefined if it is not the one that they are about. */
function afterEdits(text: string, edits: readonly ReportedEdit[]): string | undefined {
  return edits.reduce<string | undefined>(
    (now, edit) => (now === undefined ? now : afterEdit(now, edit)),
    text,
  );
}

function afterEdit(text: string, { oldText = '', newText }: ReportedEdit): string | undefined {
  if (text === oldText) return newText;
  return oldText !== '' && text.includes(oldText) ? text.replace(oldText, () => newText) : undefined;
}
