import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { SessionUpdate, StopReason } from '@agentclientprotocol/sdk';
import { violationsOfCall, violationsOfResult } from '../schema.ts';
import { tourPath } from '../system/build.ts';
import { waitFor } from '../wait.ts';

export type Message = {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
};

/** Answers one method of the agent. A pending promise leaves the request unanswered. */
export type Answer = (params: Record<string, unknown>) => unknown;

export interface TourOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly answers?: Readonly<Record<string, Answer>>;
}

/** A tour agent process and a minimal client. Every message of the agent is validated against the schema. */
export class TourClient {
  /** All messages of the agent, in order. */
  readonly received: Message[] = [];
  /** How the messages of the agent violate the schema. */
  readonly violations: string[] = [];
  readonly exited: Promise<number | null>;
  stderr = '';
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly answers: Readonly<Record<string, Answer>>;
  private readonly sent = new Map<number, string>();

  constructor({ env = {}, answers = {} }: TourOptions = {}) {
    this.answers = answers;
    this.child = spawn(process.execPath, [tourPath], { env: { ...process.env, ACP_TOUR_PACE: '0', ...env } });
    createInterface({ input: this.child.stdout }).on('line', (line) => this.take(line));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    // Writing to an agent that has exited fails; the exit is checked instead.
    this.child.stdin.on('error', () => undefined);
    this.exited = new Promise((resolve) => this.child.once('close', resolve));
  }

  get updates(): readonly SessionUpdate[] {
    return this.received
      .filter(({ method }) => method === 'session/update')
      .map(({ params }) => params?.update as SessionUpdate);
  }

  /** The methods of the requests and notifications of the agent, in order. */
  get calls(): readonly string[] {
    return this.received.flatMap(({ method }) => (method && method !== 'session/update' ? [method] : []));
  }

  send(method: string, params?: unknown): number {
    const id = this.sent.size;
    this.sent.set(id, method);
    this.write({ jsonrpc: '2.0', id, method, params });
    return id;
  }

  notify(method: string, params: unknown): void {
    this.write({ jsonrpc: '2.0', method, params });
  }

  /** The response to a request: a result or an error. */
  response(id: number): Promise<Message> {
    return this.until(({ method, id: answered }) => method === undefined && answered === id);
  }

  async request(method: string, params?: unknown): Promise<Message> {
    return this.response(this.send(method, params));
  }

  until(isIt: (message: Message) => boolean): Promise<Message> {
    return waitFor(() => this.received.find(isIt), {
      describe: () => JSON.stringify(this.received.slice(-5)),
    });
  }

  /** Initialises and opens a session, and drops its welcome message. */
  async open(cwd: string, clientCapabilities: object = {}): Promise<string> {
    await this.request('initialize', { protocolVersion: 1, clientCapabilities });
    const { result } = await this.request('session/new', { cwd, mcpServers: [] });
    const welcome = await this.until(isWelcome);
    this.received.splice(this.received.indexOf(welcome), 1);
    return String(result?.sessionId);
  }

  startPrompt(sessionId: string, text: string): number {
    return this.send('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  }

  /** Sends a prompt and resolves with its stop reason. */
  async prompt(sessionId: string, text: string): Promise<StopReason | undefined> {
    return stopReasonOf(await this.response(this.startPrompt(sessionId, text)));
  }

  /** Closes the agent's input, which must end it. */
  end(): Promise<number | null> {
    this.child.stdin.end();
    return this.exited;
  }

  writeLine(line: string): void {
    this.child.stdin.write(`${line}\n`);
  }

  private take(line: string): void {
    const message = parse(line);
    if (!message) {
      this.violations.push(`not JSON: ${line}`);
      return;
    }
    this.received.push(message);
    this.violations.push(...this.check(message));
    if (message.method && message.id !== undefined)
      void this.answer(message.id, message.method, message.params ?? {});
  }

  private check({ id, method, params, result }: Message): readonly string[] {
    if (method) return violationsOfCall(method, params);
    return result === undefined ? [] : violationsOfResult(this.sent.get(id ?? -1) ?? '', result);
  }

  private async answer(id: number, method: string, params: Record<string, unknown>): Promise<void> {
    const answer = this.answers[method];
    try {
      if (!answer) throw new Error(`the test answers no ${method}`);
      this.write({ jsonrpc: '2.0', id, result: await answer(params) });
    } catch (error) {
      this.write({ jsonrpc: '2.0', id, error: { code: -32603, message: (error as Error).message } });
    }
  }

  private write(message: object): void {
    this.writeLine(JSON.stringify(message));
  }
}

export function stopReasonOf({ result }: Message): StopReason | undefined {
  return result?.stopReason as StopReason | undefined;
}

function isWelcome({ params }: Message): boolean {
  return JSON.stringify(params ?? {}).includes('-welcome"');
}

function parse(line: string): Message | undefined {
  try {
    return JSON.parse(line) as Message;
  } catch {
    return undefined;
  }
}
