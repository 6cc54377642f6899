import os from 'node:os';
import { pathToFileURL } from 'node:url';
import { replaceInvisible, visibleSubstitute } from '../base/invisible-characters.ts';
import { absolutePath, displayPath, isInside } from '../base/paths.ts';
import { characterBoundary, describeSize } from '../base/text.ts';
import { mediaTypeOf } from '../media/media-type.ts';
import { checkPicture } from '../media/picture.ts';
import type { Attachment, LineRange, PictureSize, Prompt } from '../model/prompt.ts';
import type { ContextAnswer, ContextItem, PromptSources } from '../ports/prompt-sources.ts';
import { limits } from './limits.ts';
import { findMentions, type Mention } from './mentions.ts';
import { textType } from './text-types.ts';

export interface ResolvedPrompt {
  readonly prompt: Prompt;
  /** What was not attached as the user wrote it, one line each. */
  readonly problems: readonly string[];
}

type ReadFile = Awaited<ReturnType<PromptSources['readFile']>>;
type NamedMention = Mention & { readonly target: { readonly kind: 'named' } };
type PathMention = Mention & { readonly target: { readonly kind: 'path' } };

const readAhead = 8;

/** Finds what the mentions of a text refer to, as it is now. A mention of nothing stays as text. */
export async function resolvePrompt(text: string, sources: PromptSources): Promise<ResolvedPrompt> {
  const found = findMentions(text);
  if (found.length === 0) return { prompt: { text, attachments: [] }, problems: [] };
  const mentions = found.slice(0, limits.mentions);
  const resolution = new Resolution(text, sources);
  if (found.length > mentions.length) {
    const [most, all] = [mentions.length, found.length].map((count) => count.toLocaleString('en'));
    resolution.problems.push(`only the first ${most} of ${all} mentions were attached`);
  }
  await resolution.run(mentions);
  return { prompt: { text, attachments: resolution.attachments }, problems: resolution.problems };
}

/** The attachments of one prompt, within its limits. */
class Resolution {
  readonly attachments: Attachment[] = [];
  readonly problems: string[] = [];
  private readonly text: string;
  private readonly sources: PromptSources;
  private textBytes = 0;
  private mediaBytes = 0;

  constructor(text: string, sources: PromptSources) {
    this.text = text;
    this.sources = sources;
  }

  // The requests to Neovim go out together. A few files are read in advance: more of them would take much memory.
  async run(mentions: readonly Mention[]): Promise<void> {
    const answers = await this.readContext(mentions);
    const reads = new Map<Mention, Promise<ReadFile>>();
    for (const [index, mention] of mentions.entries()) {
      for (const next of mentions.slice(index, index + readAhead)) this.startReading(next, reads);
      if (isPath(mention)) this.addPath(mention, await reads.get(mention)!);
      else await this.addAnswer(mention, answers.get(mention)!);
      reads.delete(mention);
    }
  }

  private startReading(mention: Mention, reads: Map<Mention, Promise<ReadFile>>): void {
    if (!isPath(mention) || reads.has(mention)) return;
    const { path, range } = mention.target;
    reads.set(mention, this.sources.readFile(absolutePath(path, this.sources.cwd), range));
  }

  private async readContext(mentions: readonly Mention[]): Promise<ReadonlyMap<Mention, ContextAnswer>> {
    const named = mentions.filter((mention): mention is NamedMention => mention.target.kind === 'named');
    const requests = (some: readonly NamedMention[]) =>
      some.map(({ target: { name, argument } }) => ({ name: name.name, argument }));
    const ofEditor = named.filter(({ target }) => target.name.source === 'editor');
    const ofHost = named.filter(({ target }) => target.name.source === 'host');
    const [fromEditor, fromHost] = await Promise.all([
      ofEditor.length === 0 ? [] : this.sources.readEditor(requests(ofEditor)),
      Promise.all(requests(ofHost).map((request) => this.sources.readHost(request))),
    ]);
    const nothing: ContextAnswer = { items: [], problem: 'Neovim did not answer' };
    return new Map<Mention, ContextAnswer>([
      ...ofEditor.map((mention, index) => [mention, fromEditor[index] ?? nothing] as const),
      ...ofHost.map((mention, index) => [mention, fromHost[index] ?? nothing] as const),
    ]);
  }

