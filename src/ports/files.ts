/** Files as the user sees them, unsaved text included. Rejects with an AcpError that names the path. */
export interface FileService {
  read(request: FileRead, withdrawn: AbortSignal): Promise<string>;
  write(request: FileWrite, withdrawn: AbortSignal): Promise<void>;
  list(path: string): Promise<readonly FolderEntry[]>;
  /** Writes a text of the agent that the user wants in a file; the agent does not know of it. */
  put?(request: FilePut): Promise<void>;
  /** Called when a file has changed on disk under unsaved text. */
  changedOnDisk?(path: string): Promise<void>;
}

/** Runs a read once the queue allows it: an agent that does not take its answers must not get further ones. */
export type QueueRead = <T>(read: () => Promise<T>) => Promise<T>;

export interface FileRead {
  /** Absolute. */
  readonly path: string;
  /** The first line wanted, from 1. */
  readonly line: number;
  /** The maximum number of lines; absent: all. */
  readonly limit: number | undefined;
  /** A missing file reads as empty instead of an error. */
  readonly isMissingEmpty: boolean;
  /** Wraps all that takes memory; waiting for the user is not part of it. Absent: read at once. */
  readonly queueRead?: QueueRead;
}

export interface FileWrite {
  readonly path: string;
  readonly content: string;
}

export interface FilePut extends FileWrite {
  /** The text that the content was made from; absent: there was no file. */
  readonly basis: string | undefined;
}

export interface FolderEntry {
  readonly name: string;
  readonly type: 'file' | 'directory';
}
