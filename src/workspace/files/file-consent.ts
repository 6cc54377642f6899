import fs from 'node:fs/promises';
import path from 'node:path';
import { AcpError } from '../../base/errors.ts';
import { isRunFile } from '../../model/run-files.ts';
import type { Verdict } from '../../ports/permissions.ts';
import type { ConsentRequest, WorkspaceOptions } from '../../ports/workspace.ts';
import { isInGitFolder } from '../../system/files/git-folder.ts';
import { readText } from './disk.ts';
import { changesScripts } from './run-files.ts';

/** Why something needs consent, and what the user can allow for the rest of the session. */
interface Reason {
  readonly reason: string;
  readonly grant: string;
  readonly always: string;
  /** Only a rule of the user that names the file allows it. */
  readonly isProtected?: boolean;
}

type Attempt = Pick<ConsentRequest, 'withdrawn' | 'since'>;

/** Decides which files an agent may read and write without consent, and asks the user about all others. */
export class FileConsent {
  private readonly options: WorkspaceOptions;
  private readonly granted = new Set<string>();

  constructor(options: WorkspaceOptions) {
    this.options = options;
  }

  /** Why the user is asked before an agent reads a file, if so. Throws if a rule denies it. */
  reasonToAskToRead(real: string, isInside: boolean): Reason | undefined {
    const rule = this.ruleAbout('read', real);
    if (!isInside) return outside('read', real);
    return rule === 'ask' ? askedByRule('read', real) : undefined;
  }

  askToRead(real: string, reason: Reason, attempt: Attempt): Promise<void> {
    return this.need('read', real, reason, attempt);
  }

  async toWrite(real: string, content: string, isInside: boolean, attempt: Attempt): Promise<void> {
    const verdict = this.ruleAbout('edit', real);
    const reason = await this.reasonToAsk(real, content, isInside);
    const needed = reason ?? (verdict === 'ask' ? askedByRule('edit', real) : undefined);
    if (!needed || this.granted.has(needed.grant)) return;
    const oldText = await readTextIfAny(real);
    await this.need('edit', real, needed, { ...attempt, change: { oldText, newText: content } });
  }

  /** A rule of the user that denies wins over everything that was allowed for the session. */
  private ruleAbout(kind: 'read' | 'edit', real: string): Verdict | undefined {
    const verdict = this.options.ruleAbout?.({ kind, paths: [real] });
    if (verdict === 'deny') throw new AcpError('denied', `a rule of the user denies access to ${real}`);
    return verdict;
  }

  private async reasonToAsk(real: string, content: string, isInside: boolean): Promise<Reason | undefined> {
    if (isRunFile(real) || this.options.isProtected?.(real) || isInGitFolder(real)) {
      return runByOthers(real, 'Other programs execute this file or read their settings from it.');
    }
    const isManifest = path.basename(real).toLowerCase() === 'package.json';
    if (isManifest && changesScripts(real, await readTextIfAny(real), content)) {
      return runByOthers(real, 'This changes what the package manager runs.');
    }
    if (!isInside) return outside('edit', real);
    if (await hasSecondName(real)) return secondName(real);
    return this.options.isRemote ? elsewhere : undefined;
  }

  private async need(
    kind: 'read' | 'edit',
    real: string,
    { reason, grant, always, isProtected }: Reason,
    more: Attempt & Pick<ConsentRequest, 'change'>,
  ): Promise<void> {
    if (this.granted.has(grant)) return;
    const remember = () => void this.granted.add(grant);
    const action = { paths: [real], isProtected };
    const request = { kind, subject: real, action, reason, always: { name: always, remember }, ...more };
    if (await this.options.consent(request)) return;
    throw new AcpError('denied', `the user denied access to ${real}`);
  }
}

const elsewhere: Reason = {
  reason: 'The agent is on another machine; this file is on yours.',
  grant: 'edit all',
  always: 'Allow all changes in the folders of this session',
};

function outside(kind: 'read' | 'edit', real: string): Reason {
  const folder = path.dirname(real);
  return {
    reason: 'This is outside of the folders of the session.',
    grant: `${kind} in ${folder}`,
    always: `Allow all in ${folder} for this session`,
  };
}

function askedByRule(kind: 'read' | 'edit', real: string): Reason {
  return {
    reason: 'Your rules do not allow it without a question.',
    grant: `${kind} ${real} in spite of the rule`,
    always: 'Allow this file for this session',
  };
}

function secondName(real: string): Reason {
  const reason =
    'This file has a second name (a hard link), which may be outside of the folders of the session.';
  return {
    reason,
    grant: `edit ${real}`,
    always: 'Allow all changes of this file for this session',
    isProtected: true,
  };
}

async function hasSecondName(real: string): Promise<boolean> {
  const facts = await fs.lstat(real).catch(() => undefined);
  return facts?.isFile() === true && facts.nlink > 1;
}

// A grant for a whole folder does not cover these files.
function runByOthers(real: string, reason: string): Reason {
  return {
    reason,
    grant: `edit ${real}`,
    always: 'Allow all changes of this file for this session',
    isProtected: true,
  };
}

// A file that can't be read is shown as new; writing it fails later.
async function readTextIfAny(real: string): Promise<string | undefined> {
  return readText(real).catch(() => undefined);
}
