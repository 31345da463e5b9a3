// A live session's tape without the session: what its own orders did to the books it recorded is taken out again, since
// the simulated venue adds them anew. Pure. It lies where an order of ours kept others away, or drew them: that cannot be
// taken out of a recording.
import { type MarketIndex, type TickerTable, ticker } from '../../src/domain/ids.ts';
import { type RowBlock, RowKind, type RowSource } from '../../src/tape/baked/rows.ts';

/** An order of ours began to rest, shrank, filled or was withdrawn: what it added to its level, signed. */
export interface OwnChange {
  /** When we learned of it; the feed tells of the level a little before or after. */
  readonly at: number;
  readonly ticker: string;
  readonly isBid: boolean;
  readonly price: number;
  readonly change: number;
}

/** How far a change of ours and the feed's word of it may be apart. Microseconds. */
const APART_MAX = 5_000_000;

/** What a session did to the public record. */
export interface OwnMarks {
  readonly changes: readonly OwnChange[];
  /** Ids of the trades in which it took what others offered: prints that would not have been. */
  readonly taken: ReadonlySet<string>;
}

/** The rows of a tape with what a session did itself taken out: of levels, and of prints. */
export function withoutOwn(source: RowSource, { changes, taken }: OwnMarks): RowSource {
  return {
    facts: source.facts,
    tickers: source.tickers,
    close: () => source.close(),
    *blocks(range) {
      const ours = new OwnRows({ changes, taken }, source.tickers);
      for (const block of source.blocks(range)) yield ours.takeOut(block);
    },
  };
}

const keyOf = (market: number, isBid: boolean, price: number): string => `${market} ${isBid ? 'b' : 'a'} ${price}`;

/** What of each row is ours while the rows go by. */
class OwnRows {
  /** Changes not yet seen in the rows, by level, in order. */
  readonly #pending = new Map<string, OwnChange[]>();
  /** What rests of ours, by level. */
  readonly #resting = new Map<string, number>();
  #kind: Uint8Array = new Uint8Array(0);
  #qty: Float64Array = new Float64Array(0);

  readonly #taken: ReadonlySet<string>;

  constructor({ changes, taken }: OwnMarks, tickers: TickerTable) {
    this.#taken = taken;
    const numbers = new Map<string, MarketIndex>();
    for (const change of [...changes].sort((a, b) => a.at - b.at)) {
      const known = numbers.get(change.ticker);
      const market = known ?? tickers.intern(ticker(change.ticker));
      numbers.set(change.ticker, market);
      const key = keyOf(market, change.isBid, change.price);
      const list = this.#pending.get(key);
      if (list) list.push(change);
      else this.#pending.set(key, [change]);
    }
  }

  takeOut(block: RowBlock): RowBlock {
    this.#kind = block.kind.slice(0, block.count);
    this.#qty = Float64Array.from(block.qty.subarray(0, block.count));
    for (let row = 0; row < block.count; row++) this.#look(block, row);
    const { count, at, venueAt, market, price } = block;
    return { count, kind: this.#kind, at, venueAt, market, price, qty: this.#qty, text: (row) => block.text(row) };
  }

  #look(block: RowBlock, row: number): void {
    const kind = this.#kind[row];
    if (kind === RowKind.buy || kind === RowKind.sell) return this.#lookAtPrint(block, row);
    const isBid = kind === RowKind.bid || kind === RowKind.bidLevel;
    const isLevel = kind === RowKind.bidLevel || kind === RowKind.askLevel;
    if (!isBid && !isLevel && kind !== RowKind.ask) return;
    const key = keyOf(block.market[row] ?? 0, isBid, block.price[row] ?? 0);
    const qty = this.#qty[row] ?? 0;
    if (isLevel) this.#qty[row] = Math.max(0, qty - this.#restingAt(key, block.at[row] ?? 0));
    else this.#qty[row] = qty - this.#ownPart(key, qty, block.at[row] ?? 0);
  }

  /** A print of our own taking becomes a change of nothing. */
  #lookAtPrint(block: RowBlock, row: number): void {
    if (this.#taken.size === 0 || !this.#taken.has(block.text(row))) return;
    this.#kind[row] = RowKind.bid;
    this.#qty[row] = 0;
  }

  /** How much of a change of a level is ours; that is then used up. */
  #ownPart(key: string, qty: number, at: number): number {
    const pending = this.#pending.get(key);
    if (pending === undefined) return 0;
    this.#settle(key, pending, at - APART_MAX);
    const isNear = (own: OwnChange): boolean => Math.abs(own.at - at) <= APART_MAX;
    const exact = pending.findIndex((own) => own.change === qty && isNear(own));
    // One trade may take ours and others' of a level, and be told as one change.
    const place = exact >= 0 ? exact : pending.findIndex((own) => own.change < 0 && own.change > qty && isNear(own));
    const own = pending[place];
    if (own === undefined) return 0;
    pending.splice(place, 1);
    this.#resting.set(key, (this.#resting.get(key) ?? 0) + own.change);
    return own.change;
  }

  /** What of a level is ours when a snapshot tells it: all that we had learned by then. */
  #restingAt(key: string, at: number): number {
    const pending = this.#pending.get(key);
    if (pending !== undefined) this.#settle(key, pending, at);
    return Math.max(0, this.#resting.get(key) ?? 0);
  }

  /** Changes that no row tells any more: snapshots held them. */
  #settle(key: string, pending: OwnChange[], before: number): void {
    for (let own = pending[0]; own !== undefined && own.at < before; own = pending[0]) {
      this.#resting.set(key, (this.#resting.get(key) ?? 0) + own.change);
      pending.shift();
    }
  }
}
