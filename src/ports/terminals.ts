/** Commands that run for an agent and are shown to the user. An id that is not known, or not any more, is an AcpError. */
export interface TerminalService {
  /** Resolves as soon as the command is started; rejects when the user does not allow it. */
  create(request: CommandRun, withdrawn?: AbortSignal): Promise<string>;
  output(terminalId: string): TerminalOutput;
  /** Resolves when the command has ended, in whatever way. */
  waitForExit(terminalId: string, withdrawn: AbortSignal): Promise<ExitStatus>;
  /** Ends the command; what it wrote can still be asked for. */
  kill(terminalId: string): Promise<void>;
  /** Ends the command and forgets its id. */
  release(terminalId: string): Promise<void>;
}

export interface CommandRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** Of the output, so many bytes are kept at its end. */
  readonly byteLimit: number | undefined;
}

export interface TerminalOutput {
  readonly text: string;
  readonly isTruncated: boolean;
  /** Absent while the command runs. */
  readonly exit: ExitStatus | undefined;
}

export interface ExitStatus {
  readonly code: number | undefined;
  readonly signal: string | undefined;
}

/** Runs programs in pseudo-terminals. */
export interface PtyLauncher {
  /** Whether this machine can. */
  readonly isAvailable: boolean;
  /** Throws when the program can't be started. */
  open(program: PtyProgram): Pty;
}

export interface PtyProgram extends TerminalSize {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Takes what it writes, as it comes. */
  onOutput(bytes: Buffer): void;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A program in a pseudo-terminal. */
export interface Pty {
  /** Resolves when the program itself has ended and what it wrote was read, whoever else still holds the terminal. */
  readonly exited: Promise<ExitStatus>;
  /** Resolves when there is nothing left to end: what the program started has ended with it, or was ended. */
  readonly over: Promise<void>;
  write(text: string): void;
  resize(size: TerminalSize): void;
  /** Ends the program and everything it started; settles when nothing of it is left. */
  end(): Promise<void>;
}
