import path from 'node:path';

const texts: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.html': 'text/html',
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.xml': 'text/xml',
  '.svg': 'image/svg+xml',
  '.diff': 'text/x-diff',
  '.patch': 'text/x-diff',
};

/** The type of a text by the name of its file. */
export function textType(file: string): string {
  return texts[path.extname(file).toLowerCase()] ?? 'text/plain';
}
