import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../../base/record.ts';
import { isRecord } from '../../../base/record.ts';
import { pathKeys } from '../keys.ts';
import { applyRules, type RuleObserver, without } from '../rules.ts';

/** The canonical form of a location. Document A does not define its shape; without a path it is not changed. */
export function canonicalLocation(location: unknown, observer: RuleObserver): unknown {
  if (typeof location !== 'string' && !isRecord(location)) return location;
  const rewritten =
    typeof location === 'string'
      ? locationFromText(location)
      : locationFromUri(applyRules([pathKeys], location, observer));
  if (rewritten === undefined) return location;
  if (rewritten.path !== (location as JsonObject).path) observer.ruleApplied({ name: 'A: locations' });
  return rewritten;
}

function locationFromText(location: string): JsonObject | undefined {
  const path = /^[a-z][a-z\d+.-]+:\/\//i.test(location) ? pathFromFileUri(location) : location;
  return path === undefined || path === '' ? undefined : { path };
}

function locationFromUri(location: JsonObject): JsonObject {
  if (location.path !== undefined || typeof location.uri !== 'string') return location;
  const path = pathFromFileUri(location.uri);
  return path === undefined ? location : { ...without(location, 'uri'), path };
}

// Undefined for anything but a file: uri of this machine.
function pathFromFileUri(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
