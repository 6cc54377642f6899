// The agent of the pictures: the first word of a prompt says what it does, always in the same way, with real files and
// commands of scripts/shop.
import fs from 'node:fs';
import path from 'node:path';
import { ask, say, serve, update } from '../../test/fixtures/agents/base-agent.mjs';
import { cause, explanation, plan, versions } from './texts.mjs';

const titles = {
  Fix: 'Fix the total',
  Change: 'Apply the coupon once',
  Publish: 'Publish 2.1',
  Explain: 'How the total is made',
};
const modes = {
  currentModeId: 'code',
  availableModes: [
    { id: 'code', name: 'Code' },
    { id: 'plan', name: 'Plan' },
  ],
};
const models = {
  currentModelId: 'large',
  availableModels: [
    { modelId: 'large', name: 'Large' },
    { modelId: 'small', name: 'Small' },
  ],
};

const wordMs = 25;
const folders = new Map();
let calls = 0;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What a turn needs: the session, its folder, and what the agent does there. */
class Turn {
  constructor(sessionId) {
    this.sessionId = sessionId;
    this.folder = folders.get(sessionId);
  }

  send(kind, fields) {
    update(this.sessionId, { sessionUpdate: kind, ...fields });
  }

  at(file) {
    return path.join(this.folder, file);
  }

  async write(text) {
    for (const word of text.match(/\S+\s*/g)) {
      say(this.sessionId, word);
      await pause(wordMs);
    }
  }

  think(text) {
    this.send('agent_thought_chunk', { content: { type: 'text', text } });
  }

  plan(done) {
    const status = (index) => (index < done ? 'completed' : index === done ? 'in_progress' : 'pending');
    const entries = plan.map((content, index) => ({ content, status: status(index), priority: 'medium' }));
    this.send('plan', { entries });
  }

  begin(call) {
    const toolCallId = `call-${calls++}`;
    this.send('tool_call', { toolCallId, status: 'pending', ...call });
    return (fields) => this.send('tool_call_update', { toolCallId, ...fields });
  }

  async read(file) {
    const end = this.begin({ kind: 'read', title: file, locations: [{ path: this.at(file) }] });
    await pause(150);
    end({ status: 'completed' });
  }

  async edit(file) {
    const newText = versions[file];
    const oldText = fs.readFileSync(this.at(file), 'utf8');
    const content = [{ type: 'diff', path: this.at(file), oldText, newText }];
    const end = this.begin({ kind: 'edit', title: file, locations: [{ path: this.at(file) }], content });
    end({ status: 'in_progress' });
    await this.ask('fs/write_text_file', { path: this.at(file), content: newText });
    await pause(300);
    end({ status: 'completed' });
  }

  async run(command, ...args) {
    const end = this.begin({ kind: 'execute', title: [command, ...args].join(' ') });
    const { terminalId } = await this.ask('terminal/create', { command, args, cwd: this.folder });
    end({ status: 'in_progress', content: [{ type: 'terminal', terminalId }] });
    await this.ask('terminal/wait_for_exit', { terminalId });
    end({ status: 'completed' });
    await this.ask('terminal/release', { terminalId });
  }

  async ask(method, params) {
    const { result } = await ask(method, { sessionId: this.sessionId, ...params });
    return result ?? {};
  }
}

const tasks = {
  async fix(turn) {
    turn.think('The coupon is applied inside of the loop. That rounds once for each item.');
    await pause(700);
    turn.plan(0);
    await turn.read('src/cart.js');
    await turn.read('src/coupon.js');
    await turn.read('test/cart.test.js');
    await turn.write(cause);
    turn.plan(1);
    await turn.edit('src/cart.js');
    turn.plan(2);
    await turn.run('node', '--test');
    turn.plan(3);
    await turn.edit('test/cart.test.js');
    await turn.edit('CHANGELOG.md');
    turn.plan(4);
    await turn.write('All tests pass. The total of two pens with a coupon is 358 now.');
  },
  async change(turn) {
    await turn.edit('src/cart.js');
    await turn.write('`total` applies the coupon once now.');
  },
  async publish(turn) {
    await turn.write('The tests pass. I publish version 2.1 next.');
    const toolCall = {
      toolCallId: `call-${calls++}`,
      kind: 'execute',
      title: 'npm publish --access public',
      rawInput: { command: 'npm publish --access public' },
    };
    turn.send('tool_call', { ...toolCall, status: 'pending' });
    const options = [
      { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
      { optionId: 'always', name: 'Always allow npm publish', kind: 'allow_always' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ];
    await turn.ask('session/request_permission', { toolCall, options });
  },
  async explain(turn) {
    await turn.write(explanation);
  },
};

serve({
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'coder', title: 'Coder', version: '2.1' },
    agentCapabilities: { promptCapabilities: { embeddedContext: true } },
  }),
  'session/new': ({ cwd }) => {
    const sessionId = `s${folders.size + 1}`;
    folders.set(sessionId, cwd);
    return { sessionId, models, modes };
  },
  'session/prompt': async ({ sessionId, prompt }) => {
    const text = prompt.map(({ text }) => text ?? '').join('');
    const [, word = ''] = /^(\w+)/.exec(text) ?? [];
    const turn = new Turn(sessionId);
    turn.send('session_info_update', { title: titles[word] });
    turn.send('usage_update', { used: 38_000, size: 200_000, cost: { amount: 0.12, currency: 'USD' } });
    await tasks[word.toLowerCase()]?.(turn);
    return { stopReason: 'end_turn' };
  },
});
