import { randomUUID } from 'node:crypto';
import { isSuperseded } from '../../base/errors.ts';
import { type ConflictChoice, countConflicts, resolveConflicts } from '../../diff/conflict-markers.ts';
import type { QuestionOption } from '../../model/entries.ts';
import type { PermissionRequest } from '../../ports/agent.ts';
import type { Conflict } from '../../ports/workspace.ts';
import { questionCancelled } from './consent.ts';

/** What a conflict question needs of its session. */
interface ConflictQuestionPorts {
  /** Resolves with the answer; calls `onAsked` with the question id first. */
  ask(request: PermissionRequest, onAsked: (questionId: number) => void): Promise<string | undefined>;
  /** Settles a question with an answer that is not among its options. */
  close(questionId: number, optionId: string, answer: string): void;
}

const mergedOptionId = 'merged';

const optionNames = {
  agent: { theirs: 'Take theirs', refuse: 'Reject the change' },
  disk: { theirs: 'Use the version on disk', refuse: 'Leave buffer and file as they are' },
} as const;

/** Asks the user about text that both they and the agent, or another program, have changed. */
export class ConflictQuestions {
  private readonly session: ConflictQuestionPorts;
  private readonly open = new Map<number, { readonly conflict: Conflict; lines?: readonly string[] }>();
  /** Tool call ids of withdrawn questions that will be asked again, by path. */
  private readonly superseded = new Map<string, string>();

  constructor(session: ConflictQuestionPorts) {
    this.session = session;
  }

  conflictOf(questionId: number): Conflict | undefined {
    return this.open.get(questionId)?.conflict;
  }

  /** The user resolved it in the merge window. */
  isMerged(questionId: number): boolean {
    return this.open.get(questionId)?.lines !== undefined;
  }

  /** Resolves with the merged lines, or undefined if the user refused. Rejects if the question was withdrawn. */
  async ask(conflict: Conflict, withdrawn: AbortSignal): Promise<readonly string[] | undefined> {
    const toolCallId = this.superseded.get(conflict.path) ?? `conflict ${randomUUID()}`;
    this.superseded.delete(conflict.path);
    const content = [{ kind: 'text', text: conflictReason(conflict) }] as const;
    // The agent reports the edit itself, so the question adds no call to the chat.
    const tool = { toolCallId, title: conflict.path, toolKind: 'edit', content, isAskedOnly: true } as const;
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
      throw questionCancelled(conflict.path);
    }
    const lines = answer === mergedOptionId ? this.open.get(id)?.lines : linesForAnswer(conflict, answer);
    this.open.delete(id);
    return lines;
  }

  /** Settles the question with the lines of the merge window. */
  resolveWithLines(questionId: number, lines: readonly string[]): void {
    const pending = this.open.get(questionId);
    if (!pending) return;
    pending.lines = lines;
    this.session.close(questionId, mergedOptionId, 'merged by hand');
  }
}

function optionsOf({ cause }: Conflict): readonly QuestionOption[] {
  return [
    { id: 'ours', name: 'Keep mine', kind: 'other' },
    { id: 'theirs', name: optionNames[cause].theirs, kind: 'other' },
    { id: 'both', name: 'Keep both, mine first', kind: 'other' },
    // The change on disk exists already, so it can't be rejected.
    { id: 'refuse', name: optionNames[cause].refuse, kind: cause === 'disk' ? 'other' : 'reject_once' },
  ];
}

function linesForAnswer({ regions }: Conflict, answer: string): readonly string[] | undefined {
  return answer === 'refuse' ? undefined : resolveConflicts(regions, answer as ConflictChoice);
}

function conflictReason({ regions, cause }: Conflict): string {
  const count = countConflicts(regions);
  const places = count === 1 ? 'one place' : `${count} places`;
  return cause === 'agent'
    ? `You and the agent changed the same lines, in ${places}. Nothing is written until you choose.`
    : `You have unsaved changes in lines that changed on disk, in ${places}. The buffer stays as it is until you choose.`;
}
