import { type PromptCapabilities, shapeOf } from '../../model/attachment-shape.ts';
import type { Attachment, Prompt } from '../../model/prompt.ts';

export interface EncodedPrompt {
  readonly blocks: readonly object[];
  /** What could not be sent as it is, because the agent does not accept it; one line each. */
  readonly omissions: readonly string[];
}

/**
 * The content blocks of a prompt, in the order written. The name of a mention stays in the text, and its content follows.
 * The `@` does not: some agents read the file that it names by themselves, from the disk.
 */
export function encodePrompt({ text, attachments }: Prompt, capabilities: PromptCapabilities): EncodedPrompt {
  const blocks: object[] = [];
  const omissions: string[] = [];
  const sent = new Set<string>();
  let pending = '';
  let written = 0;
  for (const attachment of attachments) {
    const { start, end, uri } = attachment;
    if (start >= written) pending += text.slice(written, start) + text.slice(start + 1, end);
    written = end;
    if (sent.has(uri)) continue;
    sent.add(uri);
    const omission = describeOmission(attachment, capabilities);
    if (omission !== undefined) omissions.push(omission);
    const block = attachmentBlock(attachment, capabilities);
    if (block) {
      blocks.push(...textBlocks(pending), block);
      pending = '';
    } else if (!text.slice(start, end).includes(attachment.name)) pending += ` (${attachment.name})`;
  }
  blocks.push(...textBlocks(pending + text.slice(written)));
  return { blocks, omissions };
}

// Some models refuse a block of blanks.
function textBlocks(text: string): readonly object[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function attachmentBlock(attachment: Attachment, capabilities: PromptCapabilities): object | undefined {
  const { kind, content, uri, mimeType } = attachment;
  const shape = shapeOf(attachment, capabilities);
  if (shape === 'name') return undefined;
  if (shape === 'link' || !content) return resourceLink(attachment);
  if (content.kind === 'bytes') {
    const { base64: data } = content;
    return kind === 'image' ? { type: 'image', data, mimeType, uri } : { type: 'audio', data, mimeType };
  }
  if (shape === 'text') return inlineText(attachment, content.text);
  return {
    type: 'resource',
    resource: { uri, text: content.text, ...(mimeType !== undefined && { mimeType }) },
  };
}

/** A fence with the name. `replay-alignment.ts` finds it again in prompts that the agent replays. */
function inlineText({ name }: Attachment, text: string): object {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(({ 0: run }) => run.length));
  const fence = '`'.repeat(longest + 1);
  const title = name.replaceAll('`', "'");
  return { type: 'text', text: `\n${fence}${title}\n${text.replace(/\n$/, '')}\n${fence}\n` };
}

function resourceLink({ uri, name, mimeType, size }: Attachment): object {
  return {
    type: 'resource_link',
    uri,
    name,
    ...(mimeType !== undefined && { mimeType }),
    ...(size !== undefined && { size }),
  };
}

function describeOmission(
  { kind, content, name }: Attachment,
  { image, audio, textOnly }: PromptCapabilities,
): string | undefined {
  if (content?.kind !== 'bytes') return undefined;
  const sent = textOnly ? `only the name of ${name} was sent` : `${name} was linked`;
  if (kind === 'image' && !image) return `${sent}: the agent accepts no pictures`;
  if (kind === 'audio' && !audio) return `${sent}: the agent accepts no sounds`;
  return undefined;
}
