import type { AgentCapabilities } from './agent.ts';
import type { Attachment, PromptRecord } from './prompt.ts';

export type PromptCapabilities = Pick<AgentCapabilities, 'image' | 'audio' | 'embeddedContext' | 'textOnly'>;

/** How an attachment is sent. `name`: it stands in the text of the prompt and nothing else is sent. */
export type AttachmentShape = 'media' | 'resource' | 'text' | 'link' | 'name';

/** The shape in which an attachment reaches the model of an agent. */
export function shapeOf(attachment: Attachment, agent: PromptCapabilities): AttachmentShape {
  const { kind, content } = attachment;
  const link = agent.textOnly ? 'name' : 'link';
  if (content === undefined) return link;
  if (content.kind === 'bytes') {
    return (kind === 'image' && agent.image) || (kind === 'audio' && agent.audio) ? 'media' : link;
  }
  if (agent.textOnly) return 'text';
  if (agent.embeddedContext) return 'resource';
  return isWholeOnDisk(attachment) ? 'link' : 'text';
}

/** The record of a prompt, which says what was sent without its content. */
export function withShapes<T extends PromptRecord>(prompt: T, agent: PromptCapabilities): T {
  if (!prompt.attachments) return prompt;
  const attachments = prompt.attachments.map((each) => {
    const shape = shapeOf(each, agent);
    return shape === 'link' || shape === 'name' ? { ...each, sentAs: shape } : each;
  });
  return { ...prompt, attachments };
}

function isWholeOnDisk({ kind, range, isUnsaved }: Attachment): boolean {
  return kind === 'file' && range === undefined && !isUnsaved;
}
