import { type BenchChat, startBenchNvim } from './bench-chat.ts';
import { stallAndCpuOfNvim } from './stall.ts';
import { median, timeOf } from './stats.ts';
import { type Figure, ms } from './table.ts';
import { numbered } from './texts.ts';

const count = 200;
const lines = 100;
const rounds = 3;

interface Sending {
  readonly stall: number;
  readonly cpu: number;
  /** From the key until the prompt is empty. */
  readonly accepted: number;
}

/** A prompt that mentions many files, half of them with a buffer. */
export async function measureAttachments(): Promise<readonly Figure[]> {
  const text = numbered(lines).join('\n');
  const files = Object.fromEntries(Array.from({ length: count }, (_, file) => [nameOf(file), `${text}\n`]));
  const chat = await startBenchNvim('plugin', { files });
  try {
    for (let file = 0; file < count; file += 2) await chat.nvim.command(`edit ${nameOf(file)}`);
    await chat.open();
    await chat.nvim.input('<Esc>');
    const sendings: Sending[] = [];
    for (let round = 0; round < rounds; round += 1) sendings.push(await send(chat));
    return figuresOf(sendings);
  } finally {
    await chat.end();
  }
}

async function send({ nvim }: BenchChat): Promise<Sending> {
  const mentions = Array.from({ length: count }, (_, file) => `@${nameOf(file)}`);
  await nvim.lua("vim.api.nvim_buf_set_lines(require('acp.chats').current().prompt, 0, -1, false, ...)", [
    'flood 1 40',
    ...mentions,
  ]);
  const isEmpty = "return vim.api.nvim_buf_line_count(require('acp.chats').current().prompt) == 1";
  let accepted = 0;
  const stall = await stallAndCpuOfNvim(nvim, async () => {
    accepted = await timeOf(async () => {
      await nvim.input('<CR>');
      await nvim.waitFor(() => nvim.lua<boolean>(isEmpty), 'the prompt to be accepted');
    });
    await nvim.waitFor(() => nvim.lua('return bench.chat.is_over()'), 'the answer');
  });
  return { stall: stall.ms, cpu: stall.cpuMs, accepted };
}

function figuresOf(sendings: readonly Sending[]): readonly Figure[] {
  const values = (key: keyof Sending) => sendings.map((sending) => sending[key]);
  const shown = (key: keyof Sending) => `${ms(median(values(key)))} (${ms(Math.max(...values(key)))})`;
  return [
    {
      name: `prompt with ${count} attachments: longest stall of Neovim`,
      aim: '<= 16 ms',
      found: { plugin: shown('stall') },
      isMet: median(values('stall')) <= 16,
    },
    { name: '  of which Neovim computes', aim: '', found: { plugin: shown('cpu') } },
    { name: '  until it is accepted', aim: '', found: { plugin: shown('accepted') } },
  ];
}

function nameOf(file: number): string {
  return `src/part-${file % 20}/file-${file}.ts`;
}
