import type { AgentCapabilities } from '../../model/agent.ts';
import type { Attachment, Prompt } from '../../model/prompt.ts';

export interface EncodedPrompt {
  readonly blocks: readonly object[];
  /** What could not be sent as it is, because the agent does not accept it; one line each. */
  readonly omissions: readonly string[];
}

type PromptCapabilities = Pick<AgentCapabilities, 'image' | 'audio' | 'embeddedContext'>;

/**
 * The content blocks of a prompt, in the order written. Every agent accepts text and links; other blocks are sent only to
 * agents that accept them.
 */
export function encodePrompt({ text, attachments }: Prompt, capabilities: PromptCapabilities): EncodedPrompt {
  const blocks: object[] = [];
  const omissions: string[] = [];
  const sent = new Set<string>();
  let written = 0;
  for (const attachment of attachments) {
    blocks.push(...textBlocks(text.slice(written, attachment.start)));
    written = attachment.end;
    const isRepeated = sent.has(attachment.uri);
    sent.add(attachment.uri);
    blocks.push(isRepeated ? repeatedBlock(attachment) : attachmentBlock(attachment, capabilities));
    const omission = isRepeated ? undefined : describeOmission(attachment, capabilities);
    if (omission !== undefined) omissions.push(omission);
  }
  blocks.push(...textBlocks(text.slice(written)));
  return { blocks, omissions };
}

// Some models refuse a block of blanks.
function textBlocks(text: string): readonly object[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function attachmentBlock(attachment: Attachment, capabilities: PromptCapabilities): object {
  const { kind, content, uri, mimeType } = attachment;
  if (content?.kind === 'bytes') {
    const { base64: data } = content;
    if (kind === 'image' && capabilities.image) return { type: 'image', data, mimeType, uri };
    if (kind === 'audio' && capabilities.audio) return { type: 'audio', data, mimeType };
    return resourceLink(attachment);
  }
  if (content === undefined) return resourceLink(attachment);
  if (capabilities.embeddedContext) {
    return {
      type: 'resource',
      resource: { uri, text: content.text, ...(mimeType !== undefined && { mimeType }) },
    };
  }
  return kind === 'text' ? inlineText(attachment, content.text) : resourceLink(attachment);
}

/** The content was sent with its first mention. */
function repeatedBlock(attachment: Attachment): object {
  return attachment.kind === 'text' ? { type: 'text', text: attachment.name } : resourceLink(attachment);
}

function inlineText({ name }: Attachment, text: string): object {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(({ 0: run }) => run.length));
  const fence = '`'.repeat(longest + 1);
  return { type: 'text', text: `${name}:\n${fence}\n${text.replace(/\n$/, '')}\n${fence}\n` };
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
  capabilities: PromptCapabilities,
): string | undefined {
  if (content?.kind !== 'bytes') return undefined;
  if (kind === 'image' && !capabilities.image) return `${name} was linked: the agent accepts no pictures`;
  if (kind === 'audio' && !capabilities.audio) return `${name} was linked: the agent accepts no sounds`;
  return undefined;
}
