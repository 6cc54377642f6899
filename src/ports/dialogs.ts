import type { PatchText } from './frame.ts';

/** A list for `vim.ui.select`, or for a float of ours; the chosen item sends its operation to the host. */
export interface Picker {
  readonly prompt: string;
  /** The `kind` for replacements of `vim.ui.select`. */
  readonly kind: string;
  readonly items: readonly PickerItem[];
  /** The operation that is sent when nothing is chosen. */
  readonly closed?: Omit<PickerItem, 'label'>;
  /** It belongs to a question of the agent, so no other question opens meanwhile. */
  readonly isQuestion?: true;
  /** The choice has consequences: keys typed before the list opened must not choose. */
  readonly isGuarded?: true;
  /** What it is about, as lines: the text of a float, and the preview of pickers that have one. */
  readonly body?: PatchText;
  /** So many lines of the body must have been on the screen before an item of a float that consents counts. */
  readonly mustSee?: number;
  /** The title of a float. */
  readonly title?: string;
  /** The item of the key that shows the change. */
  readonly preview?: PickerItem;
  /** It opens in a float whatever the option says, and counts only after all of it was on the screen. */
  readonly mustRead?: true;
  /** The questions that it lists. It closes when none of them is open any more. */
  readonly listed?: readonly { readonly chat: number; readonly id: number }[];
}

export interface PickerItem {
  readonly label: string;
  /** Absent: nothing happens. */
  readonly op?: string;
  readonly payload?: object;
  /** Nothing follows, so the user is where they were before. */
  readonly isLast?: true;
  /** It lets the agent do what was asked. */
  readonly consents?: true;
}

/** A line for `vim.ui.input`. The operation is sent with the line as `text`, without it if the user cancelled. */
export interface Input {
  readonly prompt: string;
  readonly default: string;
  readonly op: string;
  readonly payload: object;
  readonly isQuestion?: true;
  /** The line must not be stored in any history. */
  readonly isSecret: boolean;
}
