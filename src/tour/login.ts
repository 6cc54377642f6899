import fs from 'node:fs';
import { createInterface } from 'node:readline';
import type { AuthMethod } from '@agentclientprotocol/sdk';
import { ResponseError } from 'vscode-jsonrpc/node';
import { rpcCodes } from '../base/rpc-codes.ts';
import { invalidParam, type RequestParams, requireString } from './params.ts';

const loginMethods: readonly AuthMethod[] = [
  { id: 'wave', name: 'Wave', description: 'Logs you in immediately' },
  { type: 'terminal', id: 'say', name: 'Say yes', description: 'In a terminal', args: ['--login'] },
];

/** The login that ACP_TOUR_LOGIN switches on: the user is logged in while the file it names exists. */
export class Login {
  private readonly file: string | undefined;

  constructor(file: string | undefined) {
    this.file = file;
  }

  get methods(): AuthMethod[] {
    return this.file === undefined ? [] : [...loginMethods];
  }

  get capabilities(): { auth?: { logout: object } } {
    return this.file === undefined ? {} : { auth: { logout: {} } };
  }

  /** Throws unless the user is logged in. */
  requireLogin(): void {
    if (this.file === undefined || fs.existsSync(this.file)) return;
    throw new ResponseError(rpcCodes.authRequired, 'Authentication required');
  }

  authenticate(params: RequestParams): object {
    const id = requireString(params, 'methodId');
    if (id !== 'wave') throw invalidParam('methodId', 'wave', id);
    this.rememberLogin();
    return {};
  }

  logout(): object {
    if (this.file !== undefined) fs.rmSync(this.file, { force: true });
    return {};
  }

  /** Implements `--login`: exits with code 0 if the user types yes. */
  askInTerminal(): void {
    process.stdout.write('Log in to the tour? ');
    createInterface({ input: process.stdin }).once('line', (line) => {
      const isYes = line.trim().toLowerCase() === 'yes';
      if (isYes) this.rememberLogin();
      process.exit(isYes ? 0 : 1);
    });
  }

  private rememberLogin(): void {
    if (this.file !== undefined) fs.writeFileSync(this.file, '');
  }
}
