import { AcpError } from '../../base/errors.ts';

/** What `:AcpSearch` looks for. */
export interface Search {
  readonly text: string;
  /** The name of an agent. */
  readonly agent?: string;
  /** Only messages since this time. */
  readonly since?: number;
}

/** Reads `login agent:claude since:2026-11-01`. */
export function parseSearch(words: string): Search {
  const filters: { agent?: string; since?: number } = {};
  const text = words.split(/\s+/).filter((word) => {
    const [, name, value = ''] = /^(agent|since):(.+)$/.exec(word) ?? [];
    if (name === 'agent') filters.agent = value;
    if (name === 'since') filters.since = timeOf(value);
    return name === undefined;
  });
  return { text: text.join(' ').trim(), ...filters };
}

function timeOf(date: string): number {
  const time = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(date) ? `${date}T00:00` : '');
  if (Number.isNaN(time)) throw new AcpError('bad_params', `"${date}" is no date; write since:2026-01-31`);
  return time;
}
