export interface FloatingPromise {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The first line of the expression. */
  readonly text: string;
  readonly problem: string;
}

export function findFloatingPromises(
  config: string,
  needsReason?: (file: string) => boolean,
): readonly FloatingPromise[];
