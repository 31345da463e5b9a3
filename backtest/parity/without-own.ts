// A live session's tape without the session: what its own orders did to the books and prints it recorded is taken out
// again, since the simulated venue adds it anew. Pure. It lies where an order of ours kept others away, or drew them: that
// cannot be taken out of a recording.
import { type MarketIndex, type TickerTable, ticker } from '../../src/domain/ids.ts';
import { type RowBlock, RowKind, type RowSource } from '../../src/tape/baked/rows.ts';

/** An order of ours began to rest, shrank, filled or was withdrawn: what it added to its level, signed. */
export interface OwnChange {
  /** When we learned of it; the feed tells of the level a little before or after. Microseconds. */
  readonly at: number;
  readonly ticker: string;
  readonly isBid: boolean;
  readonly price: number;
  readonly change: number;
  /** An order of ours took it of what others offered: it is gone all the same, a moment later. */
  readonly isTaken?: true;
}

/** What a session did to the public record. */
export interface OwnMarks {
  readonly changes: readonly OwnChange[];
  /** Ids of the trades in which it took what others offered: prints that would not have been. */
  readonly taken: ReadonlySet<string>;
  /**
   * How much later what it took is gone: long enough for the simulated order to take it itself, and no longer, because
   * whose it was does not come back, and others already trade where it stood. Microseconds.
   */
  readonly takenLater: number;
}

/** How far a change of ours and the feed's word of it may be apart. Microseconds. */
const APART_MAX = 5_000_000;
/** The same where a row tells of more than our change: it must be the very same happening. Microseconds. */
const TOGETHER_MAX = 100_000;
/** The rows of a tape with what a session did itself taken out: of levels, and of prints. */
export function withoutOwn(source: RowSource, marks: OwnMarks): RowSource {
  return {
    facts: source.facts,
    tickers: source.tickers,
    close: () => source.close(),
    *blocks(range) {
      const ours = new OwnRows(marks, source.tickers);
      for (const block of source.blocks(range)) yield ours.takeOut(block);
    },
  };
}

const keyOf = (market: number, isBid: boolean, price: number): string => `${market} ${isBid ? 'b' : 'a'} ${price}`;

/** A row that is put in. */
interface Later {
  readonly dueAt: number;
  readonly kind: RowKind;
  readonly market: number;
  readonly price: number;
  readonly qty: number;
}

/** What of each row is ours while the rows go by. */
class OwnRows {
  /** Changes not yet seen in the rows, by level, in order. */
  readonly #pending = new Map<string, OwnChange[]>();
  /** What rests of ours, by level. */
  readonly #resting = new Map<string, number>();
  readonly #taken: ReadonlySet<string>;
  readonly #takenLater: number;
  /** What we took and is to be gone, in order. */
  readonly #later: Later[] = [];

  constructor({ changes, taken, takenLater }: OwnMarks, tickers: TickerTable) {
    this.#taken = taken;
    this.#takenLater = takenLater;
    const numbers = new Map<string, MarketIndex>();
    for (const change of [...changes].sort((a, b) => a.at - b.at)) {
      const market = numbers.get(change.ticker) ?? tickers.intern(ticker(change.ticker));
      numbers.set(change.ticker, market);
      const key = keyOf(market, change.isBid, change.price);
      const list = this.#pending.get(key);
      if (list) list.push(change);
      else this.#pending.set(key, [change]);
    }
  }

  takeOut(block: RowBlock): RowBlock {
    const made = new Rows(block);
    for (let row = 0; row < block.count; row++) {
      this.#putDue(made, block, row);
      made.copy(row, this.#look(block, row));
    }
    return made.block();
  }

  /** What we took is gone now; but nothing comes between a snapshot and its levels. */
  #putDue(made: Rows, { kind, at }: RowBlock, row: number): void {
    if (kind[row] === RowKind.bidLevel || kind[row] === RowKind.askLevel) return;
    const now = at[row] ?? 0;
    for (let due = this.#later[0]; due !== undefined && due.dueAt <= now; due = this.#later[0]) {
      made.put(due, now);
      this.#later.shift();
    }
  }

