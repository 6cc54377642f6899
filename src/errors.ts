/** What went wrong, as the rest of the program tells it apart. */
export type ErrorCode =
  | 'agent_missing'
  | 'agent_exited'
  | 'agent_version'
  | 'agent_error'
  | 'registry_error'
  | 'auth_required'
  | 'bad_params'
  | 'cancelled'
  | 'superseded'
  | 'not_found'
  | 'unsupported'
  | 'denied'
  | 'file_error'
  | 'bug';

interface ErrorFacts {
  readonly cause?: unknown;
  /** What the user can do next, one line. */
  readonly hint?: string;
  /** Lines that explain, such as the last of an agent's stderr. */
  readonly detail?: readonly string[];
  /** What an agent is told besides when this answers it. */
  readonly data?: object | undefined;
}

export class AcpError extends Error {
  override readonly name = 'AcpError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly detail: readonly string[];
  readonly data: object | undefined;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, { cause: facts.cause });
    this.code = code;
    this.hint = facts.hint;
    this.detail = facts.detail ?? [];
    this.data = facts.data;
  }
}

/** Why a question is withdrawn that is asked again at once, in other words: it leaves no trace. */
export function isSuperseded({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof AcpError && reason.code === 'superseded';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What is no error of ours is a bug. */
export function asAcpError(error: unknown): AcpError {
  return error instanceof AcpError ? error : new AcpError('bug', messageOf(error), { cause: error });
}
