import type { ToolCallContent, ToolCallUpdate, ToolCall as WireToolCall } from '@agentclientprotocol/sdk';
import type { Stage } from './stage.ts';

export type ToolStart = Pick<WireToolCall, 'title' | 'kind' | 'content' | 'locations' | 'rawInput'>;

/** A tool call that was announced, and its way to an end. */
export class ToolCall {
  readonly id: string;
  private readonly stage: Stage;

  constructor(stage: Stage, id: string) {
    this.stage = stage;
    this.id = id;
  }

  begin(...content: ToolCallContent[]): Promise<void> {
    return this.update({ status: 'in_progress', ...withContent(content) });
  }

  /** Ends it well; without content, what it showed stays. */
  finish(...content: ToolCallContent[]): Promise<void> {
    return this.update({ status: 'completed', ...withContent(content) });
  }

  fail(...content: ToolCallContent[]): Promise<void> {
    return this.update({ status: 'failed', ...withContent(content) });
  }

  private update(change: Omit<ToolCallUpdate, 'toolCallId'>): Promise<void> {
    return this.stage.report({ sessionUpdate: 'tool_call_update', toolCallId: this.id, ...change });
  }
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

function withContent(content: readonly ToolCallContent[]): { content?: ToolCallContent[] } {
  return content.length === 0 ? {} : { content: [...content] };
}
