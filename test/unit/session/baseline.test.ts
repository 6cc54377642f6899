import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../src/session/events.ts';
import { Session } from '../../../src/session/session.ts';
import { anAgentSpec } from '../../support/builders.ts';
import { Deferred, LauncherDouble, LogDouble, ManualClock, settle } from '../../support/doubles.ts';

/** A session whose files are being looked at. */
async function aSessionThatLooks() {
  const launcher = new LauncherDouble();
  const clock = new ManualClock();
  const looking = new Deferred<void>();
  const heard: string[] = [];
  const returned: string[] = [];
  const changes = {
    beginTurn: () => looking.promise,
    hear: ({ kind }: SessionEvent) => void heard.push(kind),
  };
  const workspace = {
    offers: { files: false, terminals: false },
    open: () => ({ changes, dispose: () => undefined }),
  };
  const watcher = {
    onChange: () => undefined,
    onPromptReturned: (text: string) => void returned.push(text),
    onTerminalLogin: () => undefined,
  };
  const session = new Session(
    anAgentSpec(),
    { launcher, clock, log: new LogDouble(), workspace } as never,
    watcher as never,
  );
  session.start();
  await launcher.last.becomeReady();
  session.send('go');
  await settle();
  const prompts = () => launcher.last.calls.filter((call) => call.startsWith('prompt'));
  return { session, clock, looking, heard, returned, prompts };
}

describe('a prompt', () => {
  it('is sent when it is known what the files are', async () => {
    const { looking, prompts, heard } = await aSessionThatLooks();
    expect(prompts()).toEqual([]);
    looking.resolve();
    await settle();
    expect(prompts()).toEqual(['prompt s1 go']);
    expect(heard).toContain('turn_started');
  });

  it('does not wait longer than the user would', async () => {
    const { clock, prompts } = await aSessionThatLooks();
    clock.advance(2_000);
    await settle();
    expect(prompts()).toEqual(['prompt s1 go']);
  });

  it('that is stopped before that comes back unsent', async () => {
    const { session, looking, prompts, returned } = await aSessionThatLooks();
    session.cancel();
    looking.resolve();
    await settle();
    expect(prompts()).toEqual([]);
    expect(returned).toEqual(['go']);
    expect(session.state.phase).toBe('idle');
  });
});