  private addPath(mention: PathMention, source: ReadFile): void {
    const { path, range, isWord } = mention.target;
    if (source.kind === 'missing') {
      if (!isWord) this.problems.push(`${this.wordsOf(mention)}: there is no such file; sent as text`);
    } else this.addFile(mention, { file: absolutePath(path, this.sources.cwd), range, source });
  }

  private async addAnswer(mention: Mention, { items, problem }: ContextAnswer): Promise<void> {
    if (problem !== undefined) this.problems.push(`${this.wordsOf(mention)}: ${problem}`);
    for (const item of items) {
      if (item.url !== undefined) this.addLink(mention, item.url);
      else if (item.path !== undefined && item.text === undefined) {
        const source = await this.sources.readFile(item.path, item.range);
        const { path: file, range, name } = item;
        this.addFile(mention, { file, range, source, ownName: name });
      } else this.addText(mention, item);
    }
  }

  private addFile(
    mention: Mention,
    {
      file,
      range,
      source,
      ownName,
    }: {
      readonly file: string;
      readonly range: LineRange | undefined;
      readonly source: ReadFile;
      /** Of a file of the plugin, which may be removed later. */
      readonly ownName?: string | undefined;
    },
  ): void {
    const name = ownName ?? displayPath(file, this.sources.cwd, os.homedir());
    if (source.kind === 'unreadable' || source.kind === 'missing') {
      this.problems.push(`${name}: ${source.kind === 'missing' ? 'there is no such file' : source.reason}`);
      return;
    }
    if (ownName === undefined) this.markOutside(name, file, source.leadsTo);
    const base = { start: mention.start, end: mention.end, uri: pathToFileURL(file).href, name };
    if (source.kind === 'folder') {
      this.attachments.push({
        ...base,
        kind: 'folder',
        uri: base.uri.replace(/\/?$/, '/'),
        mimeType: 'inode/directory',
      });
    } else if (source.kind === 'bytes') {
      const copy = ownName === undefined ? undefined : this.sources.keepCopy(name, source.bytes);
      this.addMedia({ ...base, ...(copy !== undefined && { copy }) }, source.bytes);
    } else if (source.kind === 'text') {
      const isUnsaved = source.isUnsaved && { isUnsaved: true };
      this.addFileText({ ...base, range, ...isUnsaved }, source.text, file);
    } else {
      const { size } = source;
      const reason = source.kind === 'large' ? `${describeSize(size)} is too much` : 'it is not a text';
      this.problems.push(`the content of ${name} was not sent: ${reason}`);
      this.attachments.push({ ...base, kind: 'file', mimeType: 'application/octet-stream', size });
    }
  }

  /** The user named the file, so it is attached. But a link in a project may lead to a secret. */
  private markOutside(name: string, file: string, leadsTo: string | undefined): void {
    const isOutside = (place: string) => !this.sources.roots.some((root) => isInside(place, root));
    if (isOutside(file)) this.problems.push(`${name} is outside of the folders of this session`);
    else if (leadsTo !== undefined) {
      const shown = displayPath(leadsTo, this.sources.cwd, os.homedir());
      this.problems.push(`${name} leads to ${shown}, outside of the folders of this session`);
    }
  }

  private addFileText(base: Omit<Attachment, 'kind' | 'content'>, text: string, file: string): void {
    const { range } = base;
    const name = range ? `${base.name}:${rangeText(range)}` : base.name;
    const uri = range ? `${base.uri}#${rangeFragment(range)}` : base.uri;
    const size = Buffer.byteLength(text);
    const attachment = { ...base, uri, name, kind: 'file', mimeType: textType(file), size } as const;
    if (range && size === 0) this.problems.push(`${name}: the file has no such lines`);
    const reason = this.reasonToLink(size);
    if (reason !== undefined) this.problems.push(`the content of ${name} was not sent: ${reason}`);
    else this.textBytes += size;
    this.attachments.push(
      reason === undefined ? { ...attachment, content: { kind: 'text', text } } : attachment,
    );
  }

