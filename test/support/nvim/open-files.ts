import fs from 'node:fs';
import path from 'node:path';
import { NvimEditor } from '../../../src/nvim/editor.ts';
import type { ConsentRequest } from '../../../src/ports/workspace.ts';
import { openSessionFiles, SharedFiles } from '../../../src/workspace/session-files.ts';
import { ManualClock } from '../doubles/clock.ts';
import { LogDouble } from '../doubles/log.ts';
import type { NvimOptions, TestNvim } from './nvim.ts';

/** Agent files in a real Neovim, with the questions that its user was asked. */
export async function openFiles(
  start: (options?: NvimOptions) => Promise<TestNvim>,
  files: Record<string, string> = {},
  init = '',
) {
  const nvim = await start({ files, init });
  const folder = await nvim.lua<string>('return vim.uv.cwd()');
  const at = (name: string) => path.join(folder, name);
  const wishes: ConsentRequest[] = [];
  const answers: (boolean | 'always')[] = [];
  const consent = async (wish: ConsentRequest) => {
    wishes.push(wish);
    const answer = answers.shift() ?? false;
    if (answer === 'always') wish.always?.remember();
    return answer !== false;
  };
  const place = { chat: 1, cwd: folder, directories: [], consent, report: () => undefined };
  const editor = new NvimEditor(nvim.client, new LogDouble());
  const parts = { editor, clock: new ManualClock(), log: new LogDouble(), shared: new SharedFiles(editor) };
  const { files: service } = openSessionFiles(place, parts);
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
