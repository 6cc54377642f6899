import path from 'node:path';
import { ResponseError } from 'vscode-jsonrpc/node';
import { rpcCodes } from '../acp/rpc-errors.ts';
import { isRecord } from '../base.ts';

export type Params = Readonly<Record<string, unknown>>;

export function paramsFrom(value: unknown): Params {
  if (!isRecord(value)) throw badParam('params', 'an object', value);
  return value;
}

export function textIn(params: Params, key: string): string {
  const value = params[key];
  if (typeof value !== 'string') throw badParam(key, 'a string', value);
  return value;
}

export function numberIn(params: Params, key: string): number {
  const value = params[key];
  if (typeof value !== 'number') throw badParam(key, 'a number', value);
  return value;
}

export function listIn(params: Params, key: string): readonly unknown[] {
  const value = params[key];
  if (!Array.isArray(value)) throw badParam(key, 'a list', value);
  return value;
}

export function folderIn(params: Params, key: string): string {
  const folder = textIn(params, key);
  if (!path.isAbsolute(folder)) throw badParam(key, 'an absolute path', folder);
  return folder;
}

export function badParam(key: string, expected: string, found: unknown): ResponseError<void> {
  const instead = found === undefined ? 'and is missing' : `not ${JSON.stringify(found)}`;
  return new ResponseError(rpcCodes.badParams, `${key} must be ${expected}, ${instead}`);
}
