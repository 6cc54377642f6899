import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { complaintsAboutClient } from './client-schema.ts';
import type { WireMessage } from './piped-connection.ts';
import { waitFor } from './wait.ts';

type Wire = Readonly<Record<string, unknown>>;

/** What an agent answers by itself to each method; a function makes the answer of the params. */
export type Answers = Readonly<Record<string, unknown>>;

export interface Heard extends WireMessage {
  readonly params: Record<string, unknown>;
}

const usual: Answers = {
  initialize: { protocolVersion: 1, agentInfo: { name: 'puppet', title: 'Puppet', version: '1' } },
  'session/new': { sessionId: 's1' },
};

/** An agent in a process of its own that says what the test says, and tells what it hears. */
export class Puppet {
  /** Everything the client said, in the order of the wire. */
  readonly heard: Heard[] = [];
  /** Everything it said itself. */
  readonly said: WireMessage[] = [];
  /** The lines of what it heard as they came. */
  readonly lines: string[] = [];
  /** How often it was started. */
  starts = 0;
  /** The client has closed its side. */
  isLeft = false;
  readonly socketPath: string;
  private readonly server = net.createServer((socket) => this.connect(socket));
  private readonly answers: Answers;
  private readonly taken = new Set<WireMessage>();
  private socket: net.Socket | undefined;
  private nextId = 1;

  constructor(folder: string, answers: Answers = {}) {
    this.socketPath = path.join(folder, 'puppet.sock');
    this.answers = { ...usual, ...answers };
  }

  async listen(): Promise<void> {
    this.server.listen(this.socketPath);
    await once(this.server, 'listening');
  }

  dispose(): void {
    this.socket?.destroy();
    this.server.close();
  }

  /** Says messages, all in one write. */
  say(...messages: readonly WireMessage[]): void {
    this.said.push(...messages);
    const lines = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    this.socket?.write(lines.join(''));
  }

  /** Waits for the next request or notification of that name. */
  async hears(method: string): Promise<Heard> {
    const message = await this.until(
      () => this.heard.find((candidate) => candidate.method === method && !this.taken.has(candidate)),
      method,
    );
    this.taken.add(message);
    return message;
  }

  reply({ id }: WireMessage, result: unknown): void {
    this.say({ id, result });
  }

  fail({ id }: WireMessage, code: number, message = 'no'): void {
    this.say({ id, error: { code, message } });
  }

  /** Asks the client something and resolves with its whole answer. */
  ask(method: string, params: Wire, id: unknown = `q${this.nextId++}`): Promise<WireMessage> {
    this.say({ id, method, params });
    return this.answerTo(id);
  }

  answerTo(id: unknown): Promise<WireMessage> {
    return this.until(() => this.answersTo(id)[0], `an answer to ${String(id)}`);
  }

  answersTo(id: unknown): readonly WireMessage[] {
    return this.heard.filter((message) => message.method === undefined && message.id === id);
  }

  /** Resolves when the client has dealt with everything that was said to it before. */
  async isUnderstood(): Promise<void> {
    await this.ask('_puppet/nothing', {});
  }

  /** What was heard, in order: the method, or which request was answered. */
  get words(): readonly string[] {
    return this.heard
      .filter(({ id }) => !String(id).startsWith('q'))
      .map(({ method, id }) => method ?? `answer ${String(id)}`);
  }

  /** What the official schema says against what it heard. */
  get complaints(): readonly string[] {
    return complaintsAboutClient(this.heard, this.said);
  }

  count(method: string): number {
    return this.heard.filter((message) => message.method === method).length;
  }

  until<T>(condition: () => T, what: string) {
    return waitFor(condition, { describe: () => `no ${what} in:\n${this.lines.join('\n')}` });
  }

  private connect(socket: net.Socket): void {
    this.socket = socket;
    this.starts += 1;
    socket.on('end', () => {
      this.isLeft = true;
    });
    socket.on('error', () => undefined);
    createInterface({ input: socket }).on('line', (line) => this.hear(line));
  }

  private hear(line: string): void {
    this.lines.push(line);
    const message = JSON.parse(line) as Heard;
    this.heard.push(message);
    const { method = '', params } = message;
    const answer = this.answers[method];
    if (answer === undefined) return;
    this.taken.add(message);
    this.reply(message, typeof answer === 'function' ? answer(params) : answer);
  }
}
