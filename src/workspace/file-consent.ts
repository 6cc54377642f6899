import fs from 'node:fs/promises';
import path from 'node:path';
import { AcpError } from '../errors.ts';
import type { Wish, WorkPlace } from '../ports/workspace.ts';
import { readText } from './disk.ts';
import { changesScripts, isInGitFolder, isRunFile } from './run-files.ts';

/** Why something has to be asked for, and what the user can allow for the rest of the session. */
interface Rule {
  readonly reason: string;
  readonly grant: string;
  readonly always: string;
}

type Attempt = Pick<Wish, 'withdrawn' | 'since'>;

/** Decides which files of a session are read and written unasked, and asks the user about all others. */
export class FileConsent {
  private readonly place: WorkPlace;
  private readonly granted = new Set<string>();

  constructor(place: WorkPlace) {
    this.place = place;
  }

  async toRead(real: string, isInside: boolean, attempt: Attempt): Promise<void> {
    if (!isInside) await this.need('read', real, outside('read', real), attempt);
  }

  async toWrite(real: string, content: string, isInside: boolean, attempt: Attempt): Promise<void> {
    const rule = await this.ruleFor(real, content, isInside);
    if (!rule || this.granted.has(rule.grant)) return;
    const oldText = await textOf(real);
    await this.need('edit', real, rule, { ...attempt, change: { oldText, newText: content } });
  }

  private async ruleFor(real: string, content: string, isInside: boolean): Promise<Rule | undefined> {
    if (isRunFile(real) || (await isInGitFolder(real))) {
      return runByOthers(real, 'Other programs run this file or obey it.');
    }
    const isManifest = path.basename(real).toLowerCase() === 'package.json';
    if (isManifest && changesScripts(real, await textOf(real), content)) {
      return runByOthers(real, 'This changes what the package manager runs.');
    }
    if (!isInside) return outside('edit', real);
    if (await hasSecondName(real)) return secondName(real);
    return this.place.isElsewhere ? elsewhere : undefined;
  }

  private async need(
    kind: 'read' | 'edit',
    real: string,
    { reason, grant, always }: Rule,
    more: Attempt & Pick<Wish, 'change'>,
  ): Promise<void> {
    if (this.granted.has(grant)) return;
    const remember = () => void this.granted.add(grant);
    const wish = { kind, subject: real, reason, always: { name: always, remember }, ...more };
    if (await this.place.consent(wish)) return;
    throw new AcpError('denied', `the user did not allow to ${kind} ${real}`);
  }
}

const elsewhere: Rule = {
  reason: 'The agent is on another machine; this file is on yours.',
  grant: 'edit all',
  always: 'Allow all changes in the folders of this session',
};

function outside(kind: 'read' | 'edit', real: string): Rule {
  const folder = path.dirname(real);
  return {
    reason: 'This is outside of the folders of the session.',
    grant: `${kind} in ${folder}`,
    always: `Allow all in ${folder} for this session`,
  };
}

function secondName(real: string): Rule {
  const reason =
    'This file has a second name (a hard link), which may be outside of the folders of the session.';
  return { reason, grant: `edit ${real}`, always: 'Allow all changes of this file for this session' };
}

async function hasSecondName(real: string): Promise<boolean> {
  const facts = await fs.lstat(real).catch(() => undefined);
  return facts?.isFile() === true && facts.nlink > 1;
}

// What is allowed for a whole folder does not count for these.
function runByOthers(real: string, reason: string): Rule {
  return { reason, grant: `edit ${real}`, always: 'Allow all changes of this file for this session' };
}

// What can't be read as text is shown as if it were not there, and writing it fails later.
async function textOf(real: string): Promise<string | undefined> {
  return readText(real).catch(() => undefined);
}
