import { pathToFileURL } from 'node:url';
import { isRecord } from '../base.ts';
import { AcpError } from '../errors.ts';
import type { ExitStatus, TerminalService } from '../ports/terminals.ts';
import type { Services, Workspace } from '../ports/workspace.ts';
import type { RequestHandler } from './connection.ts';
import { countParam, optionalTextParam, pathParam, textParam, textsParam, variablesParam } from './params.ts';
import { sessionIdOf } from './wire.ts';

type Params = Record<string, unknown>;
type Handlers = Readonly<Record<string, RequestHandler>>;

export interface ServiceOptions {
  /** What is offered to the agent at all. */
  readonly offers: Workspace['offers'];
  /** The services of the session that a request is about. */
  servicesOf(sessionId: string): Services | undefined;
  readonly hasProposals: boolean;
  /** A file that is not there is read as an empty one. */
  isMissingEmpty(): boolean;
}

/** The methods of the file system and the terminals that are offered; all others do not exist. */
export function serviceMethods(options: ServiceOptions): Handlers {
  const { files, terminals } = options.offers;
  return {
    ...(files && fileMethods(options)),
    ...(terminals && terminalMethods(options)),
  };
}

function fileMethods({ servicesOf, hasProposals, isMissingEmpty }: ServiceOptions): Handlers {
  const files = (params: Params) => need(servicesOf(textParam(params, 'sessionId'))?.files, params);
  const methods: Handlers = {
    'fs/read_text_file': async (params, withdrawn) => {
      const request = {
        path: pathParam(params, 'path'),
        // The schema lets 0 pass, which no line has.
        line: countParam(params, 'line') || 1,
        limit: countParam(params, 'limit'),
        isMissingEmpty: isMissingEmpty(),
      };
      const content = files(params).read(request, withdrawn);
      return { content: await content.catch((error) => throwWithAddress(error, request.path)) };
    },
    'fs/write_text_file': async (params, withdrawn) => {
      const request = { path: pathParam(params, 'path'), content: textParam(params, 'content') };
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

function throwWithAddress(error: unknown, path: string): never {
  if (!(error instanceof AcpError) || error.code !== 'not_found') throw error;
  throw new AcpError('not_found', error.message, { cause: error, data: { uri: pathToFileURL(path).href } });
}

function terminalMethods({ servicesOf, hasProposals }: ServiceOptions): Handlers {
  const terminals = (params: Params) => need(servicesOf(textParam(params, 'sessionId'))?.terminals, params);
  const methods: Handlers = {
    'terminal/create': async (params, withdrawn) => ({
      terminalId: await create(terminals(params), params, withdrawn),
    }),
    'terminal/output': (params) => outputOf(terminals(params), textParam(params, 'terminalId')),
    'terminal/wait_for_exit': (params, withdrawn) => waitForExit(terminals(params), params, withdrawn),
    'terminal/kill': async (params) => {
      await terminals(params).kill(textParam(params, 'terminalId'));
      return {};
    },
    'terminal/release': async (params) => {
      await terminals(params).release(textParam(params, 'terminalId'));
      return {};
    },
  };
  if (!hasProposals) return methods;
  return { ...methods, 'terminal/run': (params, withdrawn) => run(terminals(params), params, withdrawn) };
}

function create(terminals: TerminalService, params: Params, withdrawn: AbortSignal): Promise<string> {
  const run = {
    command: textParam(params, 'command'),
    args: textsParam(params, 'args'),
    env: variablesParam(params, 'env'),
    cwd: optionalTextParam(params, 'cwd') === undefined ? undefined : pathParam(params, 'cwd'),
    byteLimit: countParam(params, 'outputByteLimit'),
  };
  return terminals.create(run, withdrawn);
}

function outputOf(terminals: TerminalService, terminalId: string): object {
  const { text, isTruncated, exit } = terminals.output(terminalId);
  return { output: text, truncated: isTruncated, ...(exit && { exitStatus: wireExit(exit) }) };
}

// An agent of source B may want to wait no longer than so, and the output with the answer.
async function waitForExit(
  terminals: TerminalService,
  params: Params,
  withdrawn: AbortSignal,
): Promise<object> {
  const terminalId = textParam(params, 'terminalId');
  const meta = isRecord(params._meta) ? params._meta : {};
  const exit = await within(terminals.waitForExit(terminalId, withdrawn), meta['acp.nvim/timeout']);
  const answer = exit ? wireExit(exit) : { exitCode: null };
  if (meta['acp.nvim/output'] !== true) return answer;
  return { ...answer, _meta: { 'acp.nvim/output': terminals.output(terminalId).text } };
}

async function run(terminals: TerminalService, params: Params, withdrawn: AbortSignal): Promise<object> {
  const terminalId = await create(terminals, params, withdrawn);
  const exit = await terminals.waitForExit(terminalId, withdrawn);
  return { terminalId, output: terminals.output(terminalId).text, ...wireExit(exit) };
}

function wireExit({ code, signal }: ExitStatus): object {
  return { exitCode: code ?? null, signal: signal ?? null };
}

async function within<T>(promise: Promise<T>, ms: unknown): Promise<T | undefined> {
  if (typeof ms !== 'number') return promise;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

function need<T>(service: T | undefined, params: Params): T {
  if (service !== undefined) return service;
  throw new AcpError('not_found', `there is no session ${sessionIdOf(params) ?? ''}`);
}
