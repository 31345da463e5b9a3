// Tracks the gaps of a tape: times when the feed was down, and times between two sessions. For a single book, a gap
// lasts from a lost message to the next snapshot. When a gap begins, a row makes the books suspect. Must never miss
// that row: a replay trusts its books until then.
import { must } from '../../base/assert.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { RowWriter } from './baked-writer.ts';

/**
 * The suspect books of one gap. A gap of all books ends at the first snapshot, and the books without one are a gap of their
 * own. A gap of some books is complete when each of them has had a snapshot: a market that has closed never has one again.
 */
interface SuspectBooks {
  readonly from: Micros;
  readonly reason: string;
  /** Empty for all books. */
  readonly markets: readonly MarketIndex[];
  readonly waiting: Set<MarketIndex>;
  /** Time of the first snapshot of each book of a gap of some books, in the sequence of time. */
  readonly recovered: Map<MarketIndex, Micros>;
}

/** Books that recover within this time are listed as one gap. Microseconds. */
const TOGETHER = 1_000_000;

/** Tracks the gaps of a tape. */
export class GapTracker {
  readonly #rows: RowWriter;
  /** Markets whose book is known. Added at a snapshot; removed at a gap. */
  readonly #known = new Set<MarketIndex>();
  #suspects: SuspectBooks[] = [];
  #openGap: { readonly from: Micros; readonly reason: string } | null = null;

  constructor(rows: RowWriter) {
    this.#rows = rows;
  }

  beginGap(at: Micros, reason: string): void {
    if (this.#openGap !== null) return;
    this.#rows.writeOther({ kind: 'feed-gap', at, markets: [], reason });
    this.#endSuspects(at);
    this.#known.clear();
    this.#openGap = { from: at, reason };
  }

  endGap(at: Micros): void {
    if (this.#openGap !== null)
      this.#rows.listGap({ ...this.#openGap, to: laterOf(at, this.#openGap.from), tickers: [] });
    this.#openGap = null;
  }

  /** Marks some books as suspect. An empty list means all books. */
  addSuspectBooks(at: Micros, markets: readonly MarketIndex[], reason: string): void {
    this.#rows.writeOther({ kind: 'feed-gap', at, markets, reason });
    if (this.#openGap !== null) return;
    const affected = markets.length === 0 ? [...this.#known] : markets;
    for (const market of affected) this.#known.delete(market);
    this.#suspects.push({ from: at, reason, markets, waiting: new Set(affected), recovered: new Map() });
  }

  onSnapshot(market: MarketIndex, at: Micros): void {
    this.#known.add(market);
    if (this.#suspects.length === 0) return;
    for (const { waiting, recovered } of this.#suspects) if (waiting.delete(market)) recovered.set(market, at);
    const ended = this.#suspects.filter((suspect) => isOfAll(suspect) || suspect.waiting.size === 0);
    this.#suspects = this.#suspects
      .map((suspect) => withoutRecovered(suspect, at))
      .filter(({ waiting }) => waiting.size > 0);
    for (const suspect of ended) this.#listGap(suspect, at);
  }

  /** Ends all open gaps at the end of the tape. */
  endGaps(at: Micros): void {
    this.#endSuspects(at);
    this.endGap(at);
  }

  #endSuspects(at: Micros): void {
    for (const suspect of this.#suspects) this.#listGap(suspect, at);
    this.#suspects = [];
  }

  /** Lists a gap until a time, and the books that recovered earlier until then. */
  #listGap(suspect: SuspectBooks, at: Micros): void {
    if (isOfAll(suspect)) return this.#list(suspect, [], at);
    const recovered = [...suspect.recovered];
    while (recovered.length > 0) {
      const [, first] = must(recovered[0], 'a book that recovered');
      const later = recovered.findIndex(([, time]) => time > first + TOGETHER);
      const part = recovered.splice(0, later < 0 ? recovered.length : later);
      const to = part.reduce((latest, [, time]) => laterOf(latest, time), first);
      const books = new Set(part.map(([market]) => market));
      this.#list(
        suspect,
        suspect.markets.filter((market) => books.has(market)),
        to,
      );
    }
    if (suspect.waiting.size > 0) this.#list(suspect, [...suspect.waiting], at);
  }

  #list({ from, reason }: SuspectBooks, markets: readonly MarketIndex[], to: Micros): void {
    const tickers = markets.map((market) => this.#rows.tickers.tickerOf(market));
    this.#rows.listGap({ from, to: laterOf(to, from), reason, tickers });
  }
}

const isOfAll = ({ markets }: SuspectBooks): boolean => markets.length === 0;

/** The gap that is left after a snapshot at a time. */
const withoutRecovered = (suspect: SuspectBooks, at: Micros): SuspectBooks =>
  isOfAll(suspect)
    ? { ...suspect, from: laterOf(at, suspect.from), markets: [...suspect.waiting], recovered: new Map() }
    : suspect;

const laterOf = (a: Micros, b: Micros): Micros => (a > b ? a : b);
