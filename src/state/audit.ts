// Compares streamed books with books read over REST. A read carries no sequence number: the venue's book equalled it at
// some moment while it was under way, and the stream, which may be late, passes through that same book then or later.
// So a read is refuted only when the streamed book never equals it from the asking until long enough after the answer.
import type { BookPoll, BookSide, Levels } from '../domain/event.ts';
import type { MarketIndex } from '../domain/ids.ts';
import type { Micros, Price, Qty } from '../domain/units.ts';
import type { Books } from './books.ts';

/** What an audit found. `inconclusive`: the book was replaced meanwhile, is not live, or moved too much. */
export type AuditResult = 'equal' | 'different' | 'inconclusive';

/** How late the stream may be without an audit taking it for wrong. Microseconds. */
export const STREAM_LATE_MAX = 5_000_000;
/** An answer that has not come for so long will not be waited for any longer. Microseconds. */
const ANSWER_LATE_MAX = 60_000_000;
/** Changes of one book that are remembered while a read of it is under way. */
const CHANGES_MAX = 50_000;

interface Change {
  readonly side: BookSide;
  readonly price: Price;
  readonly change: Qty;
}

/** The audit of one book. */
interface Audit {
  readonly since: Micros;
  readonly epoch: number;
  /** What the stream changed since the read was asked for, oldest first. */
  readonly changes: Change[];
  /** The read's book less the streamed one, level by level, where they differ; `null` until the answer is there. */
  differences: Map<number, number> | null;
  /** When the streamed book had every chance to have equalled the read. */
  deadline: Micros;
}

/** The audits that are under way, one a market at the most. */
export class Audits {
  readonly #books: Books;
  readonly #toldAt: (market: MarketIndex) => Micros;
  readonly #byMarket = new Map<MarketIndex, Audit>();
  /** How many those are: every change of a book asks whether any is. */
  #count = 0;

  /** `toldAt`: when the stream last told of a market's book. */
  constructor(books: Books, toldAt: (market: MarketIndex) => Micros) {
    this.#books = books;
    this.#toldAt = toldAt;
  }

  /** How many are under way. */
  get count(): number {
    return this.#count;
  }

  /** Whether one is under way of a market: nothing of it need be noted otherwise. */
  isUnderWay(market: MarketIndex): boolean {
    return this.#count > 0 && this.#byMarket.has(market);
  }

  #put(market: MarketIndex, audit: Audit): void {
    this.#byMarket.set(market, audit);
    this.#count = this.#byMarket.size;
  }

  /** A read of a book is asked for: what changes from now on may be what it shows. */
  begin(market: MarketIndex, now: Micros): void {
    const deadline = (now + ANSWER_LATE_MAX) as Micros;
    const epoch = this.#books.epoch(market);
    this.#put(market, { since: now, epoch, changes: [], differences: null, deadline });
  }

  /** The stream changed a book. Tells when it has just become equal to what was read. */
  changed(market: MarketIndex, side: BookSide, { price, change }: Pick<Change, 'price' | 'change'>): boolean {
    const audit = this.#byMarket.get(market);
    if (audit === undefined) return false;
    if (audit.differences === null) {
      if (audit.changes.length === CHANGES_MAX) this.drop(market);
      else audit.changes.push({ side, price, change });
      return false;
    }
    note(audit.differences, { side, price, change: -change });
    if (audit.differences.size > 0) return false;
    this.drop(market);
    return true;
  }

  /** A read came. Nothing is returned while the stream may still be on its way to the book that it shows. */
  answered(poll: BookPoll): AuditResult | null {
    const { market } = poll;
    const audit = this.#byMarket.get(market) ?? this.#unannounced(poll);
    if (audit === null || !this.#books.isLive(market) || this.#books.epoch(market) !== audit.epoch)
      return this.#end(market, 'inconclusive');
    const differences = this.#compare(poll);
    if (differences.size === 0 || wasEqual(differences, audit.changes)) return this.#end(market, 'equal');
    audit.differences = differences;
    audit.changes.length = 0;
    audit.deadline = (poll.at + STREAM_LATE_MAX) as Micros;
    this.#put(market, audit);
    return null;
  }

  /** A read that nobody announced proves something only of a book that did not change since it was asked for. */
  #unannounced({ market, askedAt, at }: BookPoll): Audit | null {
    if (this.#toldAt(market) >= askedAt) return null;
    return { since: askedAt, epoch: this.#books.epoch(market), changes: [], differences: null, deadline: at };
  }

  #end(market: MarketIndex, result: AuditResult): AuditResult {
    this.drop(market);
    return result;
  }

  /** The audits whose time is up: each read was never equalled, unless its book is another one by now. */
  due(now: Micros): { readonly market: MarketIndex; readonly result: AuditResult }[] {
    const ended: { readonly market: MarketIndex; readonly result: AuditResult }[] = [];
    for (const [market, { deadline, differences, epoch }] of this.#byMarket) {
      if (now < deadline) continue;
      const isSame = differences !== null && this.#books.isLive(market) && this.#books.epoch(market) === epoch;
      ended.push({ market, result: this.#end(market, isSame ? 'different' : 'inconclusive') });
    }
    return ended;
  }

  /** When the next audit's time is up; `null` when none waits. */
  dueAt(): Micros | null {
    let earliest: Micros | null = null;
    for (const { deadline } of this.#byMarket.values())
      if (earliest === null || deadline < earliest) earliest = deadline;
    return earliest;
  }

  /** A book was replaced, distrusted or closed: what was being found out of it no longer matters. */
  drop(market: MarketIndex): void {
    if (this.#byMarket.delete(market)) this.#count = this.#byMarket.size;
  }

  #compare({ market, bids, asks }: BookPoll): Map<number, number> {
    const differences = new Map<number, number>();
    const add = (side: BookSide, levels: Levels, sign: 1 | -1): void => {
      for (const [price, qty] of levels) note(differences, { side, price, change: sign * qty });
    };
    add('bid', bids, 1);
    add('ask', asks, 1);
    add('bid', this.#books.levels(market, 'bid'), -1);
    add('ask', this.#books.levels(market, 'ask'), -1);
    return differences;
  }
}

/** Going back through the changes, newest first, until the book was what the read shows; `false` when it never was. */
function wasEqual(differences: ReadonlyMap<number, number>, changes: readonly Change[]): boolean {
  const back = new Map(differences);
  for (let i = changes.length - 1; i >= 0; i--) {
    const change = changes[i];
    if (change) note(back, change);
    if (back.size === 0) return true;
  }
  return false;
}

const SIDE_KEY = 16_384;

/** Adds to one level's difference; levels without one are not kept. */
function note(
  differences: Map<number, number>,
  { side, price, change }: { readonly side: BookSide; readonly price: Price; readonly change: number },
): void {
  const key = (side === 'bid' ? 0 : SIDE_KEY) + price;
  const difference = (differences.get(key) ?? 0) + change;
  if (difference === 0) differences.delete(key);
  else differences.set(key, difference);
}
