import fs from 'node:fs';
import { AcpError, messageOf } from '../base/errors.ts';
import { isRecord } from '../base/record.ts';
import { readRegularFile } from '../system/files/regular-file.ts';

const maxBytes = 256 * 1024;

/**
 * The text of a file with rules; undefined if there is none. Throws if it is there and can't be read, because it may
 * forbid what the other rules allow.
 */
export function readRules(file: string): string | undefined {
  try {
    // Most files are missing, and an exception takes longer.
    if (!exists(file)) return undefined;
    return readRegularFile(file, { maxBytes, isText: true });
  } catch (error) {
    throw unreadable(file, reasonOf(error), error);
  }
}

/** The project files that the user trusts, each with the hash of its content. Throws as `readRules` does. */
export function readTrust(file: string): Readonly<Record<string, unknown>> {
  const text = readRules(file);
  if (text === undefined) return {};
  const value = parseRecord(text);
  if (!value) throw unreadable(file, 'it is not a JSON object');
  return value;
}

function exists(file: string): boolean {
  return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function parseRecord(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function unreadable(file: string, reason: string, cause?: unknown): AcpError {
  return new AcpError('file_error', `${file} can't be read: ${reason}`, { cause });
}

// Node repeats the path behind the reason.
function reasonOf(error: unknown): string {
  return messageOf(error).replace(/, \w+ '.*'$/s, '');
}
