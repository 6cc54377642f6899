import fs from 'node:fs';
import { createInterface } from 'node:readline';
import type { AuthMethod } from '@agentclientprotocol/sdk';
import { ResponseError } from 'vscode-jsonrpc/node';
import { rpcCodes } from '../acp/rpc-errors.ts';
import { badParam, type Params, textIn } from './params.ts';

const methods: readonly AuthMethod[] = [
  { id: 'wave', name: 'Wave', description: 'The tour sees it and lets you in' },
  { type: 'terminal', id: 'say', name: 'Say yes', description: 'In a terminal', args: ['--login'] },
];

/** A door that ACP_TOUR_LOGIN puts before the tour: the user is logged in while the file it names exists. */
export class Login {
  private readonly file: string | undefined;

  constructor(file: string | undefined) {
    this.file = file;
  }

  get methods(): AuthMethod[] {
    return this.file === undefined ? [] : [...methods];
  }

  get capabilities(): { auth?: { logout: object } } {
    return this.file === undefined ? {} : { auth: { logout: {} } };
  }

  /** Nobody comes in without a login. */
  require(): void {
    if (this.file === undefined || fs.existsSync(this.file)) return;
    throw new ResponseError(rpcCodes.authRequired, 'Authentication required');
  }

  authenticate(params: Params): object {
    const id = textIn(params, 'methodId');
    if (id !== 'wave') throw badParam('methodId', 'wave', id);
    this.note();
    return {};
  }

  logout(): object {
    if (this.file !== undefined) fs.rmSync(this.file, { force: true });
    return {};
  }

  /** What `--login` does: ends well for those who say yes. */
  ask(): void {
    process.stdout.write('Log in to the tour? ');
    createInterface({ input: process.stdin }).once('line', (line) => {
      const isYes = line.trim().toLowerCase() === 'yes';
      if (isYes) this.note();
      process.exit(isYes ? 0 : 1);
    });
  }

  private note(): void {
    if (this.file !== undefined) fs.writeFileSync(this.file, '');
  }
}
