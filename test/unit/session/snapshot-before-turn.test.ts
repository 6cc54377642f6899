import { describe, expect, it } from 'vitest';
import { type Prompt, textPrompt } from '../../../src/model/prompt.ts';
import type { SessionEvent } from '../../../src/model/session-events.ts';
import { Session } from '../../../src/session/session.ts';
import { anAgentSpec } from '../../support/builders.ts';
import { ManualClock } from '../../support/doubles/clock.ts';
import { Deferred, settle } from '../../support/doubles/deferred.ts';
import { LauncherDouble } from '../../support/doubles/link.ts';
import { LogDouble } from '../../support/doubles/log.ts';

/** A session whose files are being looked at. */
async function aSessionThatLooks(hasEarlierSnapshot = true) {
  const launcher = new LauncherDouble();
  const clock = new ManualClock();
  const looking = new Deferred<void>();
  const heard: string[] = [];
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
    open: () => ({ changes, dispose: () => undefined }),
  };
  const watcher = {
    onChange: () => undefined,
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
  session.send(textPrompt('go'));
  await settle();
  const prompts = () => launcher.last.calls.filter((call) => call.startsWith('prompt'));
  return { session, clock, looking, heard, returned, prompts };
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
});
