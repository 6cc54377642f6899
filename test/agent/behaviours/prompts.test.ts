import { describe, expect } from 'vitest';
import type { Attachment, Prompt } from '../../../src/model/prompt.ts';
import { type AgentHarness, it } from '../../support/agents/agent-harness.ts';
import { aScenario } from '../../support/agents/session-scenario.ts';

const text = 'see @a.ts and @a.ts:2 in @src';
const base = { kind: 'file', uri: 'file:///here/a.ts', name: 'a.ts', size: 8 } as const;
const content = { kind: 'text', text: 'one\ntwo\n' } as const;
const whole: Attachment = { ...base, start: 4, end: 9, content };
const line: Attachment = {
  ...base,
  ...{ start: 14, end: 21, uri: `${base.uri}#L2`, name: 'a.ts:2', range: { first: 2, last: 2 } },
  content: { kind: 'text', text: 'two\n' },
};
const folder: Attachment = {
  ...{ kind: 'folder', uri: 'file:///here/src/', name: 'src', mimeType: 'inode/directory' },
  ...{ start: 25, end: 29 },
};
const prompt = (first = whole): Prompt => ({ text, attachments: [first, line, folder] });

/** Sends the prompt to an agent with this name that declares that it takes resources. */
async function send(harness: AgentHarness, name: string, sent: Prompt, embeddedContext = true) {
  const agentCapabilities = { promptCapabilities: { embeddedContext } };
  const answers = { initialize: { protocolVersion: 1, agentInfo: { name }, agentCapabilities } };
  const scenario = aScenario(harness, { answers });
  await scenario.begin();
  scenario.session.send(sent);
  const { params } = await scenario.agent.receive('session/prompt');
  expect(scenario.agent.violations).toEqual([]);
  const shown = scenario.state.entries.flatMap((entry) => (entry.kind === 'attachments' ? entry.items : []));
  return { blocks: params.prompt, sentAs: shown.map(({ sentAs }) => sentAs) };
}

const fenced = (name: string, code: string) => ({ text: `\n\`\`\`${name}\n${code}\n\`\`\`\n` });
const link = (uri: string) => ({ type: 'resource_link', uri });

describe.concurrent('what is attached to a prompt', () => {
  it('is embedded for agents that take it', async ({ harness }) => {
    const { blocks } = await send(harness, 'another', prompt());
    expect(blocks).toMatchObject([
      { text: 'see a.ts' },
      { type: 'resource', resource: { uri: 'file:///here/a.ts', text: 'one\ntwo\n' } },
      { text: ' and a.ts:2' },
      { type: 'resource', resource: { uri: 'file:///here/a.ts#L2', text: 'two\n' } },
      { text: ' in src' },
      link('file:///here/src/'),
    ]);
  });

  it.for(['GitHub Copilot', 'copilot-cli'])(
    'behaviour 46: is text for %s, but for what the disk has too',
    async (name, { harness }) => {
      const saved = await send(harness, name, prompt());
      expect(saved.blocks).toMatchObject([
        { text: 'see a.ts' },
        link('file:///here/a.ts'),
        { text: ' and a.ts:2' },
        fenced('a.ts:2', 'two'),
        { text: ' in src' },
        link('file:///here/src/'),
      ]);
    },
  );

  it('behaviour 46: is text for Copilot if it is not saved', async ({ harness }) => {
    const { blocks } = await send(harness, 'GitHub Copilot', prompt({ ...whole, isUnsaved: true }));
    expect(blocks).toMatchObject([
      { text: 'see a.ts' },
      fenced('a.ts', 'one\ntwo'),
      { text: ' and a.ts:2' },
      fenced('a.ts:2', 'two'),
      { text: ' in src' },
      link('file:///here/src/'),
    ]);
  });

  it('behaviour 47: is text for Cline, which gets the names of folders', async ({ harness }) => {
    const { blocks } = await send(harness, 'cline', prompt(), false);
    expect(blocks).toMatchObject([
      { text: 'see a.ts' },
      fenced('a.ts', 'one\ntwo'),
      { text: ' and a.ts:2' },
      fenced('a.ts:2', 'two'),
      { text: ' in src' },
    ]);
  });

  it.for(['another', 'cline'])(
    'behaviour 48: has names without the @ that some agents look for: %s',
    async (name, { harness }) => {
      const { blocks } = await send(harness, name, prompt());
      expect(JSON.stringify(blocks)).not.toContain('@');
    },
  );

  it.for([
    ['another', [undefined, undefined, 'link']],
    ['copilot', ['link', undefined, 'link']],
    ['cline', [undefined, undefined, 'name']],
  ] as const)(
    'is noted in the chat with %s if its content is not sent',
    async ([name, expected], { harness }) => {
      expect((await send(harness, name, prompt())).sentAs).toEqual(expected);
    },
  );
});
