import { fenced } from './code-fence.ts';

/** A hunk that the user rejected. */
interface RejectedLines {
  readonly path: string;
  readonly line: number;
  readonly wanted: readonly string[];
  readonly unwanted: readonly string[];
}

/** The start of a prompt that informs the agent of rejected changes. */
export function rejectionsPrompt(rejections: readonly RejectedLines[]): string {
  const parts = rejections.map(({ path, line, wanted, unwanted }) => {
    const lines = [...wanted.map((text) => `-${text}`), ...unwanted.map((text) => `+${text}`)];
    const shown = lines.map((text) => text.replace(/\r?\n$/, '')).join('\n');
    return shown === '' ? `${path}` : `${path}:${line}\n${fenced(shown, 'diff')}`;
  });
  return `I rejected these changes; in the files they are reverted:\n\n${parts.join('\n\n')}\n`;
}
