import { expect, it } from 'vitest';
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Message,
} from 'vscode-jsonrpc';
import {
  filterReader,
  filterWriter,
  type MessageFilter,
} from '../../../../src/acp/connection/message-filters.ts';

type Trace = Message & { readonly trace: readonly string[] };

const aMessage: Trace = { jsonrpc: '2.0', trace: [] };

class ReaderDouble extends AbstractMessageReader {
  deliver: DataCallback = () => undefined;

  override listen(callback: DataCallback) {
    this.deliver = callback;
    return { dispose: () => undefined };
  }
}

class WriterDouble extends AbstractMessageWriter {
  readonly written: Message[] = [];

  async write(message: Message): Promise<void> {
    this.written.push(message);
  }

  end(): void {}
}

function appending(name: string): MessageFilter {
  const append = (message: unknown) => ({ ...aMessage, trace: [...(message as Trace).trace, name] });
  return { inbound: (message) => [append(message)], outbound: append };
}

function readThrough(...filters: readonly MessageFilter[]) {
  const [read, errors]: [Message[], unknown[]] = [[], []];
  const reader = new ReaderDouble();
  filterReader(reader, filters, (error) => errors.push(error)).listen((message) => read.push(message));
  reader.deliver(aMessage);
  return { read, errors };
}

it('an incoming message passes the filters from first to last', () => {
  expect(readThrough(appending('one'), appending('two')).read).toEqual([
    { ...aMessage, trace: ['one', 'two'] },
  ]);
});

it('an outgoing message passes the filters from last to first', async () => {
  const writer = new WriterDouble();
  await filterWriter(writer, [appending('one'), appending('two')]).write(aMessage);
  expect(writer.written).toEqual([{ ...aMessage, trace: ['two', 'one'] }]);
});

it('a filter may drop an incoming message or replace it with several', () => {
  const drop: MessageFilter = { ...appending(''), inbound: () => [] };
  const repeat: MessageFilter = { ...appending(''), inbound: (message) => [message, message] };
  expect(readThrough(drop, appending('one')).read).toEqual([]);
  expect(readThrough(repeat, appending('one')).read).toHaveLength(2);
});

it('a filter that throws is skipped for that message, and the error is reported', () => {
  const failure = new Error('no');
  const failing: MessageFilter = {
    ...appending(''),
    inbound: () => {
      throw failure;
    },
  };
  expect(readThrough(failing, appending('one'))).toEqual({
    read: [{ ...aMessage, trace: ['one'] }],
    errors: [failure],
  });
});
