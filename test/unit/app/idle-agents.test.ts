import { describe, expect, it } from 'vitest';
import { canRest, IdleAgents } from '../../../src/app/idle-agents.ts';
import type { AgentCapabilities } from '../../../src/model/agent.ts';
import type { SessionEvent } from '../../../src/model/session-events.ts';
import type { Session } from '../../../src/session/session.ts';
import { aChunk, aQuestion, aSession, aToolCall } from '../../support/builders.ts';
import { ManualClock } from '../../support/doubles/clock.ts';
import { LogDouble } from '../../support/doubles/log.ts';

const ready = (capabilities: AgentCapabilities): SessionEvent => ({
  kind: 'agent_ready',
  agent: { name: 'tester', title: 'Tester', capabilities },
});
const loads = ready({ load: true });
const turn: readonly SessionEvent[] = [
  { kind: 'turn_started', text: 'go' },
  { kind: 'turn_ended', stopReason: 'end_turn' },
];
const terminal = (exit?: object) =>
  ({ kind: 'terminal', patch: { terminalId: 't', command: 'x', ...exit } }) as SessionEvent;

describe('an agent may be ended', () => {
  it.each<[string, readonly SessionEvent[], boolean]>([
    ['after a turn, if it can load the session', [loads, ...turn], true],
    ['after a turn, if it can resume the session', [ready({ resume: true }), ...turn], true],
    ['not after a turn, if it can do neither', [ready({}), ...turn], false],
    ['if nothing was said', [ready({}), aChunk('Welcome')], true],
    ['not while it starts', [{ kind: 'agent_starting' }], false],
    ['not during a turn', [loads, turn[0]!], false],
    ['not while a turn is stopped', [loads, turn[0]!, { kind: 'cancel_requested' }], false],
    ['not while a question waits', [loads, { kind: 'question_asked', question: aQuestion() }], false],
    ['not while a prompt is queued', [loads, { kind: 'prompt_queued', text: 'more' }], false],
    ['not while a command runs', [loads, ...turn, terminal()], false],
    ['after the end of a command', [loads, ...turn, terminal({ exit: { code: 0 } })], true],
    ['not while it works outside of a turn', [loads, ...turn, aToolCall({ status: 'running' })], false],
    ['not if it has ended', [loads, ...turn, { kind: 'agent_gone' }], false],
  ])('%s', (_, events, expected) => expect(canRest(aSession(...events))).toBe(expected));
});

class IdleChat {
  rests = 0;
  isIdle = true;
  readonly program: string;
  readonly session: Session;

  constructor(program: string) {
    this.program = program;
    const session = {
      sharesAgentWith: (other: { chat: IdleChat }) => this.rests === 0 && other.chat.program === program,
      rest: async () => {
        this.rests += 1;
      },
      chat: this,
    };
    this.session = session as unknown as Session;
  }

  isIdleFor(): boolean {
    return this.isIdle;
  }
}

function watching(idleMinutes: number, ...chats: readonly IdleChat[]) {
  const clock = new ManualClock();
  const options = { idleMinutes };
  const agents = new IdleAgents(
    { all: chats },
    { clock, log: new LogDouble(), options: { get: () => options } },
  );
  agents.watch();
  const rests = () => chats.map((chat) => chat.rests);
  return { clock, options, agents, rests };
}

describe('idle agents', () => {
  it('are never ended by default', () => {
    const { clock } = watching(0, new IdleChat('a'));
    expect(clock.pending).toBe(0);
  });

  it('are ended once', () => {
    const { clock, rests } = watching(2, new IdleChat('a'));
    clock.advance(20 * 60_000);
    expect(rests()).toEqual([1]);
  });

  it('are ended only if all chats that use the program are idle', () => {
    const chats = [new IdleChat('a'), new IdleChat('a'), new IdleChat('b')];
    chats[1]!.isIdle = false;
    const { clock, rests } = watching(2, ...chats);
    clock.advance(60_000);
    expect(rests()).toEqual([0, 0, 1]);
    chats[1]!.isIdle = true;
    clock.advance(60_000);
    expect(rests()).toEqual([1, 1, 1]);
  });

  it('follow the option as it changes, and nothing happens after the end', () => {
    const { clock, options, agents, rests } = watching(0, new IdleChat('a'));
    options.idleMinutes = 1;
    agents.watch();
    agents.watch();
    expect(clock.pending).toBe(1);
    agents.dispose();
    clock.advance(600_000);
    expect(rests()).toEqual([0]);
  });
});
