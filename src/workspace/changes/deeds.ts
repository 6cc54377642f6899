import type { Disposable } from '../../base.ts';
import { type Side, sameSide } from './file-review.ts';
import type { Author, Touch } from './tracked.ts';

/** What is known of a change besides that it is there. */
export type Sign =
  /** The agent says that it changed this very file. */
  | 'wrote'
  /** Something that the agent did is over. */
  | 'worked'
  | 'none';

/** A content whose maker is known. */
interface Claim {
  readonly by: Worker | 'user';
  readonly side: Side;
  readonly at: number;
}

export interface Judgement {
  readonly author: Author;
  /** False when another session may have done it as well. */
  readonly isSure: boolean;
}

/** Who of all sessions changed which file, as far as it can be told. */
export class Deeds {
  readonly workers = new Set<Worker>();
  readonly claims = new Map<string, Claim>();
  private time = 0;

  /** `has` tells whether a file is in the folders of the session. */
  join(has: (file: string) => boolean): Worker {
    const worker = new Worker(this, has);
    this.workers.add(worker);
    return worker;
  }

  tick(): number {
    this.time += 1;
    return this.time;
  }
}

/** One session among those that work in the same folders. */
export class Worker implements Disposable {
  isAtWork = false;
  readonly has: (file: string) => boolean;
  private readonly deeds: Deeds;
  private readonly calls = new Map<string, ReadonlySet<string>>();
  private endedAt = -1;
  private lookedAt = -1;

  constructor(deeds: Deeds, has: (file: string) => boolean) {
    this.deeds = deeds;
    this.has = has;
  }

  begin(): void {
    this.isAtWork = true;
  }

  end(): void {
    if (this.isAtWork) this.endedAt = this.deeds.tick();
    this.isAtWork = false;
    this.calls.clear();
  }

  dispose(): void {
    this.end();
    this.deeds.workers.delete(this);
  }

  /** A call of the agent names files, and goes on. */
  names(call: string, files: Iterable<string>): void {
    this.calls.set(call, new Set(files));
  }

  finishes(call: string): void {
    this.calls.delete(call);
  }

  /** All that there is from now on is going to be looked at; what this gives is called when that is done. */
  looks(): () => void {
    const began = this.deeds.tick();
    return () => {
      this.lookedAt = began;
    };
  }

  /** Whoever finds a file with this content is to know who made it. */
  claims(file: string, side: Side, by: Author): void {
    if (by === 'other') return;
    this.deeds.claims.set(file, { by: by === 'agent' ? this : 'user', side, at: this.deeds.tick() });
  }

  /** Nobody knows who made what is there. */
  disclaims(file: string): void {
    this.deeds.claims.delete(file);
  }

  judge(file: string, now: Side, sign: Sign): Judgement {
    const claim = this.deeds.claims.get(file);
    if (claim && claim.by !== this && sameSide(claim.side, now)) {
      return { author: claim.by === 'user' ? 'user' : 'other', isSure: true };
    }
    if (sign === 'wrote') return { author: 'agent', isSure: true };
    const others = [...this.deeds.workers].filter((worker) => worker !== this && worker.has(file));
    const isNamedByOther = others.some((worker) => worker.isNaming(file));
    if (this.isNaming(file)) return { author: 'agent', isSure: !isNamedByOther };
    if (isNamedByOther) return { author: 'other', isSure: true };
    if (this.isAtWork || sign === 'worked') {
      return { author: 'agent', isSure: !others.some(({ isAtWork }) => isAtWork) };
    }
    const isOthers = others.some((worker) => worker.isAtWork || worker.endedAt > this.lookedAt);
    return { author: isOthers ? 'other' : 'user', isSure: true };
  }

  /** What somebody else made of a text since all was looked at. */
  madeByOthers(file: string): { readonly side: Side; readonly by: Touch['by'] } | undefined {
    const claim = this.deeds.claims.get(file);
    if (!claim || claim.by === this || claim.at < this.lookedAt) return undefined;
    // What is no text is kept with the session that found it.
    if (claim.side.kind === 'binary') return undefined;
    return { side: claim.side, by: claim.by === 'user' ? 'user' : 'other' };
  }

  private isNaming(file: string): boolean {
    return [...this.calls.values()].some((files) => files.has(file));
  }
}
