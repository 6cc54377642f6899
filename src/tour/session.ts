/** The state of an open session. */
export interface TourSession {
  readonly id: string;
  readonly cwd: string;
  /** "Always" answers to permission requests, by subject. */
  readonly rememberedAnswers: Map<string, boolean>;
  mode: string;
  hasTitle: boolean;
  messageCount: number;
  toolCount: number;
  linkCount: number;
  /** Cancels the running turn; undefined while no turn runs. */
  turn: AbortController | undefined;
  /** The prompts that were sent into the running turn and have got no answer yet. */
  readonly injected: string[];
  /** Called when a prompt is sent into the running turn. */
  onInjected: (() => void) | undefined;
}

export const modes = [
  { id: 'guided', name: 'Guided', description: 'Shows features with explanations' },
  { id: 'brief', name: 'Brief', description: 'Shows features without explanations' },
] as const;

export function createSession(id: string, cwd: string): TourSession {
  return {
    id,
    cwd,
    rememberedAnswers: new Map(),
    mode: modes[0].id,
    hasTitle: false,
    messageCount: 0,
    toolCount: 0,
    linkCount: 0,
    turn: undefined,
    injected: [],
    onInjected: undefined,
  };
}
