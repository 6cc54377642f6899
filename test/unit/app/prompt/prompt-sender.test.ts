import { describe, expect, it } from 'vitest';
import { PromptSender } from '../../../../src/app/prompt/prompt-sender.ts';
import type { Prompt } from '../../../../src/model/prompt.ts';
import type { SourceFile } from '../../../../src/ports/prompt-sources.ts';
import { Deferred, settle } from '../../../support/doubles/deferred.ts';
import { PromptSourcesDouble } from '../../../support/doubles/prompt-sources.ts';

/** A sender whose files are read when the test says so. */
function aSender() {
  const sources = new PromptSourcesDouble();
  const reads: Deferred<SourceFile>[] = [];
  sources.readFile = () => {
    reads.push(new Deferred());
    return reads.at(-1)!.promise;
  };
  const accepted: Prompt[] = [];
  const givenBack: string[] = [];
  const remarks: string[] = [];
  const sender = new PromptSender(sources, {
    accept: (prompt) => accepted.push(prompt),
    giveBack: ({ text }) => givenBack.push(text),
    notify: ({ title }) => remarks.push(title),
  });
  const send = (text: string) => sender.send({ id: text, text });
  const answer = async (text: string) => {
    reads.shift()!.resolve({ kind: 'text', text, size: text.length });
    await settle();
  };
  return { sender, send, sources, reads, accepted, givenBack, remarks, answer };
}

const texts = (prompts: readonly Prompt[]) => prompts.map(({ text }) => text);

describe('prompts with mentions', () => {
  it('are passed on in the order in which they were sent, with their own contents', async () => {
    const { send, accepted, answer } = aSender();
    const sent = Promise.all(['@a.ts 1', 'no mention', '@a.ts 2', 'the last'].map((text) => send(text)));
    await settle();
    expect(accepted).toEqual([]);
    await answer('one');
    expect(texts(accepted)).toEqual(['@a.ts 1', 'no mention']);
    await answer('two');
    await sent;
    expect(texts(accepted)).toEqual(['@a.ts 1', 'no mention', '@a.ts 2', 'the last']);
    expect(accepted.map(({ attachments: [first] }) => first?.content)).toEqual([
      { kind: 'text', text: 'one' },
      undefined,
      { kind: 'text', text: 'two' },
      undefined,
    ]);
  });

  it('that are not passed on yet are given back when the user cancels, in order, and later ones are sent', async () => {
    const { sender, send, accepted, givenBack, answer } = aSender();
    const sent = Promise.all(['@a.ts 1', '@a.ts 2', 'three'].map((text) => send(text)));
    await settle();
    sender.cancel();
    const later = send('later @b.ts');
    await answer('one');
    await sent;
    expect(givenBack).toEqual(['@a.ts 1', '@a.ts 2', 'three']);
    await answer('b');
    await later;
    expect(texts(accepted)).toEqual(['later @b.ts']);
  });

  it('are given back if they can’t be read, and the next one is sent', async () => {
    const { send, accepted, givenBack, reads, answer } = aSender();
    const first = send('@a.ts 1');
    const second = send('@a.ts 2');
    await settle();
    reads.shift()!.reject(new Error('a bug'));
    await expect(first).rejects.toThrow('a bug');
    await settle();
    await answer('two');
    await second;
    expect(givenBack).toEqual(['@a.ts 1']);
    expect(texts(accepted)).toEqual(['@a.ts 2']);
  });

  it('do not keep a prompt without mentions waiting', () => {
    const { send, accepted } = aSender();
    void send('hello');
    expect(texts(accepted)).toEqual(['hello']);
  });
});
