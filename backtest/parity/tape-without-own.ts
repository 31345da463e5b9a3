// A live session's tape without the effects of the session's own orders: the simulated venue adds these again. The
// result is wrong where an order of ours kept others away or attracted them.
import { type MarketIndex, type TickerTable, ticker } from '../../src/domain/ids.ts';
import { type RowBlock, RowKind, type RowSource } from '../../src/tape/baked/tape-rows.ts';

/** A signed change of a level by an order of ours. */
export interface OwnChange {
  /** When we learned of the change. The feed shows it slightly before or after. Microseconds. */
  readonly at: number;
  /** When the order left us: the feed cannot show the change earlier. Microseconds. */
  readonly sentAt: number;
  readonly ticker: string;
  readonly isBid: boolean;
  readonly price: number;
  readonly change: number;
  /**
   * True when an order of ours took quantity as the taker. The resulting tape still removes that quantity, `takenLater`
   * afterwards.
   */
  readonly isTaken?: true;
}

/** The session's effects on the public record. */
export interface OwnEffects {
  readonly changes: readonly OwnChange[];
  /** Ids of the trades in which the session was the taker. Without the session, their prints would not exist. */
  readonly taken: ReadonlySet<string>;
  /** Quantity taken by the session disappears after this delay: the simulated order can take it first. Microseconds. */
  readonly takenLater: number;
}

/** Maximum time between a change of ours and the feed's row of it. Microseconds. */
const TIME_APART_MAX = 5_000_000;
/** The same for a row with more than our change: both must come from one event. Microseconds. */
const SAME_EVENT_MAX = 100_000;

/** The rows of a tape without the session's own effects on levels and prints. */
export function tapeWithoutOwn(source: RowSource, marks: OwnEffects): RowSource {
  return {
    facts: source.facts,
    tickers: source.tickers,
    close: () => source.close(),
    *readBlocks(range) {
      const ours = new OwnRows(marks, source.tickers);
      for (const block of source.readBlocks(range)) yield ours.removeFrom(block);
    },
  };
}

const keyOf = (market: number, isBid: boolean, price: number): string => `${market} ${isBid ? 'b' : 'a'} ${price}`;

interface InsertedRow {
  readonly dueAt: number;
  readonly kind: RowKind;
  readonly market: number;
  readonly price: number;
  readonly qty: number;
}

/** Returns the changes up to a time. A session has many later ones, and each row asks. */
function changesUntil(sorted: readonly OwnChange[], to: number): readonly OwnChange[] {
  let count = 0;
  while ((sorted[count]?.at ?? Infinity) <= to) count += 1;
  return sorted.slice(0, count);
}

/** Tracks our part of each row as the rows pass. */
class OwnRows {
  /**
   * Changes not yet seen in the rows, sorted by time. Added at construction; removed when a row or snapshot contains
   * them, or when too old.
   */
  readonly #pending = new Map<string, OwnChange[]>();
  readonly #resting = new Map<string, number>();
  /**
   * Others' quantity at the levels that we changed, in the books of the resulting tape; none before a market's first
   * snapshot. A row that is wrongly taken for ours must not make a later decrease exceed its level: the whole book would
   * become unknown.
   */
  readonly #others = new Map<string, number>();
  readonly #keysByMarket = new Map<number, string[]>();
  readonly #taken: ReadonlySet<string>;
  readonly #takenLater: number;
  /** Quantity that we took and that will disappear, by time. A snapshot of its market no longer has it. */
  #inserts: InsertedRow[] = [];

  constructor({ changes, taken, takenLater }: OwnEffects, tickers: TickerTable) {
    this.#taken = taken;
    this.#takenLater = takenLater;
    const numbers = new Map<string, MarketIndex>();
    for (const change of [...changes].sort((a, b) => a.at - b.at)) {
      const market = numbers.get(change.ticker) ?? tickers.internTicker(ticker(change.ticker));
      numbers.set(change.ticker, market);
      const key = keyOf(market, change.isBid, change.price);
      const list = this.#pending.get(key);
      if (list) list.push(change);
      else {
        this.#pending.set(key, [change]);
        const keys = this.#keysByMarket.get(market) ?? [];
        this.#keysByMarket.set(market, [...keys, key]);
      }
    }
  }

