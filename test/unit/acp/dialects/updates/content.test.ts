import { describe, expect, it } from 'vitest';
import { DialectHarness, text, update, type Wire } from '../../../../support/dialects/dialect-harness.ts';
import { violationsOfCall } from '../../../../support/schema.ts';

const chunk = (content: Wire) => ({ sessionUpdate: 'agent_message_chunk', content });

describe('content blocks', () => {
  it.each<[rule: string, what: string, wire: Wire, canonical: Wire]>([
    [
      'A: embedded_resource',
      'text',
      { type: 'embedded_resource', uri: 'file:///a', text: 'x', mimeType: 'text/plain' },
      { type: 'resource', resource: { uri: 'file:///a', text: 'x', mimeType: 'text/plain' } },
    ],
    [
      'A: embedded_resource',
      'bytes',
      { type: 'embedded_resource', uri: 'file:///a', blob: 'AAAA' },
      { type: 'resource', resource: { uri: 'file:///a', blob: 'AAAA' } },
    ],
    [
      'A: embedded_resource',
      'with a canonical body',
      { type: 'embedded_resource', resource: { uri: 'file:///a', text: 'x' } },
      { type: 'resource', resource: { uri: 'file:///a', text: 'x' } },
    ],
    [
      'A: annotations list',
      'the first wins',
      { ...text('a'), annotations: [{ priority: 1 }, { priority: 0, audience: ['user'] }] },
      { ...text('a'), annotations: { priority: 1, audience: ['user'] } },
    ],
    [
      'B: annotations priority',
      'a word',
      { ...text('a'), annotations: { priority: 'medium' } },
      { ...text('a'), annotations: { priority: 0.5 } },
    ],
    [
      'B: annotations title and others',
      'are kept',
      { ...text('a'), annotations: { title: 'Warning', priority: 'high', _custom: 'x' } },
      {
        ...text('a'),
        annotations: {
          priority: 1,
          _meta: { 'acp.nvim/annotations': { title: 'Warning', _custom: 'x' } },
        },
      },
    ],
    [
      'B: annotations title and others',
      'beside _meta, which stays',
      { ...text('a'), annotations: { title: 'Warning', _meta: { theirs: 1 } } },
      {
        ...text('a'),
        annotations: { _meta: { theirs: 1, 'acp.nvim/annotations': { title: 'Warning' } } },
      },
    ],
    [
      'B: annotations title and others',
      'a priority of the future is no number',
      { ...text('a'), annotations: { priority: 'cosmic' } },
      { ...text('a'), annotations: { _meta: { 'acp.nvim/annotations': { priority: 'cosmic' } } } },
    ],
    [
      'D: image source',
      'base64',
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    ],
    [
      'D: image source',
      'an address',
      { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
      { type: 'resource_link', uri: 'https://a.example/b.png', name: 'https://a.example/b.png' },
    ],
    [
      'any: mediaType',
      'in a block',
      { type: 'audio', data: 'AAAA', mediaType: 'audio/wav' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
    ],
    [
      'any: snake_case keys',
      'in a resource',
      { type: 'resource', resource: { uri: 'file:///a', text: 'x', mime_type: 'text/plain' } },
      { type: 'resource', resource: { uri: 'file:///a', text: 'x', mimeType: 'text/plain' } },
    ],
  ])('%s: %s', (rule, _, wire, canonical) => {
    const talk = new DialectHarness();
    expect(talk.receive(update(chunk(wire)))).toEqual([update(chunk(canonical))]);
    expect(talk.rules).toContain(rule);
    expect(violationsOfCall('session/update', update(chunk(canonical)).params)).toEqual([]);
  });

  it.each<Wire>([
    { type: 'hologram', source: { type: 'base64', data: 'AAAA' } },
    { type: 'image', source: { type: 'ftp', url: 'x' } },
    { ...text('a'), annotations: { audience: ['user'], priority: 0.3, lastModified: 'x' } },
    { ...text('a'), annotations: null },
  ])('are not changed: %j', (block) => {
    const message = update(chunk(block));
    expect(new DialectHarness().receive(message)[0]).toBe(message);
  });

  it('are also translated in the summary of a compaction', () => {
    const compaction = { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed' };
    expect(new DialectHarness().receive(update({ ...compaction, summary: ['short'] }))).toEqual([
      update({ ...compaction, summary: [text('short')] }),
    ]);
  });
});

describe('plans', () => {
  const plan = (fields: Wire) => ({ sessionUpdate: 'plan', ...fields });
  const entry = { content: 'Look', priority: 'medium', status: 'pending' };

  it.each<[rule: string, wire: Wire, canonical: Wire]>([
    ['A: plan steps', { steps: [{ title: 'Look', status: 'pending' }] }, { entries: [entry] }],
    [
      'A: plan step title',
      { entries: [{ ...entry, content: undefined, title: 'Look' }] },
      { entries: [entry] },
    ],
    [
      'A: plan step without priority',
      { entries: [{ content: 'Look', status: 'pending' }] },
      { entries: [entry] },
    ],
    [
      'D,E: status words',
      {
        entries: [
          { ...entry, status: 'running' },
          { ...entry, status: 'done' },
        ],
      },
      {
        entries: [
          { ...entry, status: 'in_progress' },
          { ...entry, status: 'completed' },
        ],
      },
    ],
  ])('%s', (rule, wire, canonical) => {
    const talk = new DialectHarness();
    expect(talk.receive(update(plan(wire)))).toEqual([update(plan(canonical))]);
    expect(talk.rules).toContain(rule);
    expect(violationsOfCall('session/update', update(plan(canonical)).params)).toEqual([]);
  });

  it.each(['failed', 'error', 'cancelled', 'blocked'])('keep the status %s', (status) => {
    const message = update(plan({ entries: [{ ...entry, status }] }));
    expect(new DialectHarness().receive(message)[0]).toBe(message);
  });
});
