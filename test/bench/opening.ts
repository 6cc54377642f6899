import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { floodAgent, startBenchNvim } from './bench-chat.ts';
import { median } from './stats.ts';
import { type Figure, ms } from './table.ts';

const rounds = 9;

interface Opening {
  readonly returned: number;
  readonly visible: number;
  readonly ready: number;
  readonly shown: number;
  readonly node: number;
  readonly agent: number;
}

/** The time from `:AcpChat` to a ready chat. All processes read the same monotonic clock. */
export async function measureOpening(): Promise<readonly Figure[]> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-bench-'));
  try {
    const openings: Opening[] = [];
    for (let round = 0; round < rounds; round++) openings.push(await openOnce(path.join(dir, `${round}`)));
    return figuresOf(openings);
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
}

async function openOnce(times: string): Promise<Opening> {
  const chat = await startBenchNvim('plugin', { env: { FLOOD_TIMES: times } });
  const { nvim } = chat;
  try {
    const node = await nvim.lua<number>("return bench.time_job({ 'node', '-e', '0' })");
    const agent = await timeAgent(`${times}-alone`);
    const shows = (isShown: (text: string) => boolean) => whenScreen(nvim.screen, isShown);
    const visible = shows((text) => text.includes('›'));
    const shown = shows((text) => text.includes('Flood') && !text.includes('starting'));
    const opened = await nvim.lua<{ at: string; returned: number }>('return bench.time_open()');
    const since = (at: bigint) => Number(at - BigInt(opened.at)) / 1e6;
    return {
      returned: opened.returned,
      visible: since(await visible),
      shown: since(await shown),
      ready: since(BigInt(await nvim.waitFor(() => fs.readFileSync(times, 'utf8'), 'the agent'))),
      node,
      agent,
    };
  } finally {
    await chat.end();
  }
}

function whenScreen(
  screen: { text(): string; onFlush(listener: () => void): { dispose(): void } },
  isShown: (text: string) => boolean,
): Promise<bigint> {
  return new Promise((resolve) => {
    const listening = screen.onFlush(() => {
      const at = process.hrtime.bigint();
      if (!isShown(screen.text())) return;
      listening.dispose();
      resolve(at);
    });
  });
}

/** The time from starting the agent to its session, without the plugin. */
async function timeAgent(times: string): Promise<number> {
  const start = process.hrtime.bigint();
  const env = { ...process.env, FLOOD_TIMES: times };
  const agent = spawn('node', [floodAgent], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ask = async (id: number, method: string, params: object) => {
    agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    await once(agent.stdout, 'data');
  };
  await ask(0, 'initialize', { protocolVersion: 1, clientCapabilities: {} });
  await ask(1, 'session/new', { cwd: process.cwd(), mcpServers: [] });
  agent.stdin.end();
  await once(agent, 'exit');
  return Number(BigInt(fs.readFileSync(times, 'utf8')) - start) / 1e6;
}

function figuresOf(openings: readonly Opening[]): readonly Figure[] {
  const of = (key: keyof Opening) => median(openings.map((opening) => opening[key]));
  const limit = of('node') + of('agent') + 40;
  const parts = `node ${ms(of('node'))} + agent ${ms(of('agent'))} + 40`;
  return [
    row(':AcpChat returns', '<= 5 ms', of('returned'), of('returned') <= 5),
    row('  windows are on the screen', '<= 20 ms', of('visible'), of('visible') <= 20),
    row('  session is open', `<= ${parts}`, of('ready'), of('ready') <= limit),
    { name: '  the chat shows it', aim: '', found: { plugin: ms(of('shown')) } },
  ];
}

function row(name: string, aim: string, value: number, isMet: boolean): Figure {
  return { name, aim, found: { plugin: ms(value) }, isMet };
}
