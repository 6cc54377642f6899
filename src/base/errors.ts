export type ErrorCode =
  /** The agent can't be started: its program is missing, or its endpoint can't be reached. */
  | 'agent_missing'
  /** The agent exited, or its connection was lost. */
  | 'agent_exited'
  /** The agent uses another version of the protocol. */
  | 'agent_version'
  /** The agent answered a request with an error. */
  | 'agent_error'
  /** The registry, or an agent from it, can't be loaded or installed. */
  | 'registry_error'
  /** The agent wants the user to log in first. */
  | 'auth_required'
  /** The parameters of a message or an operation have the wrong shape. */
  | 'bad_params'
  /** The user, the end of the turn or the end of the chat stopped it. */
  | 'cancelled'
  /** A newer version of a question replaces this one. */
  | 'superseded'
  /** The file, session, chat or terminal that was named does not exist. */
  | 'not_found'
  /** This Neovim, this machine or the agent can't do it. */
  | 'unsupported'
  /** The user or a rule does not allow it. */
  | 'denied'
  /** A file can't be read or written. */
  | 'file_error'
  /** A method of the user's Lua failed. */
  | 'extension_error'
  /** Anything unexpected: an error of this plugin. */
  | 'bug';

interface ErrorFacts {
  readonly cause?: unknown;
  /** One line that says what the user can do next. */
  readonly hint?: string;
  /** More lines, such as the last ones of an agent's stderr. */
  readonly detail?: readonly string[];
  /** Extra `data` for the JSON-RPC error. */
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

/** Whether a question was withdrawn because a newer version of it replaces it. The transcript does not show it. */
export function isSuperseded({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof AcpError && reason.code === 'superseded';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether an error is a bug of this plugin, and not a reason why something can't be done. */
export function isFaultOfPlugin(error: unknown): boolean {
  return !(error instanceof AcpError) || error.code === 'bug' || error.code === 'bad_params';
}

/** An error and what caused it, the cause last. */
export function causesOf(error: unknown): readonly unknown[] {
  const causes = [error];
  for (let last = error; last instanceof Error && last.cause !== undefined && causes.length < 5; ) {
    last = last.cause;
    causes.push(last);
  }
  return causes;
}

/** Other errors than AcpError are bugs. */
export function asAcpError(error: unknown): AcpError {
  return error instanceof AcpError ? error : new AcpError('bug', messageOf(error), { cause: error });
}
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
