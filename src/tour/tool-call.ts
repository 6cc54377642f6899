import type { ToolCallContent, ToolCallUpdate, ToolCall as WireToolCall } from '@agentclientprotocol/sdk';
import type { TourTurn } from './turn.ts';

export type ToolStart = Pick<WireToolCall, 'title' | 'kind' | 'content' | 'locations' | 'rawInput'>;

/** A tool call that was announced to the client. */
export class ToolCall {
  readonly id: string;
  private readonly turn: TourTurn;

  constructor(turn: TourTurn, id: string) {
    this.turn = turn;
    this.id = id;
  }

  begin(...content: ToolCallContent[]): Promise<void> {
    return this.update({ status: 'in_progress', ...withContent(content) });
  }

  /** Completes the call. Without content, the earlier content stays. */
  finish(...content: ToolCallContent[]): Promise<void> {
    return this.update({ status: 'completed', ...withContent(content) });
  }

  fail(...content: ToolCallContent[]): Promise<void> {
    return this.update({ status: 'failed', ...withContent(content) });
  }

  private update(change: Omit<ToolCallUpdate, 'toolCallId'>): Promise<void> {
    return this.turn.sendUpdate({ sessionUpdate: 'tool_call_update', toolCallId: this.id, ...change });
  }
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

function withContent(content: readonly ToolCallContent[]): { content?: ToolCallContent[] } {
  return content.length === 0 ? {} : { content: [...content] };
}
