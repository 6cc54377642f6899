import type { Opening } from '../ports.ts';
import type { Abilities } from './model.ts';

/** A conversation of before that a chat is to go on with. */
export interface Earlier {
  readonly sessionId: string;
  /** What was said stands in the chat already. */
  readonly isShown: boolean;
}

/** Telling a conversation again is wanted where it is not shown, and only bearable where it is. */
export function howToOpen(abilities: Abilities, earlier: Earlier | undefined): Opening['how'] {
  if (!earlier) return 'new';
  const wishes = earlier.isShown ? (['resume', 'load'] as const) : (['load', 'resume'] as const);
  return wishes.find((how) => abilities[how]) ?? 'new';
}
