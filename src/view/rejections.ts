/** Lines of the agent's that the user did not want. */
export interface RejectedLines {
  readonly path: string;
  readonly line: number;
  readonly wanted: readonly string[];
  readonly unwanted: readonly string[];
}

/** What tells the agent that its changes were taken back, as the beginning of a prompt. */
export function rejectionsPrompt(rejections: readonly RejectedLines[]): string {
  const parts = rejections.map(({ path, line, wanted, unwanted }) => {
    const lines = [...wanted.map((text) => `-${text}`), ...unwanted.map((text) => `+${text}`)];
    const shown = lines.map((text) => text.replace(/\r?\n$/, '')).join('\n');
    return shown === '' ? `${path}` : `${path}:${line}\n${fenced(shown)}`;
  });
  return `I rejected these changes of yours; the files are as they were there:\n\n${parts.join('\n\n')}\n`;
}

function fenced(text: string): string {
  let fence = '```';
  while (text.includes(fence)) fence += '`';
  return `${fence}diff\n${text}\n${fence}`;
}
