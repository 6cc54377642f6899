import { describe, expect, it } from 'vitest';
import { type Prompt, textPrompt } from '../../../src/model/prompt.ts';
import type { SessionEvent } from '../../../src/model/session-events.ts';
import { Session } from '../../../src/session/session.ts';
import { anAgentSpec } from '../../support/builders.ts';
import { ManualClock } from '../../support/doubles/clock.ts';
import { Deferred, settle } from '../../support/doubles/deferred.ts';
import { LauncherDouble } from '../../support/doubles/link.ts';
import { LogDouble } from '../../support/doubles/log.ts';
import { aSession } from '../../support/session-parts.ts';

/** A session whose files are being looked at. */
async function aSessionThatLooks(hasEarlierSnapshot = true) {
  const launcher = new LauncherDouble();
  const clock = new ManualClock();
  const looking = new Deferred<void>();
  const heard: string[] = [];
  const events: SessionEvent[] = [];
  const returned: string[] = [];
  const changes = {
    expectTurn: () => void heard.push('expected'),
    beginTurn: () => looking.promise,
    allowEarlyPrompt: () => {
      heard.push('sent early');
      return hasEarlierSnapshot;
    },
    onEvent: ({ kind }: SessionEvent) => void heard.push(kind),
  };
  const workspace = {
    offers: { files: false, terminals: false },
    open: () => ({ changes, abandon: () => undefined, end: () => Promise.resolve() }),
  };
  const watcher = {
    onChange: (event: SessionEvent) => void events.push(event),
    onPromptReturned: ({ text }: Prompt) => void returned.push(text),
    onTerminalLogin: () => undefined,
  };
  const session = new Session(
    anAgentSpec(),
    { launcher, clock, log: new LogDouble(), workspace } as never,
    watcher as never,
  );
  session.start();
  await launcher.last.becomeReady();
  session.send(textPrompt('go', '1'));
  await settle();
  const prompts = () =>
    launcher.links.flatMap(({ calls }) => calls.filter((call) => call.startsWith('prompt')));
  return { session, launcher, clock, looking, heard, events, returned, prompts };
}

describe('a prompt before the snapshot is taken', () => {
  it('waits for the snapshot', async () => {
    const { looking, prompts, heard } = await aSessionThatLooks();
    expect(prompts()).toEqual([]);
    looking.resolve();
    await settle();
    expect(prompts()).toEqual(['prompt s1 go']);
    expect(heard).toContain('turn_started');
    expect(heard).not.toContain('sent early');
  });

  it('has Neovim asked for open files before it is shown, unless it is queued', async () => {
    const { session, heard } = await aSessionThatLooks();
    const shown = heard.indexOf('prompt_queued');
    expect(heard.slice(shown - 1, shown + 2)).toEqual(['expected', 'prompt_queued', 'turn_started']);
    session.send(textPrompt('later'));
    expect(heard.filter((kind) => kind === 'expected')).toHaveLength(1);
  });

  it('is sent after 2 s even if the snapshot is not ready', async () => {
    const { clock, prompts, heard } = await aSessionThatLooks();
    clock.advance(2_000);
    await settle();
    expect(prompts()).toEqual(['prompt s1 go']);
    expect(heard).toContain('sent early');
  });

  it('is sent after 10 s if there is no earlier snapshot', async () => {
    const { clock, prompts } = await aSessionThatLooks(false);
    clock.advance(9_999);
    await settle();
    expect(prompts()).toEqual([]);
    clock.advance(1);
    await settle();
    expect(prompts()).toEqual(['prompt s1 go']);
    expect(clock.pending).toBe(0);
  });

  it('comes back unsent if the user cancels', async () => {
    const { session, looking, prompts, returned } = await aSessionThatLooks();
    session.cancel();
    looking.resolve();
    await settle();
    expect(prompts()).toEqual([]);
    expect(returned).toEqual(['go']);
    expect(session.state.phase).toBe('idle');
  });

  it('waits in the queue if the user has the agent killed', async () => {
    const { session, clock, looking, prompts } = await aSessionThatLooks(false);
    session.cancel();
    clock.advance(2_000);
    session.cancel();
    looking.resolve();
    await settle();
    expect(prompts()).toEqual([]);
    expect(session.state.queue).toMatchObject([{ id: '1', text: 'go', isHeld: true }]);
  });

  it('waits before the others in the paused queue if the user restarts the agent', async () => {
    const { session, launcher, looking, prompts } = await aSessionThatLooks();
    session.send(textPrompt('later', '2'));
    const restarted = session.restart();
    launcher.last.ending.resolve();
    await restarted;
    looking.resolve();
    await launcher.last.becomeReady();
    expect(session.state.queue.map(({ text }) => text)).toEqual(['go', 'later']);
    expect(prompts()).toEqual([]);
    session.resumeQueue();
    await settle();
    expect(prompts()).toEqual(['prompt s1 go']);
  });

  it('is returned before its turn ends', async () => {
    const { session, looking, heard, returned } = await aSessionThatLooks();
    let wasReturned = false;
    session.cancel();
    heard.push = (...kinds) => {
      if (kinds.includes('turn_ended')) wasReturned = returned.length === 1;
      return 0;
    };
    looking.resolve();
    await settle();
    expect(wasReturned).toBe(true);
  });
});

describe('a journal that ends', () => {
  /** The session of the next host. `ended`: the last host had noted the end of the agent. */
  async function replayed(isSent: boolean, { ended = false, elsewhere = [] as string[] } = {}) {
    const { session, looking, events } = await aSessionThatLooks();
    session.send(textPrompt('later', '2'));
    if (isSent) looking.resolve();
    await settle();
    session.abandon();
    if (ended) session.dispose();
    const records = events.map((event) => ({ at: 0, event: structuredClone(event) }));
    const { session: next } = aSession();
    next.replayJournal(records, undefined, elsewhere);
    return next;
  }

  it.each([{ ended: false }, { ended: true }])(
    'before the prompt was sent has it first in the paused queue, %o',
    async (how) => {
      const session = await replayed(false, how);
      expect(session.state.queue.slice(0, 2)).toMatchObject([
        { id: '1', text: 'go', isHeld: true },
        { id: '2', text: 'later', isHeld: true },
      ]);
      expect(session.state.entries.at(-1)).toMatchObject({
        title: 'Neovim ended before this prompt was sent.',
        hint: ':AcpRetry sends it.',
      });
    },
  );

  it.each([{ ended: false }, { ended: true }])(
    'after the prompt was sent says that the answer is not complete, %o',
    async (how) => {
      const session = await replayed(true, how);
      expect(session.state.queue.map(({ id }) => id)).toEqual(['2']);
      expect(session.state.entries.at(-1)).toMatchObject({
        title: 'Neovim ended before this answer was complete.',
        hint: ':AcpRetry sends the prompt again.',
      });
    },
  );

  it('does not have the prompt that Neovim has in the prompt window', async () => {
    const session = await replayed(false, { elsewhere: ['1'] });
    expect(session.state.queue.map(({ id }) => id)).toEqual(['2']);
  });
});
