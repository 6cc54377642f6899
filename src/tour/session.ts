/** What the tour remembers of a conversation. */
export interface TourSession {
  readonly id: string;
  readonly cwd: string;
  /** Answers given for good, by what they are about. */
  readonly standing: Map<string, boolean>;
  mode: string;
  isTitled: boolean;
  messageCount: number;
  toolCount: number;
  pageCount: number;
  /** Ends the running turn; absent while none runs. */
  turn: AbortController | undefined;
}

export const modes = [
  { id: 'guided', name: 'Guided', description: 'Shows a thing and explains it' },
  { id: 'brief', name: 'Brief', description: 'Shows the same with fewer words' },
] as const;

export function createSession(id: string, cwd: string): TourSession {
  return {
    id,
    cwd,
    standing: new Map(),
    mode: modes[0].id,
    isTitled: false,
    messageCount: 0,
    toolCount: 0,
    pageCount: 0,
    turn: undefined,
  };
}
