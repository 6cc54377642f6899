import { describe, expect, it } from 'vitest';
import { ChatAttention } from '../../../../src/app/attention/chat-attention.ts';
import { emptySession } from '../../../../src/model/session.ts';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { reduce } from '../../../../src/session/reducer/reducer.ts';
import type { ViewContext } from '../../../../src/view/transcript/view-context.ts';
import type { TrackedFile } from '../../../../src/workspace/files/file-record.ts';
import { isReady } from '../../../support/builders.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { EditorDouble } from '../../../support/doubles/editor.ts';
import { turnEnded, turnStarted } from '../../../support/session-events.ts';

const text = (line: string) => ({ kind: 'text', lines: [line] }) as const;
const changed = (path: string): TrackedFile => ({
  path,
  review: { session: text('a'), turn: text('a'), now: text('b') },
  disk: text('b'),
});

/** A chat whose files are compared when the test says so. */
function aChat() {
  const [state, editor, clock] = [emptySession('tester', 0), new EditorDouble(), new ManualClock()];
  let [files, onCompared] = [[] as readonly TrackedFile[], () => {}];
  let onChanged = () => {};
  const nothing = { dispose: () => {} };
  const attention = new ChatAttention({
    ...{ chat: 1, state, editor, clock, view: { cwd: '/' } as ViewContext, revisionOf: () => 1 },
    changes: {
      get files() {
        return files;
      },
      ready: async () => {},
      watch: (changed) => {
        onChanged = changed;
        return nothing;
      },
      watchAgent: (watcher) => {
        onCompared = () => watcher.onTurnCompared();
        return nothing;
      },
    },
  });
  const report = (...events: readonly SessionEvent[]) => {
    for (const event of events) attention.onEvent(event, reduce(state, event, 0));
  };
  const compared = (...paths: readonly string[]) => {
    files = paths.map(changed);
    onCompared();
  };
  const events = () =>
    editor.sent
      .filter(({ op }) => op === 'event.emit')
      .map(({ payload }) => payload as { name: string; data: { files?: readonly { path: string }[] } })
      .filter(({ name }) => name.startsWith('AcpTurn'))
      .map(({ name, data }) => [name, data.files?.map(({ path }) => path)]);
  /** The files that the tracker has now, and the number that Neovim is told. */
  const reviewed = (...now: readonly TrackedFile[]) => {
    files = now;
    onChanged();
    clock.advance(100);
    const sent = editor.sent.findLast(({ op }) => op === 'chat.status')!;
    return (sent.payload as unknown as { status: { unreviewed: number } }).status.unreviewed;
  };
  report(isReady);
  return { report, compared, events, clock, reviewed, attention };
}

describe('the end of a turn', () => {
  it('has its own files if the next turn ends before they were compared', () => {
    const { report, compared, events } = aChat();
    report(turnStarted('one'), turnEnded(), turnStarted('two'), turnEnded());
    compared('/a');
    const first = [
      ['AcpTurnStarted', undefined],
      ['AcpTurnEnded', ['/a']],
      ['AcpTurnStarted', undefined],
    ];
    expect(events()).toEqual(first);
    compared('/b');
    expect(events()).toEqual([...first, ['AcpTurnEnded', ['/b']]]);
  });

  it('that was reported without waiting any longer leaves the files of the next one alone', () => {
    const { report, compared, events, clock } = aChat();
    report(turnStarted('one'), turnEnded());
    clock.advance(5_000);
    report(turnStarted('two'), turnEnded());
    compared('/late');
    expect(events().map(([name]) => name)).toEqual(['AcpTurnStarted', 'AcpTurnEnded', 'AcpTurnStarted']);
    compared('/b');
    expect(events().at(-1)).toEqual(['AcpTurnEnded', ['/b']]);
  });

  it('does not wait if a login is needed, because nothing is compared then', () => {
    const { report, events } = aChat();
    const agent = { name: 'tester', title: 'Tester', capabilities: {} };
    const notice = { kind: 'notice', severity: 'info', title: 'log in' } as const;
    report(turnStarted('one'), { kind: 'login_needed', agent, notice });
    expect(events().at(-1)?.[0]).toBe('AcpTurnEnded');
  });
});

describe('the files that are not reviewed', () => {
  it('are those that differ from the begin of the session, whatever the last turn did', () => {
    const { reviewed, attention } = aChat();
    const [a, b, c] = [text('a'), text('b'), text('c')];
    const file = (path: string, session: typeof a, turn: typeof a, now: typeof a): TrackedFile => ({
      ...{ path, disk: now },
      review: { session, turn, now },
    });
    const open = [file('/1', a, a, b), file('/2', a, b, b)];
    const settled = [
      file('/3', a, a, a),
      file('/4', a, c, a),
      { ...file('/5', b, a, b), decision: 'kept' as const },
    ];
    expect(reviewed(...open, ...settled)).toBe(2);
    expect(attention.inboxItems()).toMatchObject([{ kind: 'changes', files: 2 }]);
    expect(reviewed(open[0]!, ...settled)).toBe(1);
    expect(reviewed(...settled)).toBe(0);
    expect(attention.inboxItems()).toEqual([]);
  });
});
