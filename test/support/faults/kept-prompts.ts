import fs from 'node:fs';
import path from 'node:path';
import type { TestNvim } from '../nvim/nvim.ts';

/** The words of the prompts that are on disk: sent in a journal, or unsent in a draft or its queue. */
export function keptPrompts({ sandbox }: TestNvim): ReadonlySet<string> {
  const folder = path.join(sandbox.env.XDG_STATE_HOME ?? '', 'nvim', 'acp');
  const sent = filesIn(folder, '.jsonl').flatMap((text) =>
    wordsIn(text, /"kind":"(?:turn_started|prompt_injected)".*?"text":"(p\d+)\b/g),
  );
  const unsent = filesIn(path.join(folder, 'drafts'), '.draft').flatMap((text) =>
    wordsIn(text, /(?:^|"text":"|\\n)(p\d+)\b/gm),
  );
  return new Set([...sent, ...unsent]);
}

function filesIn(folder: string, ending: string): readonly string[] {
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  return names
    .filter((name) => name.endsWith(ending))
    .map((name) => fs.readFileSync(path.join(folder, name), 'utf8'));
}

function wordsIn(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].flatMap(([, word]) => word ?? []);
}
