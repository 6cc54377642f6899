import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { Message } from '../../support/tour/client.ts';
import { openWithEverything } from '../../support/tour/editor.ts';
import { it } from '../../support/tour/it.ts';
import { textOf, toolStates, toolUpdates } from '../../support/tour/updates.ts';

describe('tour command steer', () => {
  it('waits for a prompt that is sent into the turn, and answers it', async ({ folder, start }) => {
    const { client, sessionId } = await openWithEverything(start, folder);
    const steer = async (text: string) => {
      const prompt = [{ type: 'text', text }];
      const { result, error } = await client.request('_session/steering', { sessionId, prompt });
      return (result as { outcome?: string } | undefined)?.outcome ?? error?.message;
    };
    expect(await steer('left')).toBe('promptRequired');
    const ended = client.prompt(sessionId, 'steer');
    expect(await steer('refuse this')).toContain('part of the tour');
    expect(await steer('left')).toBe('injected');
    expect(await ended).toBe('end_turn');
    expect(textOf(client.updates)).toContain('You sent this while I worked: left');
  });

  it('is a command that others need not know: they answer a prompt at their end', async ({
    folder,
    start,
  }) => {
    const { client, sessionId } = await openWithEverything(start, folder);
    const ended = client.prompt(sessionId, 'slow 5');
    await client.request('_session/steering', { sessionId, prompt: [{ type: 'text', text: 'left' }] });
    expect(await ended).toBe('end_turn');
    expect(textOf(client.updates)).toContain('While I worked, you also sent: left');
  });
});

describe('tour command edit', () => {
  it('shows the change, asks and writes through the client', async ({ folder, start }) => {
    const { client, sessionId, editor } = await openWithEverything(start, folder);
    const file = path.join(folder, 'acp-tour.md');
    await client.prompt(sessionId, 'edit');
    const written = editor.files.get(file);
    expect(written).toMatch(/Visits: 1\n$/);
    const diff = { type: 'diff', path: file, oldText: null, newText: written };
    expect(toolUpdates(client.updates)[0]).toMatchObject({
      kind: 'edit',
      status: 'pending',
      content: [diff],
    });
    expect(client.calls).toEqual(['fs/read_text_file', 'session/request_permission', 'fs/write_text_file']);
    expect(optionKinds(client.received)).toEqual(['allow_once', 'allow_always', 'reject_once']);
  });

  it('starts from the text in the editor', async ({ folder, start }) => {
    const { client, sessionId, editor } = await openWithEverything(start, folder);
    const file = path.join(folder, 'notes.md');
    editor.files.set(file, 'Visits: 41\nkept\n');
    await client.prompt(sessionId, 'edit notes.md');
    expect(editor.files.get(file)).toBe('Visits: 42\nkept\n');
  });

  it('starts from the text on disk if the client cannot read files', async ({ folder, start }) => {
    const client = start({ answers: { 'session/request_permission': allow } });
    fs.writeFileSync(path.join(folder, 'notes.md'), 'Visits: 1\n');
    await client.prompt(await client.open(folder), 'edit notes.md');
    expect(toolUpdates(client.updates)[0]?.content).toMatchObject([
      { oldText: 'Visits: 1\n', newText: 'Visits: 2\n' },
    ]);
    expect(textOf(client.updates)).toContain('only shown');
  });

  it.for(['reject', 'no such option'])(
    'writes nothing when the answer is %s',
    async (choice, { folder, start }) => {
      const { client, sessionId, editor } = await openWithEverything(start, folder);
      editor.choice = choice;
      expect(await client.prompt(sessionId, 'edit')).toBe('end_turn');
      expect(editor.files.size).toBe(0);
      expect(toolStates(client.updates)).toEqual({ 'tour-1-call-1': ['pending', 'failed'] });
    },
  );

  it('does not ask again when edits are always allowed', async ({ folder, start }) => {
    const { client, sessionId, editor } = await openWithEverything(start, folder);
    editor.choice = 'allow-always';
    await client.prompt(sessionId, 'edit');
    await client.prompt(sessionId, 'edit');
    expect(client.calls.filter((method) => method === 'session/request_permission')).toHaveLength(1);
    expect(editor.files.get(path.join(folder, 'acp-tour.md'))).toContain('Visits: 2');
  });
});

