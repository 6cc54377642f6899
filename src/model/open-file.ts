import { boolean, type Parse, shape, text } from '../base/parse.ts';

/** A file that is open in Neovim. */
export interface OpenFile {
  readonly path: string;
  /** Differs when the file on disk was written, replaced or deleted. */
  readonly stamp: string;
  readonly isModified: boolean;
  /** The buffer was read from, or written to, what is on disk now. */
  readonly isCurrent: boolean;
}

export const openFile: Parse<OpenFile> = shape({
  path: text,
  stamp: text,
  isModified: boolean,
  isCurrent: boolean,
});
