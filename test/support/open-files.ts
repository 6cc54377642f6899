import fs from 'node:fs';
import path from 'node:path';
import { NvimEditor } from '../../src/nvim/editor.ts';
import type { Wish } from '../../src/ports/workspace.ts';
import { Files } from '../../src/workspace/files.ts';
import { LogDouble } from './doubles.ts';
import type { NvimOptions, TestNvim } from './nvim.ts';

/** The files of a real Neovim, and what their user was asked. */
export async function openFiles(
  start: (options?: NvimOptions) => Promise<TestNvim>,
  files: Record<string, string> = {},
  init = '',
) {
  const nvim = await start({ files, init });
  const folder = await nvim.lua<string>('return vim.uv.cwd()');
  const at = (name: string) => path.join(folder, name);
  const wishes: Wish[] = [];
  const answers: (boolean | 'always')[] = [];
  const consent = async (wish: Wish) => {
    wishes.push(wish);
    const answer = answers.shift() ?? false;
    if (answer === 'always') wish.always?.remember();
    return answer !== false;
  };
  const place = { chat: 1, cwd: folder, directories: [], consent, report: () => undefined };
  const service = new Files(place, new NvimEditor(nvim.client, new LogDouble()));
  return {
    nvim,
    at,
    wishes,
    answers,
    service,
    read: (name: string, line = 1, limit?: number) =>
      service.read({ path: at(name), line, limit, isMissingEmpty: false }),
    write: (name: string, content: string) => service.write({ path: at(name), content }),
    onDisk: (name: string) => fs.readFileSync(at(name), 'utf8'),
    lines: () => nvim.lua<string[]>('return vim.api.nvim_buf_get_lines(0, 0, -1, false)'),
  };
}
