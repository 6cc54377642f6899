import type { Answer, TourClient, TourOptions } from './client.ts';

/** Client capabilities with everything that the tour can use. */
export const everything = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {}, url: {} },
  session: { notices: {} },
};

/** Answers as an editor: files in memory, terminals that have exited, and a user with one fixed answer. */
export class FakeEditor {
  readonly files = new Map<string, string>();
  /** The option that the user chooses; undefined leaves the question open. */
  choice: string | undefined = 'allow';
  exitCode = 0;
  form: object = { action: 'accept', content: { name: 'Ada', indent: 'tabs' } };

  readonly answers: Readonly<Record<string, Answer>> = {
    'fs/read_text_file': ({ path }) => this.read(String(path)),
    'fs/write_text_file': ({ path, content }) => {
      this.files.set(String(path), String(content));
      return {};
    },
    'session/request_permission': () => this.choose(),
    'elicitation/create': () => this.form,
    'terminal/create': () => ({ terminalId: 'terminal-1' }),
    'terminal/wait_for_exit': () => ({ exitCode: this.exitCode }),
    'terminal/output': () => ({ output: 'one\ntwo\n', truncated: false }),
    'terminal/release': () => ({}),
  };

  private read(path: string): object {
    const content = this.files.get(path);
    if (content === undefined) throw new Error('no such file');
    return { content };
  }

  private choose(): unknown {
    if (this.choice === undefined) return new Promise(() => undefined);
    return { outcome: { outcome: 'selected', optionId: this.choice } };
  }
}

/** A session with all client capabilities. */
export async function openWithEverything(start: (options: TourOptions) => TourClient, folder: string) {
  const editor = new FakeEditor();
  const client = start({ answers: editor.answers });
  return { editor, client, sessionId: await client.open(folder, everything) };
}
