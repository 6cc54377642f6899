import path from 'node:path';
import { ResponseError } from 'vscode-jsonrpc/node';
import { badParam } from '../base/parse.ts';
import { isRecord } from '../base/record.ts';
import { rpcCodes } from '../base/rpc-codes.ts';

export type RequestParams = Readonly<Record<string, unknown>>;

export function requireParams(value: unknown): RequestParams {
  if (!isRecord(value)) throw invalidParam('params', 'an object', value);
  return value;
}

export function requireString(params: RequestParams, key: string): string {
  const value = params[key];
  if (typeof value !== 'string') throw invalidParam(key, 'a string', value);
  return value;
}

export function requireNumber(params: RequestParams, key: string): number {
  const value = params[key];
  if (typeof value !== 'number') throw invalidParam(key, 'a number', value);
  return value;
}

export function requireList(params: RequestParams, key: string): readonly unknown[] {
  const value = params[key];
  if (!Array.isArray(value)) throw invalidParam(key, 'a list', value);
  return value;
}

export function requireFolder(params: RequestParams, key: string): string {
  const folder = requireString(params, key);
  if (!path.isAbsolute(folder)) throw invalidParam(key, 'an absolute path', folder);
  return folder;
}

export function invalidParam(key: string, expected: string, found: unknown): ResponseError<void> {
  return new ResponseError(rpcCodes.badParams, badParam(key, expected, found).message);
}
