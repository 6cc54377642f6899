import { describe, expect, it } from 'vitest';
import { applyQuirks, quirksOf } from '../../../../src/acp/decode/quirks.ts';
import { decodeUpdate } from '../../../../src/acp/decode/update.ts';
import { validateField } from '../../../../src/model/form-validation.ts';
import { GrowingText } from '../../../../src/model/growing-text.ts';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { redactMessage } from '../../../../src/system/redact.ts';
import { StreamBlock } from '../../../../src/view/block.ts';
import { findPlace } from '../../../../src/view/diff/find-in-file.ts';
import { transcriptMarkdown } from '../../../../src/view/export/transcript.ts';
import { ansiLines } from '../../../../src/view/text/ansi.ts';
import { TranscriptView } from '../../../../src/view/transcript/transcript.ts';
import { aChunk, aNotice, aQuestion, aSession, aToolCall } from '../../../support/builders.ts';
import { cpuTime } from '../../../support/cpu-time.ts';

const size = 200_000;
/** In time of the processor: linear work takes less than a second, with other tests beside it a few, quadratic work ten seconds and more. */
const maxMs = 8_000;

const hostile: Readonly<Record<string, string>> = {
  backticks: '`',
  'carriage returns before a letter': '\r',
  'opening brackets': '[',
  'links without an end': '[a](',
  stars: '*',
  blanks: ' ',
  tabs: '\t',
  newlines: '\n',
  tildes: '~',
  slashes: '/',
  digits: '1',
  'question marks': '?',
  'exclamation marks': '!',
  'names of secrets': 'token',
  'runs of backticks': '`a``b',
  'escape sequences without an end': '\x1b[1;',
  'operating system commands without an end': '\x1b]',
  backspaces: 'a\b\b',
  'fences with blanks': '``` \n',
  'bold without an end': '** a',
};

const repeat = (unit: string) => unit.repeat(Math.ceil(size / unit.length));

const texts: readonly (readonly [string, string])[] = [
  ...Object.entries(hostile).flatMap(([name, unit]) => [
    [name, `${repeat(unit)}x`] as const,
    [`${name} in lines`, `x${repeat(unit).slice(0, 4_000)}\n`.repeat(size / 4_000)] as const,
  ]),
  ['an escape sequence of one character', `\x1b[${repeat('!')}x`],
  ['a flag of many names', `--${repeat('token')}!`],
];

const numberField = {
  kind: 'number',
  name: 'n',
  title: 'n',
  description: undefined,
  isRequired: true,
  minimum: undefined,
  maximum: undefined,
  preset: undefined,
} as const;

const readers: readonly (readonly [string, (text: string) => unknown])[] = [
  ['markdown', (text) => draw(text)],
  ['output of a terminal', (text) => ansiLines(text, '')],
  ['a message', (text) => frameOf(aChunk(text))],
  ['a thought', (text) => frameOf(aChunk(text, 'thought'))],
  ['a notice', (text) => frameOf(aNotice({ title: text, detail: [text] }))],
  ['a title', (text) => frameOf(aToolCall({ title: text, toolKind: 'execute', status: 'running' }))],
  [
    'a path',
    (text) => frameOf(aToolCall({ title: 'x', locations: [{ path: text, line: 1 }], status: 'done' })),
  ],
  [
    'the output of a command',
    (text) =>
      frameOf(
        aToolCall({ toolKind: 'execute', status: 'running', content: [{ kind: 'text', text }] }),
        aToolCall({ rawOutput: { stdout: text, exit_code: 1 }, status: 'failed' }),
      ),
  ],
  [
    'a question',
    (text) =>
      frameOf(aToolCall({ title: text, content: [{ kind: 'text', text }], rawInput: { command: text } }), {
        kind: 'question_asked',
        question: aQuestion(),
      }),
  ],
  [
    'an update',
    (text) => updates(text).map((update) => applyQuirks(decodeUpdate(update), quirksOf('gemini-cli'))),
  ],
  ['a recording', (text) => redactMessage({ params: { args: [text, 'x'], mcpServers: [{ url: text }] } })],
  [
    'an export',
    (text) =>
      transcriptMarkdown(aSession(aChunk(text), aToolCall({ content: [{ kind: 'text', text }] })), 'details'),
  ],
  ['a number in a form', (text) => validateField(numberField, text)],
  ['the place of a change', (text) => findPlace(text, text.slice(-2, -1), 3)],
];

function draw(text: string): unknown {
  const growing = new GrowingText();
  const block = new StreamBlock(1, [], growing);
  growing.append(text);
  const first = block.draw(Number.MAX_SAFE_INTEGER);
  growing.append('\nend');
  return [first, block.draw(Number.MAX_SAFE_INTEGER)];
}

function frameOf(...events: readonly SessionEvent[]): unknown {
  const state = aSession(...events);
  const view = new TranscriptView(state, { chat: 1, cwd: '/home/me/shop', home: '/home/me' });
  const open = () => {
    view.reset();
    return view.frame(1_000);
  };
  const closed = open();
  for (const { id } of state.entries) view.toggle(id);
  return [closed, open()];
}

function updates(text: string): readonly object[] {
  const content = { type: 'text', text };
  return [
    { sessionUpdate: 'agent_message_chunk', content },
    { sessionUpdate: 'user_message_chunk', content },
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'a',
      title: text,
      rawOutput: text,
      content: [{ type: 'content', content }],
    },
  ];
}

describe('hostile text is processed in linear time', () => {
  it.each(readers)(
    'as %s',
    (_, read) => {
      const isSlow = ([, text]: (typeof texts)[number]) => {
        const start = cpuTime();
        read(text);
        return cpuTime() - start > maxMs;
      };
      expect(texts.find(isSlow)?.[0]).toBeUndefined();
    },
    120_000,
  );
});

it('a running command of millions of lines is drawn every second without reading all of it', () => {
  const rawInput = { command: 'a\n'.repeat(2_000_000) };
  const state = aSession(aToolCall({ toolKind: 'execute', status: 'running', title: 'shell', rawInput }));
  const view = new TranscriptView(state, { chat: 1, cwd: '/home/me/shop', home: '/home/me' });
  const before = cpuTime();
  view.reset();
  for (let second = 1; second <= 10; second += 1) {
    view.frame(second * 1_000);
    view.markChanged(state.entries);
  }
  expect(cpuTime() - before).toBeLessThan(1_000);
});
