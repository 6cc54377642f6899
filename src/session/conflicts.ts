import { randomUUID } from 'node:crypto';
import { AcpError, isSuperseded } from '../errors.ts';
import type { PermissionRequest } from '../ports/agent.ts';
import type { Conflict } from '../ports/workspace.ts';
import { countConflicts, resolved, type Side } from '../workspace/conflict.ts';
import type { ToolPatch } from './events.ts';
import type { QuestionOption } from './model.ts';

/** What settling a conflict takes of a session. */
export interface ConflictSession {
  report(patch: ToolPatch): void;
  /** Resolves with the answer; tells first which question it is. */
  ask(request: PermissionRequest, onAsked: (questionId: number) => void): Promise<string | undefined>;
  /** Ends a question with an answer that it does not offer. */
  close(questionId: number, optionId: string, answer: string): void;
}

const merged = 'merged';

const names = {
  agent: { theirs: 'Take theirs', refuse: 'Refuse, and leave all as it is' },
  disk: { theirs: 'Take what is on disk', refuse: 'Leave both as they are' },
} as const;

/** Texts of the user and of others that contradict each other, until the user has settled them. */
export class Conflicts {
  private readonly session: ConflictSession;
  private readonly open = new Map<number, { readonly conflict: Conflict; lines?: readonly string[] }>();
  /** The calls in the chat of questions that are about to be asked again, by path. */
  private readonly superseded = new Map<string, string>();

  constructor(session: ConflictSession) {
    this.session = session;
  }

  of(questionId: number): Conflict | undefined {
    return this.open.get(questionId)?.conflict;
  }

  /** The user has merged it themselves. */
  isMerged(questionId: number): boolean {
    return this.open.get(questionId)?.lines !== undefined;
  }

  /** Undefined when the user wants neither; rejects when they are not asked any more. Then everything stays as it is. */
  async settle(conflict: Conflict, withdrawn: AbortSignal): Promise<readonly string[] | undefined> {
    const toolCallId = this.superseded.get(conflict.path) ?? `conflict ${randomUUID()}`;
    this.superseded.delete(conflict.path);
    const content = [{ kind: 'text', text: reasonOf(conflict) }] as const;
    const tool = { toolCallId, title: conflict.path, toolKind: 'edit', content } as const;
    let id = 0;
    const isOurs = conflict.cause === 'disk';
    const answer = await this.session.ask(
      { tool, options: optionsOf(conflict), withdrawn, isOurs },
      (questionId) => {
        id = questionId;
        this.open.set(id, { conflict });
      },
    );
    if (answer === undefined) {
      this.open.delete(id);
      if (isSuperseded(withdrawn)) this.superseded.set(conflict.path, toolCallId);
      else this.session.report({ toolCallId, status: 'cancelled' });
      throw new AcpError('cancelled', `the user was not asked any more about ${conflict.path}`);
    }
    const lines = answer === merged ? this.open.get(id)?.lines : linesOf(conflict, answer);
    this.open.delete(id);
    this.session.report({ toolCallId, status: lines || isOurs ? 'done' : 'failed' });
    return lines;
  }

  /** Takes what the user made of it. */
  resolve(questionId: number, lines: readonly string[]): void {
    const pending = this.open.get(questionId);
    if (!pending) return;
    pending.lines = lines;
    this.session.close(questionId, merged, 'settled in a split');
  }
}

function optionsOf({ cause }: Conflict): readonly QuestionOption[] {
  return [
    { id: 'ours', name: 'Keep mine', kind: 'other' },
    { id: 'theirs', name: names[cause].theirs, kind: 'other' },
    { id: 'both', name: 'Keep both, mine first', kind: 'other' },
    // What is on disk already is left there, not rejected.
    { id: 'refuse', name: names[cause].refuse, kind: cause === 'disk' ? 'other' : 'reject_once' },
  ];
}

function linesOf({ regions }: Conflict, answer: string): readonly string[] | undefined {
  return answer === 'refuse' ? undefined : resolved(regions, answer as Side);
}

function reasonOf({ regions, cause }: Conflict): string {
  const count = countConflicts(regions);
  const places = count === 1 ? 'one place' : `${count} places`;
  return cause === 'agent'
    ? `You have changed the same lines, in ${places}. Nothing is written until you choose.`
    : `You have unsaved text in the same lines, in ${places}. It stays as it is until you choose.`;
}