describe('tour command read', () => {
  it('shows the text in the editor, not on disk', async ({ folder, start }) => {
    const { client, sessionId, editor } = await openWithEverything(start, folder);
    const file = path.join(folder, 'README.md');
    fs.writeFileSync(file, 'saved\n');
    editor.files.set(file, 'unsaved\nsecond\n');
    await client.prompt(sessionId, 'read');
    expect(textOf(client.updates)).toBe('`README.md` has 2 lines. The first is `unsaved`.');
  });

  it('reports why a file could not be read', async ({ folder, start }) => {
    const { client, sessionId } = await openWithEverything(start, folder);
    expect(await client.prompt(sessionId, 'read missing.md')).toBe('end_turn');
    expect(toolStates(client.updates)).toEqual({ 'tour-1-call-1': ['pending', 'in_progress', 'failed'] });
    expect(textOf(client.updates)).toContain('no such file');
  });
});

describe('tour command run', () => {
  it('runs the command in a terminal that its tool call shows', async ({ folder, start }) => {
    const { client, sessionId } = await openWithEverything(start, folder);
    await client.prompt(sessionId, 'run make test');
    const created = client.received.find(({ method }) => method === 'terminal/create')?.params;
    expect(created).toEqual({ sessionId, command: 'sh', args: ['-c', 'make test'], cwd: folder });
    expect(toolUpdates(client.updates)[1]?.content).toEqual([{ type: 'terminal', terminalId: 'terminal-1' }]);
    expect(textOf(client.updates)).toBe('The command ended with code 0 and wrote 2 lines.');
    await client.until(({ method }) => method === 'terminal/release');
    expect(client.calls).toEqual([
      'session/request_permission',
      ...['create', 'wait_for_exit', 'output', 'release'].map((name) => `terminal/${name}`),
    ]);
  });

  it('runs nothing without permission', async ({ folder, start }) => {
    const { client, sessionId, editor } = await openWithEverything(start, folder);
    editor.choice = 'reject';
    expect(await client.prompt(sessionId, 'run make test')).toBe('end_turn');
    expect(client.calls).toEqual(['session/request_permission']);
    expect(textOf(client.updates)).toBe('The command was not run.');
  });

  it('fails its tool call if the command fails', async ({ folder, start }) => {
    const { client, sessionId, editor } = await openWithEverything(start, folder);
    editor.exitCode = 2;
    expect(await client.prompt(sessionId, 'run false')).toBe('end_turn');
    expect(toolStates(client.updates)).toEqual({ 'tour-1-call-1': ['pending', 'in_progress', 'failed'] });
  });
});

describe('tour command ask', () => {
  it('shows the answers of its form', async ({ folder, start }) => {
    const { client, sessionId } = await openWithEverything(start, folder);
    await client.prompt(sessionId, 'ask');
    expect(textOf(client.updates)).toContain('- Your name: Ada\n- How do you indent? With tabs');
  });

  it('shows them in the words of the form', async ({ folder, start }) => {
    const { client, sessionId, editor } = await openWithEverything(start, folder);
    editor.form = { action: 'accept', content: { indent: 'spaces', width: 4, isNew: true } };
    await client.prompt(sessionId, 'ask');
    expect(textOf(client.updates)).toContain(
      '- How do you indent? With spaces\n- How wide? 4\n- Is this your first agent? yes',
    );
    editor.form = { action: 'accept', content: { isOpen: false, checks: ['lint', 'tests'] } };
    await client.prompt(sessionId, 'form');
    expect(textOf(client.updates)).toContain('- Open source? no\n- Checks: A linter, Tests');
  });

  it.for(['decline', 'cancel'])('accepts a %s', async (action, { folder, start }) => {
    const { client, sessionId, editor } = await openWithEverything(start, folder);
    editor.form = { action };
    expect(await client.prompt(sessionId, 'ask')).toBe('end_turn');
    expect(textOf(client.updates)).toContain('which is fine');
  });

  it('offers a choice if the client does not support forms', async ({ folder, start }) => {
    const client = start({ answers: { 'session/request_permission': () => selected('tabs') } });
    await client.prompt(await client.open(folder), 'ask');
    expect(textOf(client.updates)).toContain('With tabs');
  });
});

