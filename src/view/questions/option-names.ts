import type { QuestionOption } from '../../model/entries.ts';

const allowing =
  /^(always )?(yes|allow|accept|approve|ok|okay|proceed|continue|run|confirm|trust|grant|sure)|^always/u;
const refusing =
  /^(always )?(no|not|reject|deny|decline|refuse|cancel|don'?t|never|skip|stop|abort|block|forbid|disallow)/u;

/** What the name of an option says that it does; undefined if it begins with no known word. */
function saidBy(name: string): 'allow' | 'reject' | undefined {
  // Signs and numbers before the first letter say nothing.
  const text = name
    .normalize('NFKC')
    .replaceAll('’', "'")
    .toLowerCase()
    .replace(/^\P{L}+/u, '')
    .replaceAll(/\s+/g, ' ');
  const isWhole = (found: RegExpExecArray | null) =>
    found !== null && !/^\p{L}/u.test(text.slice(found[0].length));
  if (isWhole(refusing.exec(text))) return 'reject';
  return isWhole(allowing.exec(text)) ? 'allow' : undefined;
}

/** Whether the name of an option says the opposite of what it does. */
export function contradictsKind({ name, kind }: QuestionOption): boolean {
  const said = saidBy(name);
  return kind !== 'other' && said !== undefined && !kind.startsWith(said);
}

const meanings: Readonly<Record<QuestionOption['kind'], string>> = {
  allow_once: 'allows once',
  allow_always: 'allows always',
  reject_once: 'rejects',
  reject_always: 'rejects always',
  other: '',
};

/** What an option does, if its name does not say it, or says the opposite. */
export function unsaidMeaning(option: QuestionOption): string {
  return saidBy(option.name) === undefined || contradictsKind(option) ? meanings[option.kind] : '';
}
