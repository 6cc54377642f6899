import { displayPath } from '../../base/paths.ts';
import type { Picker } from '../../ports/dialogs.ts';
import { consentText } from '../questions/consent-text.ts';
import { sanitiseLine } from '../sanitise.ts';
import { parsePageAddress } from '../web-page.ts';

/** Asks whether a page may be opened whose address the agent wrote. */
export function pagePicker(chat: number, address: string): Picker {
  // Browsers read `https://a\@b` as a page of a, and `https:a` too.
  const url = new URL(address).href;
  const { warnings, canOpen } = parsePageAddress(url);
  const payload = { chat, url };
  const visit = { label: 'Open it in the browser', op: 'link.open', payload, consents: true as const };
  const prompt = [sanitiseLine(url), ...warnings].join(' · ');
  return {
    ...consentText('Open this page?', prompt),
    prompt,
    kind: 'acp.page',
    items: [
      ...(canOpen ? [visit] : []),
      { label: 'Copy the address', op: 'link.copy', payload, isLast: true },
    ],
    isGuarded: true,
  };
}

/** Where in a file to go, as far as it was written. */
export interface TextPosition {
  readonly line: number | undefined;
  readonly column?: number | undefined;
}

/** Asks whether a file may be opened that is outside of the folders of the session. */
export function outsideFilePicker(chat: number, path: string, { line, column }: TextPosition): Picker {
  return {
    prompt: `${sanitiseLine(path)} is outside of the folders of this session`,
    kind: 'acp.path',
    items: [{ label: 'Open it', op: 'path.open', payload: { chat, path, line, column } }],
    isGuarded: true,
  };
}

interface NamedFiles extends TextPosition {
  readonly chat: number;
  readonly files: readonly string[];
  /** Files below it are shown without it. */
  readonly folder: string;
}

/** Asks which file is meant by a name that several files have. */
export function filePicker({ chat, files, line, column, folder }: NamedFiles): Picker {
  return {
    prompt: 'Several files have this name',
    kind: 'acp.path',
    items: files.map((path) => ({
      label: sanitiseLine(displayPath(path, folder)),
      op: 'path.open',
      payload: { chat, path, line, column },
    })),
  };
}
