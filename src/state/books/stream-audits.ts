// Compares streamed books with books read over REST. The venue's book equaled the read book at some moment between
// request and answer. The streamed book passes through the same state, perhaps later. Must never call a streamed book
// different before the stream has had time to catch up.
import { assert } from '../../base/assert.ts';
import type { BookPoll, BookSide, Levels } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Micros, Price, Qty } from '../../domain/units.ts';
import type { OrderBooks } from './order-books.ts';

/**
 * Result of an audit. `inconclusive`: the book was replaced or is not live, no answer arrived, or the read proves
 * nothing.
 */
export type AuditResult = 'equal' | 'different' | 'inconclusive';

/** Lateness of the stream that an audit tolerates. Microseconds. */
export const STREAM_LATE_MAX = 5_000_000;
/** Time after which a missing answer is no longer awaited. Microseconds. */
const ANSWER_LATE_MAX = 60_000_000;
/** Bound on the recorded changes of one book while an answer is awaited. */
const CHANGES_MAX = 50_000;

interface Change {
  readonly side: BookSide;
  readonly price: Price;
  readonly change: Qty;
}

interface Audit {
  readonly since: Micros;
  readonly epoch: number;
  readonly changes: Change[];
  /** Read quantity less streamed quantity of each level where they differ; `null` until the answer arrives. */
  differences: Map<number, number> | null;
  /**
   * Time at which the audit ends. At first, the answer must arrive by then. After the answer, the streamed book must
   * have equaled the read by then.
   */
  deadline: Micros;
}

/** The audits under way, at most one per market. */
export class StreamAudits {
  readonly #books: OrderBooks;
  readonly #streamedAt: (market: MarketIndex) => Micros;
  /** Added when a read is requested, or arrives without an announcement; removed when the audit ends or is dropped. */
  readonly #byMarket = new Map<MarketIndex, Audit>();
  /** Number of audits, in a field of its own because every level change reads it. */
  #count = 0;

  /** @param streamedAt the time of the stream's last message about a market's book. */
  constructor(books: OrderBooks, streamedAt: (market: MarketIndex) => Micros) {
    this.#books = books;
    this.#streamedAt = streamedAt;
  }

  get count(): number {
    return this.#count;
  }

  isUnderWay(market: MarketIndex): boolean {
    return this.#count > 0 && this.#byMarket.has(market);
  }

  #setAudit(market: MarketIndex, audit: Audit): void {
    this.#byMarket.set(market, audit);
    this.#count = this.#byMarket.size;
  }

  /** Starts an audit when a read is requested. Changes are recorded from now on, because the read may contain them. */
  startAudit(market: MarketIndex, now: Micros): void {
    const deadline = (now + ANSWER_LATE_MAX) as Micros;
    const epoch = this.#books.epoch(market);
    this.#setAudit(market, { since: now, epoch, changes: [], differences: null, deadline });
  }

  /** Records a streamed change. Returns true when the change made the streamed book equal to the read. */
  applyChange(market: MarketIndex, side: BookSide, { price, change }: Pick<Change, 'price' | 'change'>): boolean {
    const audit = this.#byMarket.get(market);
    if (audit === undefined) return false;
    if (audit.differences === null) {
      if (audit.changes.length === CHANGES_MAX) this.dropAudit(market);
      else audit.changes.push({ side, price, change });
      return false;
    }
    assert(audit.differences.size > 0, 'an audit must end once its two books are equal');
    addDifference(audit.differences, { side, price, change: -change });
    if (audit.differences.size > 0) return false;
    this.dropAudit(market);
    return true;
  }

  /** Compares a read with the streamed book. `null` while the stream may still catch up with the read. */
  compareRead(poll: BookPoll): AuditResult | null {
    const { market } = poll;
    const audit = this.#byMarket.get(market) ?? this.#auditOfUnannounced(poll);
    if (audit === null || !this.#books.isLive(market) || this.#books.epoch(market) !== audit.epoch)
      return this.#finish(market, 'inconclusive');
    const differences = this.#compare(poll);
    if (differences.size === 0 || wasEqual(differences, audit.changes)) return this.#finish(market, 'equal');
    audit.differences = differences;
    audit.changes.length = 0;
    audit.deadline = (poll.at + STREAM_LATE_MAX) as Micros;
    this.#setAudit(market, audit);
    return null;
  }

  /**
   * An audit for a read without an announcement. It proves something only if the book has not changed since the
   * request.
   */
  #auditOfUnannounced({ market, askedAt, at }: BookPoll): Audit | null {
    if (this.#streamedAt(market) >= askedAt) return null;
    return { since: askedAt, epoch: this.#books.epoch(market), changes: [], differences: null, deadline: at };
  }

  #finish(market: MarketIndex, result: AuditResult): AuditResult {
    this.dropAudit(market);
    return result;
  }

  /** Ends the audits whose time is up. The result is `different` when the streamed book never equaled the read. */
  endDueAudits(now: Micros): { readonly market: MarketIndex; readonly result: AuditResult }[] {
    const ended: { readonly market: MarketIndex; readonly result: AuditResult }[] = [];
    for (const [market, { deadline, differences, epoch }] of this.#byMarket) {
      if (now < deadline) continue;
      const isSame = differences !== null && this.#books.isLive(market) && this.#books.epoch(market) === epoch;
      ended.push({ market, result: this.#finish(market, isSame ? 'different' : 'inconclusive') });
    }
    return ended;
  }

  dropAudit(market: MarketIndex): void {
    if (this.#byMarket.delete(market)) this.#count = this.#byMarket.size;
  }

  #compare({ market, bids, asks }: BookPoll): Map<number, number> {
    const differences = new Map<number, number>();
    const add = (side: BookSide, levels: Levels, sign: 1 | -1): void => {
      for (const [price, qty] of levels) addDifference(differences, { side, price, change: sign * qty });
    };
    add('bid', bids, 1);
    add('ask', asks, 1);
    add('bid', this.#books.levels(market, 'bid'), -1);
    add('ask', this.#books.levels(market, 'ask'), -1);
    return differences;
  }
}

/** Undoes the changes, newest first, until the streamed book equals the read. `false` when it never does. */
function wasEqual(differences: ReadonlyMap<number, number>, changes: readonly Change[]): boolean {
  const differencesThen = new Map(differences);
  for (let i = changes.length - 1; i >= 0; i--) {
    const change = changes[i];
    if (change) addDifference(differencesThen, change);
    if (differencesThen.size === 0) return true;
  }
  return false;
}

const SIDE_KEY = 16_384;

function addDifference(
  differences: Map<number, number>,
  { side, price, change }: { readonly side: BookSide; readonly price: Price; readonly change: number },
): void {
  const key = (side === 'bid' ? 0 : SIDE_KEY) + price;
  const difference = (differences.get(key) ?? 0) + change;
  if (difference === 0) differences.delete(key);
  else differences.set(key, difference);
}
