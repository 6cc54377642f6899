// An agent that does nothing but talk. `flood N SIZE` says N chunks of SIZE characters as fast as the pipe takes them,
// `drip N RATE` says N chunks at RATE a second, `begin N MS` says one of N chunks at once and the others after a pause,
// `edits N` reports N edits, `history N LINES` says N messages of so many lines, with tool calls, `read N FILE` reads a
// file N times. With FLOOD_TIMES=<file> it notes when its session was open, in <file>-prompt when it was last asked, and in
// <file>-reads how long the reads took.
import { once } from 'node:events';
import fs from 'node:fs';
import { createInterface } from 'node:readline';

const batchBytes = 64 * 1024;

const prose = [
  'The parser keeps a table of every name it has seen so far, and',
  'a **strong** hint that the cache must be cleared before it runs',
  'each of them is visited once, in the order of their appearance',
  'so that `resolve(path)` returns the same object to all callers.',
  'When the last reader has gone, the file is closed and forgotten',
  'There is one exception to this rule, which the tests know about',
  'nothing else in the program depends on it, as far as I can tell',
  'and a second pass removes what nobody has asked for until then',
  'The change is small: three lines in the reader and one in docs.',
  'I have looked at the callers too; none of them needs to change.',
];

const markdown = `
## What the change does

${prose.slice(0, 4).join('\n')}

- **resolve** keeps the order of the names, and \`resolve(path)\` is called once
- the *cache* is cleared before the first reader opens the file
  1. nobody waits for it
  2. the tests in [reader.test.ts](test/reader.test.ts) cover both cases

\`\`\`lua
local function resolve(path, names)
  local found = {}
  for index, name in ipairs(names) do
    -- The first one wins.
    found[name] = found[name] or vim.fs.joinpath(path, name .. index)
  end
  return found
end
\`\`\`

### Why it is safe

${prose.slice(4, 8).join(' ')}
> The reader never sees a file that is half written.

${prose.slice(8).join('\n')}
`;

let prompts = 0;

/** The last words differ from prompt to prompt. */
function lastWords() {
  return `end of flood ${prompts}`;
}

// Without an open code block the last words are on a line of their own.
function lastChunk(size) {
  return updateOf(`\n${lastWords().padEnd(size - 2, '.')}\n`);
}

const answers = {
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'flood', title: 'Flood', version: '1' } }),
  'session/new': () => ({ sessionId: 'flood-1' }),
  'session/prompt': async ({ prompt }) => {
    prompts += 1;
    const [verb, count, pace] = prompt[0].text.trim().split(/\s+/);
    await says[verb](Number(count), verb === 'read' ? pace : Number(pace));
    return { stopReason: 'end_turn' };
  },
};

const says = { flood, drip, history, edits, read, begin };

/** Reads a file so many times through the client, and notes in ms how long each of them took. */
async function read(count, file) {
  const times = [];
  for (let index = 0; index < count; index++) {
    const start = performance.now();
    await ask('fs/read_text_file', { sessionId: 'flood-1', path: file });
    times.push(performance.now() - start);
  }
  note('-reads', JSON.stringify(times));
}

const waiting = new Map();

async function ask(method, params) {
  const id = `a${waiting.size}`;
  const answer = new Promise((resolve) => waiting.set(id, resolve));
  await write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  return answer;
}

/** Edits of a file, each with three updates: announced, begun, done with its diff. */
async function edits(count) {
  const path = `${process.cwd()}/edited.ts`;
  const after = prose.toSpliced(3, 1, 'a new line').join('\n');
  fs.writeFileSync(path, `${after}\n`);
  let batch = '';
  for (let index = 0; index < count; index++) {
    const call = { toolCallId: `e${prompts}-${index}` };
    const facts = { title: `Edit ${index}`, kind: 'edit', status: 'pending', locations: [{ path }] };
    const begin = { sessionUpdate: 'tool_call', ...call, ...facts };
    const more = { sessionUpdate: 'tool_call_update', ...call };
    const diff = { type: 'diff', path, oldText: prose.join('\n'), newText: after };
    batch += sent(begin) + sent({ ...more, status: 'in_progress' });
    batch += sent({ ...more, status: 'completed', content: [diff] });
  }
  await write(batch + lastChunk(40));
}

/** Many messages of so many lines with tool calls between them. */
async function history(count, lines) {
  for (let index = 0; index < count; index++) {
    const isLast = index === count - 1;
    const text = messageOf(index, lines - 3) + (isLast ? `${lastWords()}\n` : '');
    const call = {
      sessionUpdate: 'tool_call',
      toolCallId: `c${index}`,
      title: `Run ${index}`,
      kind: 'other',
    };
    await write(sent({ ...call, status: 'completed' }) + updateOf(text, `m${index}`));
  }
}

function messageOf(index, lines) {
  const code = ['```lua', 'local function greet(name)', '  return name .. "!"', 'end', '```'];
  const table = ['| name | value |', '|---|---|', `| ${index} | a longer value |`];
  const fixed = [`## Message ${index}`, '', '- a point', '- another **point**', ...code, ...table, ''];
  const rest = Array.from({ length: lines - fixed.length }, (_, at) => prose[(index + at) % prose.length]);
  return `${[...fixed, ...rest].join('\n')}\n`;
}

async function flood(count, size) {
  const chunks = chunksOf(size);
  let batch = '';
  for (let index = 0; index < count - 1; index++) {
    batch += chunks[index % chunks.length];
    if (batch.length < batchBytes) continue;
    await write(batch);
    batch = '';
  }
  await write(batch + lastChunk(size));
}

async function begin(count, pause) {
  const chunks = chunksOf(40);
  await write(chunks[0]);
  await new Promise((resolve) => setTimeout(resolve, pause));
  for (let index = 1; index < count; index++) await write(chunks[index % chunks.length]);
}

async function drip(count, rate) {
  const chunks = chunksOf(40);
  const start = performance.now();
  for (let sent = 0; sent < count; ) {
    await new Promise((resolve) => setTimeout(resolve, 1000 / rate));
    const due = Math.min(count, Math.floor(((performance.now() - start) / 1000) * rate));
    for (; sent < due; sent++) {
      const isLast = sent === count - 1;
      await write(isLast ? lastChunk(40) : chunks[sent % chunks.length]);
    }
  }
}

// An answer with headings, lists and code again and again, in pieces of equal length.
function chunksOf(size) {
  const answer = answerOf(size);
  const count = answer.length / size;
  return Array.from({ length: count }, (_, index) =>
    updateOf(answer.slice(index * size, (index + 1) * size)),
  );
}

function answerOf(size) {
  const missing = size - (markdown.length % size);
  return `${markdown.slice(0, -1)}${' and so on'.repeat(missing).slice(0, missing)}\n`;
}

function updateOf(text, messageId) {
  return sent({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } });
}

function sent(update) {
  const params = { sessionId: 'flood-1', update };
  return `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params })}\n`;
}

async function write(text) {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === undefined) return waiting.get(id)();
  if (method === 'session/prompt') note('-prompt');
  const result = await answers[method](params);
  await write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  if (method === 'session/new') note('');
});

// A reader never finds half of it.
function note(what, text = String(process.hrtime.bigint())) {
  const file = process.env.FLOOD_TIMES;
  if (!file) return;
  fs.writeFileSync(`${file}${what}.new`, text);
  fs.renameSync(`${file}${what}.new`, `${file}${what}`);
}

// stdin ends when the client has had enough.
process.stdin.on('end', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