describe('tour command form', () => {
  it('has a field of every kind and shows the answers', async ({ folder, start }) => {
    const { client, sessionId } = await openWithEverything(start, folder);
    await client.prompt(sessionId, 'form');
    const asked = client.received.find(({ method }) => method === 'elicitation/create')?.params;
    const schema = asked?.requestedSchema as { properties: Record<string, { type: string }> } | undefined;
    expect(new Set(Object.values(schema?.properties ?? {}).map(({ type }) => type))).toEqual(
      new Set(['string', 'integer', 'number', 'boolean', 'array']),
    );
    expect(textOf(client.updates)).toContain('- Name: Ada');
  });
});

describe('tour command link', () => {
  it('reports completion only if the page was opened', async ({ folder, start }) => {
    const { client, sessionId, editor } = await openWithEverything(start, folder);
    await client.prompt(sessionId, 'link https://example.com/');
    editor.form = { action: 'decline' };
    await client.prompt(sessionId, 'link');
    expect(client.calls).toEqual(['elicitation/create', 'elicitation/complete', 'elicitation/create']);
    const asked = client.received.filter(({ method }) => method === 'elicitation/create');
    expect(asked[0]?.params).toMatchObject({ mode: 'url', url: 'https://example.com/' });
    expect(new Set(asked.map(({ params }) => params?.elicitationId)).size).toBe(2);
  });
});

describe('tour command many', () => {
  it('asks 40 questions of three kinds at once', async ({ folder, start }) => {
    const { client, sessionId } = await openWithEverything(start, folder);
    await client.prompt(sessionId, 'many');
    expect(client.calls).toEqual(Array.from({ length: 40 }, () => 'session/request_permission'));
    const kinds = toolUpdates(client.updates).flatMap(({ kind }) => (typeof kind === 'string' ? [kind] : []));
    const count = (kind: string) => kinds.filter((each) => each === kind).length;
    expect([count('execute'), count('edit'), count('fetch')]).toEqual([24, 10, 6]);
    expect(textOf(client.updates)).toContain('40 of 40 were allowed');
  });
});

describe('tour command rules', () => {
  it('asks one question after the other, and says what was allowed', async ({ folder, start }) => {
    const { client, sessionId } = await openWithEverything(start, folder);
    await client.prompt(sessionId, 'rules');
    expect(client.calls).toHaveLength(3);
    expect(textOf(client.updates)).toContain('- `npm test && rm -rf build`: allowed');
  });
});

describe('a tour command that the client does not support', () => {
  it.for([
    ['read', 'cannot read files'],
    ['edit', 'cannot write files'],
    ['run', 'does not support terminals'],
    ['notice', 'does not support notices'],
    ['form', 'does not support forms'],
    ['link', 'does not open web pages'],
  ] as const)('%s says that the client %s', async ([word, reason], { folder, start }) => {
    const client = start({ answers: { 'session/request_permission': allow } });
    fs.writeFileSync(path.join(folder, 'README.md'), '');
    await client.prompt(await client.open(folder), word);
    expect(textOf(client.updates)).toContain(`This client ${reason}`);
  });
});

function allow(): object {
  return selected('allow');
}

function selected(optionId: string): object {
  return { outcome: { outcome: 'selected', optionId } };
}

function optionKinds(received: readonly Message[]): readonly string[] {
  const asked = received.find(({ method }) => method === 'session/request_permission');
  return ((asked?.params?.options ?? []) as readonly { readonly kind: string }[]).map(({ kind }) => kind);
}
