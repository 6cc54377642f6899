import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { TrafficLog } from '../../../../src/acp/connection/traffic-log.ts';
import { ChatTraffic } from '../../../../src/app/traffic/chat-traffic.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { settle } from '../../../support/doubles/deferred.ts';
import { EditorDouble } from '../../../support/doubles/editor.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { aFolder } from '../../../support/system/temp.ts';

interface Batch {
  readonly isNew: boolean;
  readonly missed: number;
  readonly oldest: number;
  readonly lines: readonly { readonly number: number; readonly text: string }[];
}

function aChatTraffic() {
  const editor = new EditorDouble();
  const clock = new ManualClock();
  const wire: { log: TrafficLog | undefined } = { log: new TrafficLog(() => clock.now()) };
  const traffic = new ChatTraffic(1, { editor, clock, log: new LogDouble() }, () => wire.log);
  const say = (count: number) => {
    for (let index = 0; index < count; index += 1) wire.log?.add({ method: 'm', params: { index } }, false);
  };
  const batches = () => editor.calls.map(({ payload }) => payload as unknown as Batch);
  const shown = async (answer: unknown = 'shown') => {
    editor.calls.at(-1)?.answer.resolve(answer);
    await settle();
  };
  return { traffic, editor, clock, wire, say, batches, shown };
}

describe('the traffic window', () => {
  it('receives the earlier messages, then new ones, one batch at a time', async () => {
    const { traffic, clock, say, batches, shown } = aChatTraffic();
    say(2);
    traffic.open();
    clock.advance(0);
    expect(batches()).toMatchObject([{ isNew: true, missed: 0, lines: [{ number: 0 }, { number: 1 }] }]);
    say(1);
    clock.advance(1_000);
    expect(batches()).toHaveLength(1);
    await shown();
    clock.advance(1_000);
    expect(batches()[1]).toMatchObject({ isNew: false, lines: [{ number: 2 }] });
  });

  it('receives batches of limited size, and the number of dropped messages', async () => {
    const { traffic, clock, say, batches, shown } = aChatTraffic();
    traffic.open();
    clock.advance(0);
    say(5_000);
    await shown();
    clock.advance(1_000);
    expect(batches()[1]?.lines).toHaveLength(200);
    expect(batches()[1]).toMatchObject({ missed: 3_000, oldest: 3_000 });
    await shown();
    clock.advance(1_000);
    expect(batches()[2]).toMatchObject({ missed: 0, lines: expect.arrayContaining([expect.anything()]) });
  });

  it('receives nothing after it was closed', async () => {
    const { traffic, clock, say, batches, shown } = aChatTraffic();
    traffic.open();
    clock.advance(0);
    await shown('gone');
    say(1);
    expect(clock.pending).toBe(0);
    traffic.open();
    traffic.close();
    say(1);
    expect(clock.pending).toBe(0);
    expect(batches()).toHaveLength(1);
  });

  it('continues with the next connection', async () => {
    const { traffic, clock, wire, say, batches, shown } = aChatTraffic();
    say(1);
    traffic.open();
    clock.advance(0);
    await shown();
    wire.log = new TrafficLog(() => 0);
    traffic.follow();
    say(1);
    clock.advance(1_000);
    expect(batches()[1]).toMatchObject({ isNew: true, lines: [{ number: 0 }] });
    expect(traffic.messageLines(0).join('')).toContain('"method": "m"');
    expect(traffic.messageLines(1)).toEqual([]);
  });
});

describe('a recording', () => {
  it('says how many messages it has', () => {
    const { traffic, editor, say } = aChatTraffic();
    const file = path.join(aFolder(), 'a.jsonl');
    say(1);
    traffic.record(file);
    traffic.stopRecording();
    expect(editor.sent.at(-1)?.payload).toMatchObject({ message: `recorded 1 message to ${file}` });
  });

  it('has the earlier messages, a note about those that were dropped, and all messages until it stops', () => {
    const { traffic, editor, clock, say } = aChatTraffic();
    const file = path.join(aFolder(), 'new', 'a.jsonl');
    say(2_003);
    traffic.record(file);
    clock.advance(10);
    say(1);
    traffic.stopRecording();
    say(1);
    const lines = fs.readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      t: 0,
      dir: 'note',
      step: '3 earlier messages were not kept',
    });
    expect(lines).toHaveLength(2_002);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ t: 10, dir: 'a2c', msg: { method: 'm' } });
    expect(editor.sent.at(-1)?.payload).toMatchObject({ message: `recorded 2001 messages to ${file}` });
    expect(clock.pending).toBe(0);
  });

  it('can be made after the agent has ended', () => {
    const { traffic, wire, say } = aChatTraffic();
    const file = path.join(aFolder(), 'a.jsonl');
    say(1);
    wire.log?.close();
    traffic.record(file);
    traffic.record(`${file}.2`);
    expect(fs.readFileSync(file, 'utf8')).toMatch(/"dir":"a2c".*\n\{"t":0,"dir":"exit","code":null\}\n$/);
  });

  it('cannot be made before an agent was started', () => {
    const { traffic, wire } = aChatTraffic();
    wire.log = undefined;
    expect(() => traffic.record('/nowhere')).toThrow('the agent was not started yet');
  });
});
