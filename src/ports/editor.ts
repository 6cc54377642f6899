import type { EditorOperation, EditorOperations } from './editor-operations.ts';

export type NotificationLevel = 'info' | 'warn' | 'error';

/** What the host asks of the editor. Operations are answered from the editor's memory; none waits for the user. */
export interface Editor {
  /** Runs an operation in the editor and resolves with its answer. */
  call<Op extends EditorOperation>(
    op: Op,
    payload: EditorOperations[Op]['payload'],
  ): Promise<EditorOperations[Op]['answer']>;
  /** Runs an operation in the editor; a failure is logged. */
  send<Op extends EditorOperation>(op: Op, payload: EditorOperations[Op]['payload']): void;
  /** Shows a message to the user with `vim.notify`. */
  notify(level: NotificationLevel, message: string): void;
}
