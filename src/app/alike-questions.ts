import type { QuestionEntry } from '../model/entries.ts';
import { kindKey } from '../session/questions/alike.ts';
import { shownCount } from '../view/questions/choices.ts';

interface Source {
  readonly agent: string;
}

interface Member<S> {
  readonly source: S;
  readonly entry: QuestionEntry;
}

/**
 * The open questions of all chats, by agent and kind. Each shows how many are like it, so each new one changes others; but
 * large numbers are not shown, so it changes a limited number of them, however many there are.
 */
export class AlikeQuestions<S extends Source> {
  private readonly groups = new Map<string, Set<Member<S>>>();
  private readonly places = new Map<
    QuestionEntry,
    { readonly key: string | undefined; readonly member: Member<S> }
  >();

  /** How many are like this one, itself included. */
  count(entry: QuestionEntry): number {
    const { key } = this.places.get(entry) ?? {};
    return (key === undefined ? undefined : this.groups.get(key)?.size) ?? 1;
  }

  /** A question was asked, or is about something else now. Returns those that show another number now. */
  add(source: S, entry: QuestionEntry): readonly Member<S>[] {
    const kind = kindKey(entry);
    const key = kind === undefined ? undefined : `${source.agent} ${kind}`;
    const known = this.places.get(entry);
    if (known && known.key === key) return [];
    const left = this.remove(entry);
    const member = { source, entry };
    this.places.set(entry, { key, member });
    if (key === undefined) return left;
    const group = this.groups.get(key) ?? new Set();
    this.groups.set(key, group.add(member));
    return [...left, ...changedIn(group, group.size - 1)];
  }

  /** A question is no longer open. Returns those that show another number now. */
  remove(entry: QuestionEntry): readonly Member<S>[] {
    const { key, member } = this.places.get(entry) ?? {};
    this.places.delete(entry);
    const group = key === undefined ? undefined : this.groups.get(key);
    if (key === undefined || !group || !member) return [];
    group.delete(member);
    if (group.size === 0) this.groups.delete(key);
    return changedIn(group, group.size + 1);
  }

  /** The chat is closed. */
  removeAll(source: S): readonly Member<S>[] {
    const own = [...this.places].filter(([, { member }]) => member.source === source);
    return own.flatMap(([entry]) => this.remove(entry)).filter((member) => member.source !== source);
  }
}

function changedIn<S>(group: ReadonlySet<Member<S>>, sizeBefore: number): readonly Member<S>[] {
  return shownCount(group.size) === shownCount(sizeBefore) ? [] : [...group];
}
