import { pathToFileURL } from 'node:url';
import { AcpError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/record.ts';
import { settledWithin } from '../../base/timeout.ts';
import type { ExitStatus, TerminalService } from '../../ports/terminals.ts';
import type { Services, Workspace } from '../../ports/workspace.ts';
import type { RequestHandler } from '../connection/connection.ts';
import {
  asRecord,
  countParam,
  envParam,
  optionalStringParam,
  pathParam,
  sessionIdOf,
  stringListParam,
  stringParam,
} from '../decode/fields.ts';

type Handlers = Readonly<Record<string, RequestHandler>>;

export interface ClientMethodOptions {
  /** The services that are offered to the agent. */
  readonly offers: Workspace['offers'];
  servicesOf(sessionId: string): Services | undefined;
  readonly hasProposals: boolean;
  /** Whether reading a missing file returns an empty text instead of an error. */
  readsMissingFileAsEmpty(): boolean;
}

/** The fs/* and terminal/* methods that are offered. */
export function clientMethods(options: ClientMethodOptions): Handlers {
  const { files, terminals } = options.offers;
  return {
    ...(files && fileMethods(options)),
    ...(terminals && terminalMethods(options)),
  };
}

function fileMethods({ servicesOf, hasProposals, readsMissingFileAsEmpty }: ClientMethodOptions): Handlers {
  const files = (params: JsonObject) =>
    requireService(servicesOf(stringParam(params, 'sessionId'))?.files, params);
  const methods: Handlers = {
    'fs/read_text_file': async (params, withdrawn, queueRead) => {
      const request = {
        path: pathParam(params, 'path'),
        // The schema allows 0, but lines are counted from 1.
        line: countParam(params, 'line') || 1,
        limit: countParam(params, 'limit'),
        isMissingEmpty: readsMissingFileAsEmpty(),
        queueRead,
      };
      const content = files(params).read(request, withdrawn);
      return { content: await content.catch((error) => throwWithUri(error, request.path)) };
    },
    'fs/write_text_file': async (params, withdrawn) => {
      const request = { path: pathParam(params, 'path'), content: stringParam(params, 'content') };
      await files(params).write(request, withdrawn);
      return {};
    },
  };
  if (!hasProposals) return methods;
  return {
    ...methods,
    'fs/list_directory': async (params) => ({ entries: await files(params).list(pathParam(params, 'path')) }),
  };
}

function throwWithUri(error: unknown, path: string): never {
  if (!(error instanceof AcpError) || error.code !== 'not_found') throw error;
  throw new AcpError('not_found', error.message, { cause: error, data: { uri: pathToFileURL(path).href } });
}

function terminalMethods({ servicesOf, hasProposals }: ClientMethodOptions): Handlers {
  const terminals = (params: JsonObject) =>
    requireService(servicesOf(stringParam(params, 'sessionId'))?.terminals, params);
  const methods: Handlers = {
    'terminal/create': async (params, withdrawn) => ({
      terminalId: await createTerminal(terminals(params), params, withdrawn),
    }),
    'terminal/output': (params) => outputOf(terminals(params), stringParam(params, 'terminalId')),
    'terminal/wait_for_exit': (params, withdrawn) => waitForExit(terminals(params), params, withdrawn),
    'terminal/kill': async (params) => {
      await terminals(params).kill(stringParam(params, 'terminalId'));
      return {};
    },
    'terminal/release': async (params) => {
      await terminals(params).release(stringParam(params, 'terminalId'));
      return {};
    },
  };
  if (!hasProposals) return methods;
  return {
    ...methods,
    'terminal/run': (params, withdrawn) => runCommand(terminals(params), params, withdrawn),
  };
}

function createTerminal(
  terminals: TerminalService,
  params: JsonObject,
  withdrawn: AbortSignal,
): Promise<string> {
  const run = {
    command: stringParam(params, 'command'),
    args: stringListParam(params, 'args'),
    env: envParam(params, 'env'),
    cwd: optionalStringParam(params, 'cwd') === undefined ? undefined : pathParam(params, 'cwd'),
    byteLimit: countParam(params, 'outputByteLimit'),
  };
  return terminals.create(run, withdrawn);
}

function outputOf(terminals: TerminalService, terminalId: string): object {
  const { text, isTruncated, exit } = terminals.output(terminalId);
  return { output: text, truncated: isTruncated, ...(exit && { exitStatus: encodeExit(exit) }) };
}

// Dialect B: the request may limit the wait and may want the output in the answer.
async function waitForExit(
  terminals: TerminalService,
  params: JsonObject,
  withdrawn: AbortSignal,
): Promise<object> {
  const terminalId = stringParam(params, 'terminalId');
  const meta = asRecord(params._meta);
  const exited = terminals.waitForExit(terminalId, withdrawn);
  const timeoutMs = meta['acp.nvim/timeout'];
  const exit = await (typeof timeoutMs === 'number' ? settledWithin(timeoutMs, exited) : exited);
  const answer = exit ? encodeExit(exit) : { exitCode: null };
  if (meta['acp.nvim/output'] !== true) return answer;
  return { ...answer, _meta: { 'acp.nvim/output': terminals.output(terminalId).text } };
}

async function runCommand(
  terminals: TerminalService,
  params: JsonObject,
  withdrawn: AbortSignal,
): Promise<object> {
  const terminalId = await createTerminal(terminals, params, withdrawn);
  const exit = await terminals.waitForExit(terminalId, withdrawn);
  return { terminalId, output: terminals.output(terminalId).text, ...encodeExit(exit) };
}

function encodeExit({ code, signal }: ExitStatus): object {
  return { exitCode: code ?? null, signal: signal ?? null };
}

function requireService<T>(service: T | undefined, params: JsonObject): T {
  if (service !== undefined) return service;
  throw new AcpError('not_found', `no session ${sessionIdOf(params) ?? ''}`);
}
