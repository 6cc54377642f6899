// The limit of the design: a Node process between agent and Neovim that appends all that came in one Lua call per frame
// and waits for the answer. It keeps no state, reads no markdown and handles no failure. It reads files from their buffers.
// Of an edit it reads the file, finds the change in it, and draws the lines that changed.
import { spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { structuredPatch } from 'diff';
import { attach } from 'neovim';

const frameMs = 16;
const quiet = { info() {}, warn() {}, error() {}, debug() {}, level: 'error' };
const nvim = attach({ reader: process.stdin, writer: process.stdout, options: { logger: quiet } });
const agent = spawn(process.execPath, process.argv.slice(2), { stdio: ['pipe', 'pipe', 'inherit'] });

let text = '';
let hasDiff = false;
let isOver = false;
let isDrawing = false;
let lastAt = 0;

nvim.on('disconnect', () => process.exit(0));
nvim.on('notification', (_method, [prompt]) => {
  isOver = false;
  request(2, 'session/prompt', { sessionId: 'flood-1', prompt: [{ type: 'text', text: prompt }] });
});
void read();
request(0, 'initialize', { protocolVersion: 1, clientCapabilities: {} });
request(1, 'session/new', { cwd: process.cwd(), mcpServers: [] });

// Node reads up to 32 pieces of 64 KB before it looks at its timers, which would be one frame of 10,000 chunks.
async function read() {
  let rest = '';
  for await (const data of agent.stdout.setEncoding('utf8')) {
    const lines = (rest + data).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const edit = receive(JSON.parse(line));
      if (edit) text += await textOfEdit(edit);
    }
    schedule();
    await turn();
  }
}

function request(id, method, params) {
  agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
}

/** Returns an edit that is done. */
function receive({ id, method, params }) {
  if (method === 'fs/read_text_file') void answerRead(id, params.path);
  else if (Array.isArray(params?.update.content)) return params.update.content[0];
  else if (params) text += textOf(params.update);
  else if (id > 0) isOver = true;
}

async function answerRead(id, file) {
  const lines = await nvim.executeLua('return bench.chat.lines(...)', [file]);
  const content = lines ? `${lines.join('\n')}\n` : await fs.readFile(file, 'utf8');
  agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { content } })}\n`);
}

// Of an edit that begins: its title.
function textOf({ content, title }) {
  return title ? `${title}\n` : (content?.text ?? '');
}

async function textOfEdit({ path, oldText, newText }) {
  const file = await fs.readFile(path, 'utf8');
  const first = file.slice(0, Math.max(0, file.indexOf(newText))).split('\n').length;
  const { hunks } = structuredPatch(path, path, oldText, newText, '', '', { context: 3 });
  hasDiff = true;
  return hunks.map(({ newStart, lines }) => `line ${first + newStart - 1}\n${lines.join('\n')}\n`).join('');
}

function schedule() {
  if (isDrawing) return;
  isDrawing = true;
  setTimeout(draw, Math.max(0, lastAt + frameMs - performance.now()));
}

async function draw() {
  lastAt = performance.now();
  const lines = text.split('\n');
  const frame = { lines, hasDiff, over: isOver };
  text = '';
  hasDiff = false;
  await nvim.executeLua('bench.chat.draw(...)', [frame]);
  isDrawing = false;
  if (text !== '' || frame.over !== isOver) schedule();
}