  private reasonToLink(size: number): string | undefined {
    if (size > limits.text) return `it has more than ${describeSize(limits.text)}`;
    if (this.textBytes + size <= limits.allText) return undefined;
    return `the prompt would have more than ${describeSize(limits.allText)}`;
  }

  private addMedia(base: Omit<Attachment, 'kind' | 'content'>, source: Uint8Array): void {
    const bytes = Buffer.from(source.buffer, source.byteOffset, source.length);
    const type = mediaTypeOf(bytes)!;
    const picture = type.kind === 'image' ? checkPicture(bytes, type) : {};
    const { kind, mimeType } = type;
    const attachment = { ...base, kind, mimeType, size: bytes.length, ...pixelsOf(picture) };
    const problem = 'problem' in picture ? picture.problem : this.mediaProblem(bytes.length);
    if (problem !== undefined) {
      this.problems.push(`the content of ${base.name} was not sent: ${problem}`);
      this.attachments.push(attachment);
      return;
    }
    this.mediaBytes += bytes.length;
    this.attachments.push({ ...attachment, content: { kind: 'bytes', base64: bytes.toString('base64') } });
  }

  private mediaProblem(size: number): string | undefined {
    if (this.mediaBytes + size <= limits.allMedia) return undefined;
    return `the prompt would have more than ${describeSize(limits.allMedia)} of pictures and sounds`;
  }

  private addText(mention: Mention, item: ContextItem): void {
    const { start, end } = mention;
    const name = neutralise(item.name ?? this.text.slice(start + 1, end));
    const text = this.cutText(name, neutralise(item.text ?? ''));
    this.textBytes += Buffer.byteLength(text);
    this.attachments.push({
      kind: 'text',
      start,
      end,
      uri: `acp-nvim:///${encodeURIComponent(name)}`,
      name,
      mimeType: item.mimeType ?? 'text/plain',
      size: Buffer.byteLength(text),
      content: { kind: 'text', text },
      copy: this.sources.keepCopy(name, text),
    });
  }

  // There is nothing to link to, so a text that is too long is cut.
  private cutText(name: string, text: string): string {
    const room = Math.max(0, Math.min(limits.text, limits.allText - this.textBytes));
    if (Buffer.byteLength(text) <= room) return text;
    const cut = Buffer.from(text)
      .subarray(0, room)
      .toString()
      .replace(/\ufffd$/, '');
    const end = cut.lastIndexOf('\n') + 1 || characterBoundary(cut, cut.length);
    const left = describeSize(Buffer.byteLength(text) - Buffer.byteLength(cut.slice(0, end)));
    this.problems.push(`${name} was cut: ${left} of it are not sent`);
    return `${cut.slice(0, end)}… (${left} more)\n`;
  }

  private addLink(mention: Mention, url: string): void {
    const { start, end } = mention;
    this.attachments.push({ kind: 'link', start, end, uri: url, name: url });
  }

  private wordsOf({ start, end }: Mention): string {
    return this.text.slice(start, end);
  }
}

function isPath(mention: Mention): mention is PathMention {
  return mention.target.kind === 'path';
}

function pixelsOf({ size }: { readonly size?: PictureSize }): Pick<Attachment, 'pixels'> {
  return size ? { pixels: size } : {};
}

/** Texts from programs may have sequences that control a terminal. */
function neutralise(text: string): string {
  return replaceInvisible(text.toWellFormed().replace(/\r+\n/g, '\n'), visibleSubstitute);
}

function rangeText({ first, last }: LineRange): string {
  return first === last ? String(first) : `${first}-${last}`;
}

function rangeFragment(range: LineRange): string {
  return `L${rangeText(range)}`;
}