  removeFrom(block: RowBlock): RowBlock {
    const builder = new BlockBuilder(block);
    for (let row = 0; row < block.count; row++) {
      this.#insertDue(builder, block, row);
      builder.copy(row, this.#qtyWithoutOwn(block, row));
    }
    return builder.block();
  }

  /** Never inserts a row between a snapshot and its levels. */
  #insertDue(builder: BlockBuilder, { kind, at }: RowBlock, row: number): void {
    if (kind[row] === RowKind.bidLevel || kind[row] === RowKind.askLevel) return;
    const now = at[row] ?? 0;
    for (let due = this.#inserts[0]; due !== undefined && due.dueAt <= now; due = this.#inserts[0]) {
      const { market, kind: side, price, qty } = due;
      builder.insertBefore(row, { ...due, qty: this.#withinLevel(keyOf(market, side === RowKind.bid, price), qty) });
      this.#inserts.shift();
    }
  }

  /** Returns `null` when the row would not exist without us. */
  #qtyWithoutOwn(block: RowBlock, row: number): number | null {
    const kind = block.kind[row];
    const [qty, at] = [block.qty[row] ?? 0, block.at[row] ?? 0];
    if (kind === RowKind.buy || kind === RowKind.sell)
      return this.#taken.size > 0 && this.#taken.has(block.text(row)) ? null : qty;
    if (kind === RowKind.snapshot) this.#beginSnapshot(block.market[row] ?? 0);
    const isBid = kind === RowKind.bid || kind === RowKind.bidLevel;
    const isLevel = kind === RowKind.bidLevel || kind === RowKind.askLevel;
    if (!isBid && !isLevel && kind !== RowKind.ask) return qty;
    const [market, price] = [block.market[row] ?? 0, block.price[row] ?? 0];
    const key = keyOf(market, isBid, price);
    if (isLevel) {
      const others = Math.max(0, qty - this.#restingAt(key, at));
      if (this.#others.has(key)) this.#others.set(key, others);
      return others;
    }
    const own = this.#ownPart(key, qty, at);
    if (own?.isTaken)
      this.#inserts.push({
        dueAt: at + this.#takenLater,
        kind: isBid ? RowKind.bid : RowKind.ask,
        market,
        price,
        qty: own.change,
      });
    return this.#withinLevel(key, qty - (own?.change ?? 0));
  }

  #beginSnapshot(market: number): void {
    for (const key of this.#keysByMarket.get(market) ?? []) this.#others.set(key, 0);
    this.#inserts = this.#inserts.filter((due) => due.market !== market);
  }

  /** Limits a decrease to the quantity that others have at the level. */
  #withinLevel(key: string, change: number): number {
    const others = this.#others.get(key);
    if (others === undefined) return change;
    const within = Math.max(-others, change);
    this.#others.set(key, others + within);
    return within;
  }

  /** Returns our change in a row, and removes it from the pending changes. */
  #ownPart(key: string, qty: number, at: number): OwnChange | undefined {
    const pending = this.#pending.get(key);
    if (pending === undefined) return undefined;
    this.#applyUnseen(key, pending, at - TIME_APART_MAX);
    const resting = this.#resting.get(key) ?? 0;
    const mayMatch = (own: OwnChange, apart: number): boolean =>
      own.sentAt <= at &&
      Math.abs(own.at - at) <= apart &&
      (own.change > 0 || own.isTaken === true || resting + own.change >= 0);
    const near = changesUntil(pending, at + TIME_APART_MAX);
    const exact = near.findIndex((own) => own.change === qty && mayMatch(own, TIME_APART_MAX));
    // A trade may take our quantity and other traders' quantity in one change.
    const isPart = (own: OwnChange): boolean => own.change < 0 && own.change > qty && mayMatch(own, SAME_EVENT_MAX);
    const index = exact >= 0 ? exact : near.findIndex(isPart);
    const own = pending[index];
    if (own === undefined) return undefined;
    pending.splice(index, 1);
    this.#applyChange(key, own);
    return own;
  }

  #applyChange(key: string, { change, isTaken }: OwnChange): void {
    if (!isTaken) this.#resting.set(key, (this.#resting.get(key) ?? 0) + change);
  }

  /** Counts every change that we had learned of by then. */
  #restingAt(key: string, at: number): number {
    const pending = this.#pending.get(key);
    if (pending !== undefined) this.#applyUnseen(key, pending, at);
    return Math.max(0, this.#resting.get(key) ?? 0);
  }

  /** Applies earlier changes that no row has shown: a snapshot contained them, or their rows are missing. */
  #applyUnseen(key: string, pending: OwnChange[], before: number): void {
    for (let own = pending[0]; own !== undefined && own.at < before; own = pending[0]) {
      this.#applyChange(key, own);
      pending.shift();
    }
  }
}

class BlockBuilder {
  readonly #from: RowBlock;
  readonly #kind: number[] = [];
  readonly #at: number[] = [];
  readonly #venueAt: number[] = [];
  readonly #market: number[] = [];
  readonly #price: number[] = [];
  readonly #qty: number[] = [];
  /** For each row built, the source row with its text, or -1. */
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

  /**
   * Inserts a row with the times of the row that follows. Without a time at the venue it would happen when it was
   * learned, and with it every later row, because rows happen in their sequence.
   */
  insertBefore(row: number, { kind, market, price, qty }: InsertedRow): void {
    this.#kind.push(kind);
    this.#at.push(this.#from.at[row] ?? 0);
    this.#venueAt.push(this.#from.venueAt[row] ?? 0);
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
