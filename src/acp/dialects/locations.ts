import { fileURLToPath } from 'node:url';
import { isRecord } from '../../base.ts';
import { pathKeys } from './keys.ts';
import { applyRules, type Wire, type Witness, without } from './rules.ts';

/** A location in the shapes source A leaves open; what names no path stays as it is and is left out later. */
export function locationFrom(location: unknown, witness: Witness): unknown {
  if (typeof location !== 'string' && !isRecord(location)) return location;
  const rewritten =
    typeof location === 'string' ? fromText(location) : fromUri(applyRules([pathKeys], location, witness));
  if (rewritten === undefined) return location;
  if (rewritten.path !== (location as Wire).path) witness.note({ name: 'A: locations' });
  return rewritten;
}

function fromText(location: string): Wire | undefined {
  const path = /^[a-z][a-z\d+.-]+:\/\//i.test(location) ? pathOf(location) : location;
  return path === undefined || path === '' ? undefined : { path };
}

function fromUri(location: Wire): Wire {
  if (location.path !== undefined || typeof location.uri !== 'string') return location;
  const path = pathOf(location.uri);
  return path === undefined ? location : { ...without(location, 'uri'), path };
}

// Only an address of a file here has a path here.
function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
