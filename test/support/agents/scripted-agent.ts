import net from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { violationsOfClient } from '../schema.ts';
import { waitFor } from '../wait.ts';
import type { WireMessage } from './piped-connection.ts';

type Wire = Readonly<Record<string, unknown>>;

/** The automatic answer to each method, or a function of the params that returns it. */
export type Answers = Readonly<Record<string, unknown>>;

/** One step of a script. */
export interface Step {
  /** The method the step waits for, or `answer` for the answer to a request of the agent. */
  readonly expect?: string;
  readonly stderr?: string;
  /** Messages to send before the reply. */
  readonly say?: readonly WireMessage[];
  readonly reply?: unknown;
  readonly fail?: unknown;
  /** The method whose last request is answered, if not the expected one. */
  readonly to?: string;
  /** Messages to send after the reply. */
  readonly after?: readonly WireMessage[];
  readonly exit?: number;
}

export interface ReceivedMessage extends WireMessage {
  readonly params: Record<string, unknown>;
}

export const agentInfo = { name: 'tester', title: 'Tester', version: '1' };

const usual: Answers = {
  initialize: { protocolVersion: 1, agentInfo },
  'session/new': { sessionId: 's1' },
};

/**
 * An agent in its own process that the test scripts: by calls of its methods, or by steps given in advance. Each process
 * plays the steps from the first. Methods that no step expects get the usual answer.
 */
export class ScriptedAgent {
  /** All messages of the client, in order. */
  readonly received: ReceivedMessage[] = [];
  /** All messages of the agent, in order. */
  readonly sent: WireMessage[] = [];
  /** The lines of the client as received. */
  readonly lines: string[] = [];
  /** How many processes were started. */
  starts = 0;
  /** Whether the client has closed the input. */
  isInputClosed = false;
  readonly socketPath: string;
  private readonly server = net.createServer((socket) => this.connect(socket));
  private readonly answers: Answers;
  private readonly consumed = new Set<WireMessage>();
  private socket: net.Socket | undefined;
  private nextId = 1;
  private readonly steps: readonly Step[];
  private stepsLeft: Step[] = [];
  private unexpected: ReceivedMessage[] = [];

  constructor(folder: string, answers: Answers = {}, steps: readonly Step[] = []) {
    this.socketPath = path.join(folder, 'agent.sock');
    this.answers = { ...usual, ...answers };
    this.steps = steps;
    this.server.listen(this.socketPath);
  }

  dispose(): void {
    this.socket?.destroy();
    this.server.close();
  }

  /** Sends messages in one write. */
  send(...messages: readonly WireMessage[]): void {
    this.sent.push(...messages);
    const lines = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    this.control({ stdout: lines.join('') });
  }

  /** Waits for the next request or notification with this method. */
  async receive(method: string): Promise<ReceivedMessage> {
    const message = await this.until(
      () => this.received.find((candidate) => candidate.method === method && !this.consumed.has(candidate)),
      method,
    );
    this.consumed.add(message);
    return message;
  }

  reply({ id }: WireMessage, result: unknown): void {
    this.send({ id, result });
  }

  fail({ id }: WireMessage, code: number, message = 'no'): void {
    this.send({ id, error: { code, message } });
  }

  exit(code: number): void {
    this.control({ exit: code });
  }

  /** Sends a request and resolves with the whole answer. */
  request(method: string, params: Wire, id: unknown = `q${this.nextId++}`): Promise<WireMessage> {
    this.send({ id, method, params });
    return this.answerTo(id);
  }

  answerTo(id: unknown): Promise<WireMessage> {
    return this.until(() => this.answersTo(id)[0], `an answer to ${String(id)}`);
  }

  answersTo(id: unknown): readonly WireMessage[] {
    return this.received.filter((message) => message.method === undefined && message.id === id);
  }

  /** Resolves when the client has processed all messages so far. */
  async waitUntilProcessed(): Promise<void> {
    await this.request('_test/ping', {});
  }

  /** The methods of the received messages, or `answer` and the id, in order. */
  get receivedMethods(): readonly string[] {
    return this.received
      .filter(({ id }) => !String(id).startsWith('q'))
      .map(({ method, id }) => method ?? `answer ${String(id)}`);
  }

  /** How the received messages violate the official schema. */
  get violations(): readonly string[] {
    return violationsOfClient(this.received, this.sent);
  }

  count(method: string): number {
    return this.received.filter((message) => message.method === method).length;
  }

  until<T>(condition: () => T, what: string) {
    return waitFor(condition, { describe: () => `no ${what} in:\n${this.lines.join('\n')}` });
  }

  private connect(socket: net.Socket): void {
    this.socket = socket;
    this.starts += 1;
    this.stepsLeft = [...this.steps];
    this.unexpected = [];
    this.play();
    socket.on('end', () => {
      this.isInputClosed = true;
    });
    socket.on('error', () => undefined);
    createInterface({ input: socket }).on('line', (line) => this.handle(line));
  }

  private handle(line: string): void {
    this.lines.push(line);
    const message = JSON.parse(line) as ReceivedMessage;
    this.received.push(message);
    const { method = 'answer', params } = message;
    if (this.steps.some(({ expect }) => expect === method)) {
      this.unexpected.push(message);
      this.play();
      return;
    }
    const answer = this.answers[method];
    if (answer === undefined) return;
    this.consumed.add(message);
    this.reply(message, typeof answer === 'function' ? answer(params) : answer);
  }

  private play(): void {
    for (let [step] = this.stepsLeft; step; [step] = this.stepsLeft) {
      const { expect } = step;
      const index = this.unexpected.findIndex(({ method = 'answer' }) => method === expect);
      if (expect !== undefined && index === -1) return;
      const [message] = expect === undefined ? [] : this.unexpected.splice(index, 1);
      this.stepsLeft.shift();
      this.perform(step, message);
    }
  }

  private perform(
    { stderr, say = [], to, reply, fail, after = [], exit }: Step,
    message?: ReceivedMessage,
  ): void {
    const id = to === undefined ? message?.id : this.received.findLast(({ method }) => method === to)?.id;
    if (stderr !== undefined) this.control({ stderr });
    const answer = [
      ...(reply === undefined ? [] : [{ id, result: reply }]),
      ...(fail === undefined ? [] : [{ id, error: fail as WireMessage['error'] }]),
    ];
    const messages = [...say, ...answer, ...after];
    if (messages.length > 0) this.send(...messages);
    if (exit !== undefined) this.control({ exit });
  }

  private control(command: { stdout: string } | { stderr: string } | { exit: number }): void {
    this.socket?.write(`${JSON.stringify(command)}\n`);
  }
}
