// Replays a recorded agent: node replay-agent.mjs <steps> <report>. Both are JSON, see replayed-session.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [stepsFile, reportFile] = process.argv.slice(2);
const { steps, timeoutMs, isSplit } = JSON.parse(readFileSync(stepsFile, 'utf8'));

/** Messages of the client, and the ids of its requests by those of the recording. */
const sent = [];
const claimed = new Set();
const liveIds = new Map();
const asked = [];
const played = [];
let stuckAt;
let look = () => undefined;

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const message = JSON.parse(line);
    sent.push(message);
    refuseUnexpected(message);
    look();
  })
  .on('close', () => leave(0));

for (const step of steps) {
  if (stuckAt !== undefined && step.kind !== 'end') continue;
  if ((await play(step)) && step.line !== undefined) played.push(step.line);
}

async function play(step) {
  switch (step.kind) {
    case 'end':
      return write(step.message);
    case 'say':
      if (step.message.id !== undefined) asked.push(step.message);
      return write(step.message);
    case 'answer':
      return write({ ...step.message, id: liveIds.get(step.message.id) });
    case 'await':
      return matchClient(step);
    case 'settle':
      await waitFor(() => asked.every(({ id }) => answersTo(id) > 0));
      return true;
    case 'stderr':
      return process.stderr.write(step.text) || true;
    case 'exit':
      return leave(step.code);
  }
}

async function write(message) {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  const middle = isSplit ? bytes.length >> 1 : 0;
  process.stdout.write(bytes.subarray(0, middle));
  // Two writes in one turn of the event loop are often read as one.
  if (isSplit) await new Promise((resolve) => setImmediate(resolve));
  process.stdout.write(bytes.subarray(middle));
  return true;
}

async function matchClient({ line, message }) {
  const find = () => sent.find((candidate) => !claimed.has(candidate) && isSameKind(candidate, message));
  const found = await waitFor(find);
  if (!found) {
    stuckAt = line;
    return false;
  }
  claimed.add(found);
  if (message.method !== undefined) liveIds.set(message.id, found.id);
  return true;
}

async function waitFor(find) {
  const end = Date.now() + timeoutMs;
  for (let found = find(); ; found = find()) {
    const rest = end - Date.now();
    if (found || rest <= 0) return found;
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, rest);
      look = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function isSameKind(one, other) {
  if (one.method !== other.method) return false;
  if (one.method === undefined) return one.id === other.id;
  return one.params?.sessionId === other.params?.sessionId;
}

// Requests that were not recorded are refused, so that the client does not hang.
function refuseUnexpected(message) {
  if (message.method === undefined || message.id === undefined) return;
  if (steps.some((step) => step.kind === 'await' && isSameKind(step.message, message))) return;
  void write({
    jsonrpc: '2.0',
    id: message.id,
    error: { code: -32601, message: `not recorded: ${message.method}` },
  });
}

function answersTo(id) {
  return sent.filter((message) => message.method === undefined && message.id === id).length;
}

function leave(code) {
  const unanswered = asked.filter(({ id }) => answersTo(id) === 0);
  const answeredAgain = asked.filter(({ id }) => answersTo(id) > 1);
  const unexpected = sent.filter((message) => message.method !== undefined && !claimed.has(message));
  writeFileSync(
    reportFile,
    JSON.stringify({ played, stuckAt, sent, asked, unanswered, answeredAgain, unexpected }),
  );
  process.exit(code);
}
