/** Runs commands for an agent and shows them to the user. An unknown or released terminal id is an AcpError. */
export interface TerminalService {
  /** Resolves when the command was started; rejects if the user denies it. */
  create(request: CommandRequest, withdrawn?: AbortSignal): Promise<string>;
  output(terminalId: string): TerminalOutput;
  /** Resolves when the command has exited or was killed. */
  waitForExit(terminalId: string, withdrawn: AbortSignal): Promise<ExitStatus>;
  /** Ends the command; its output stays available. */
  kill(terminalId: string): Promise<void>;
  /** Ends the command and forgets its id. */
  release(terminalId: string): Promise<void>;
}

export interface CommandRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** Only this many bytes are kept, from the end of the output. */
  readonly byteLimit: number | undefined;
}

export interface TerminalOutput {
  readonly text: string;
  readonly isTruncated: boolean;
  /** Undefined while the command runs. */
  readonly exit: ExitStatus | undefined;
}

export interface ExitStatus {
  readonly code: number | undefined;
  readonly signal: string | undefined;
}

/** Runs programs in pseudo-terminals. */
export interface PtyLauncher {
  /** Whether node-pty works on this machine. */
  readonly isAvailable: boolean;
  /** Throws when the program can't be started. */
  open(program: PtyProgram): Pty;
}

export interface PtyProgram extends TerminalSize {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Called with every chunk of output. */
  onOutput(bytes: Buffer): void;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A program in a pseudo-terminal. */
export interface Pty {
  /** Resolves when the program has exited and its output was read, even if background processes keep the terminal. */
  readonly exited: Promise<ExitStatus>;
  /** Resolves when the program and everything that it started have exited. */
  readonly allExited: Promise<void>;
  write(text: string): void;
  resize(size: TerminalSize): void;
  /** Ends the program and everything that it started; settles when all of it has exited. */
  end(): Promise<void>;
}
