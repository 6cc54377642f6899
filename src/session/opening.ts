import type { Opening } from '../ports/agent.ts';
import type { Abilities } from './model.ts';

/** A conversation of before that a chat is to go on with. */
export interface Earlier {
  readonly sessionId: string;
  /** The user chose it from a list, and it may have gone on in another program since it was written down here. */
  readonly isChosen: boolean;
}

/** An agent that tells a conversation again tells what is not known here; where all is known that only takes time. */
export function howToOpen(abilities: Abilities, earlier: Earlier | undefined): Opening['how'] {
  if (!earlier) return 'new';
  const wishes = earlier.isChosen ? (['load', 'resume'] as const) : (['resume', 'load'] as const);
  return wishes.find((how) => abilities[how]) ?? 'new';
}
