// One moment of a strategy in a market, seen through the facts. Must never say more than the facts do.
import type { Fact, FactData, FactKind, FactSubject, SessionFacts } from './why-facts.ts';
import type { FactStore } from './fact-store.ts';
import type { WhyEvidence } from './why-answer.ts';

/** A question about one strategy in one market. Times are microseconds. */
export interface MomentOptions {
  readonly store: FactStore;
  readonly session: SessionFacts;
  readonly strategy: string;
  readonly ticker: string;
  readonly atUs: number;
  /** Length of the asked time: a second, or the minute of a strip. */
  readonly windowUs: number;
}

/** The result of one check. */
export interface Verdict {
  readonly result: 'pass' | 'fail' | 'traded';
  /** A clause: the cause of a failed check, or what a passed check found. */
  readonly text: string;
  readonly figures?: Readonly<Record<string, string>>;
  readonly sinceUs?: number | null;
  /** How many times in a row the check found the same. Default: once. */
  readonly times?: number;
  readonly untilUs?: number | null;
  /** The different finding that followed. */
  readonly next?: string | null;
  readonly evidence?: readonly WhyEvidence[];
}

export class WhyMoment {
  readonly store: FactStore;
  readonly session: SessionFacts;
  readonly strategy: string;
  readonly ticker: string;
  readonly atUs: number;
  readonly endUs: number;
  #attempt: Fact<'attempt'> | null | undefined;

  constructor({ store, session, strategy, ticker, atUs, windowUs }: MomentOptions) {
    this.store = store;
    this.session = session;
    this.strategy = strategy;
    this.ticker = ticker;
    this.atUs = atUs;
    this.endUs = atUs + windowUs - 1;
  }

  /** The state is judged at this time: when the order was sent, or else at the end of the asked time. */
  get judgedUs(): number {
    const { attempt } = this;
    return attempt?.data.outcome === 'sent' && attempt.atUs >= this.atUs ? attempt.atUs : this.endUs;
  }

  get pair(): FactSubject & { readonly strategy: string; readonly ticker: string } {
    return { strategy: this.strategy, ticker: this.ticker };
  }

  /**
   * The answer with an order sent in the asked time, or else the last answer. `null` when the strategy never answered.
   */
  get attempt(): Fact<'attempt'> | null {
    if (this.#attempt === undefined) this.#attempt = this.#findAttempt();
    return this.#attempt;
  }

  #findAttempt(): Fact<'attempt'> | null {
    const { store, pair, endUs, atUs } = this;
    const inTime = [...store.factsBackwards('attempt', pair, { fromUs: atUs, toUs: endUs })];
    const sent = inTime.filter(({ data }) => data.outcome === 'sent');
    return sent.find((fact) => this.#hasLeft(fact)) ?? sent[0] ?? store.latestFact('attempt', pair, endUs);
  }

  /** True when an order of the answer left within the asked time and was not refused by the venue. */
  #hasLeft({ data: { orders } }: Fact<'attempt'>): boolean {
    return orders.some((id) => {
      const last = this.store.orderFacts('order', id, this.endUs).at(-1)?.data.to;
      return last !== undefined && !NOT_LEFT.has(last);
    });
  }

  /** The latest fact of a subject at `judgedUs`. */
  latest<Kind extends FactKind>(kind: Kind, subject: FactSubject = {}): Fact<Kind> | null {
    return this.store.latestFact(kind, subject, this.judgedUs);
  }

  /** The first later fact of a subject for which a condition holds. */
  nextWhere<Kind extends FactKind>(
    kind: Kind,
    subject: FactSubject,
    holds: (data: FactData<Kind>) => boolean,
  ): Fact<Kind> | null {
    let count = 0;
    for (const fact of this.store.factsForwards(kind, subject, this.judgedUs)) {
      if (holds(fact.data)) return fact;
      count += 1;
      if (count >= LOOKED_AT_MAX) break;
    }
    return null;
  }

  /** The first of the latest facts of a subject for which a condition holds without a break; `null` when it does not. */
  firstWhere<Kind extends FactKind>(
    kind: Kind,
    subject: FactSubject,
    holds: (data: FactData<Kind>) => boolean,
  ): Fact<Kind> | null {
    let first: Fact<Kind> | null = null;
    let count = 0;
    for (const fact of this.store.factsBackwards(kind, subject, { toUs: this.judgedUs })) {
      if (!holds(fact.data) || count >= LOOKED_AT_MAX) break;
      first = fact;
      count += 1;
    }
    return first;
  }

  /** Time of day to the millisecond. On another day than the question's, the date comes first. */
  clock(atUs: number): string {
    const text = isoText(atUs);
    return text.slice(0, 10) === isoText(this.atUs).slice(0, 10) ? text.slice(11) : text;
  }
}

const NOT_LEFT: ReadonlySet<string> = new Set(['queued', 'not-sent', 'rejected']);

/** A search for what came next ends after this many facts. */
const LOOKED_AT_MAX = 500;

/** A time as `2026-11-21T07:45:00.123Z`. */
export const isoText = (atUs: number): string => new Date(Math.floor(atUs / 1000)).toISOString();

/** A journal entry as evidence. */
export const evidenceOf = (fact: { readonly seq: number }, text: string): WhyEvidence => ({ seq: fact.seq, text });