  /** What is left of a row: its quantity, or `null` where nothing of it ever was. */
  #look(block: RowBlock, row: number): number | null {
    const kind = block.kind[row];
    const [qty, at] = [block.qty[row] ?? 0, block.at[row] ?? 0];
    if (kind === RowKind.buy || kind === RowKind.sell)
      return this.#taken.size > 0 && this.#taken.has(block.text(row)) ? null : qty;
    const isBid = kind === RowKind.bid || kind === RowKind.bidLevel;
    const isLevel = kind === RowKind.bidLevel || kind === RowKind.askLevel;
    if (!isBid && !isLevel && kind !== RowKind.ask) return qty;
    const [market, price] = [block.market[row] ?? 0, block.price[row] ?? 0];
    const key = keyOf(market, isBid, price);
    if (isLevel) return Math.max(0, qty - this.#restingAt(key, at));
    const own = this.#ownPart(key, qty, at);
    if (own?.isTaken)
      this.#later.push({
        dueAt: at + this.#takenLater,
        kind: isBid ? RowKind.bid : RowKind.ask,
        market,
        price,
        qty: own.change,
      });
    return qty - (own?.change ?? 0);
  }

  /** The part of a level's change that is ours, which is then used up. */
  #ownPart(key: string, qty: number, at: number): OwnChange | undefined {
    const pending = this.#pending.get(key);
    if (pending === undefined) return undefined;
    this.#settle(key, pending, at - APART_MAX);
    const resting = this.#resting.get(key) ?? 0;
    const mayBe = (own: OwnChange, apart: number): boolean =>
      Math.abs(own.at - at) <= apart && (own.change > 0 || own.isTaken === true || resting + own.change >= 0);
    const exact = pending.findIndex((own) => own.change === qty && mayBe(own, APART_MAX));
    // One trade may take ours and others' of a level, and be told as one change.
    const isPart = (own: OwnChange): boolean => own.change < 0 && own.change > qty && mayBe(own, TOGETHER_MAX);
    const place = exact >= 0 ? exact : pending.findIndex(isPart);
    const own = pending[place];
    if (own === undefined) return undefined;
    pending.splice(place, 1);
    this.#rest(key, own);
    return own;
  }

  #rest(key: string, { change, isTaken }: OwnChange): void {
    if (!isTaken) this.#resting.set(key, (this.#resting.get(key) ?? 0) + change);
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
      this.#rest(key, own);
      pending.shift();
    }
  }
}

/** A block being made of another. */
class Rows {
  readonly #from: RowBlock;
  readonly #kind: number[] = [];
  readonly #at: number[] = [];
  readonly #venueAt: number[] = [];
  readonly #market: number[] = [];
  readonly #price: number[] = [];
  readonly #qty: number[] = [];
  /** Where each row's text stands in the other block; -1 where it has none. */
  readonly #textOf: number[] = [];

  constructor(from: RowBlock) {
    this.#from = from;
  }

  copy(row: number, qty: number | null): void {
    if (qty === null) return;
    const { kind, at, venueAt, market, price } = this.#from;
    this.#kind.push(kind[row] ?? 0);
    this.#at.push(at[row] ?? 0);
    this.#venueAt.push(venueAt[row] ?? 0);
    this.#market.push(market[row] ?? 0);
    this.#price.push(price[row] ?? 0);
    this.#qty.push(qty);
    this.#textOf.push(row);
  }

  put({ kind, market, price, qty }: Later, at: number): void {
    this.#kind.push(kind);
    this.#at.push(at);
    this.#venueAt.push(0);
    this.#market.push(market);
    this.#price.push(price);
    this.#qty.push(qty);
    this.#textOf.push(-1);
  }

  block(): RowBlock {
    const textOf = this.#textOf;
    return {
      count: this.#kind.length,
      kind: Uint8Array.from(this.#kind),
      at: Float64Array.from(this.#at),
      venueAt: Float64Array.from(this.#venueAt),
      market: Int32Array.from(this.#market),
      price: Int32Array.from(this.#price),
      qty: Float64Array.from(this.#qty),
      text: (row) => {
        const at = textOf[row] ?? -1;
        return at < 0 ? '' : this.#from.text(at);
      },
    };
  }
}
