// Small random markets: other traders who arrive, trade and cancel at five prices, and orders of ours among them. The
// true events go to the reference; a tape of them, in one of the orders in which feeds record them, goes to the fill
// simulator.
import * as fc from 'fast-check';
import { type Side, opposite } from '../../../../src/domain/orders/order.ts';
import { CENT_GRID } from '../../../../src/domain/price-grid.ts';
import type { Micros, Price, Qty } from '../../../../src/domain/units.ts';
import { RowKind } from '../../../../src/tape/baked/tape-rows.ts';
import { TapeFillSimulator } from '../../../../src/venues/simulated/matching/fill-simulator.ts';
import type {
  Execution,
  FillSimulatorOptions,
  PlacementOutcome,
} from '../../../../src/venues/simulated/simulator-interfaces.ts';
import { pessimistic } from '../../../../src/venues/simulated/models/queue-models.ts';
import type { ReferenceFills, ReferenceOrder } from './reference-fills.ts';
import { SecondBook, MARKET, PRICES, OtherTraders, type TapeRow } from './script-tape.ts';

/** The order in which a feed records a trade at each level, and the taker's remainder. */
export type RowOrder = 'delta, print' | 'print, delta' | 'deltas, prints' | 'prints, deltas' | 'deltas, rest, prints';

export type Act =
  | {
      readonly type: 'arrive';
      readonly side: Side;
      readonly price: Price;
      readonly qty: number;
      readonly rowOrder: RowOrder;
    }
  | { readonly type: 'reduce-by-cancel'; readonly isBid: boolean; readonly price: Price; readonly qty: number }
  | {
      readonly type: 'place';
      readonly side: Side;
      readonly price: Price;
      readonly qty: number;
      readonly style: ReferenceOrder['style'];
    }
  | { readonly type: 'cancel'; readonly order: number }
  | { readonly type: 'decrease'; readonly order: number; readonly qty: number }
  | { readonly type: 'amend'; readonly order: number; readonly price: Price; readonly qty: number }
  | { readonly type: 'share'; readonly behind: number }
  | { readonly type: 'lose' }
  | { readonly type: 'snapshot' };

const side = fc.constantFrom<Side>('buy', 'sell');
const price = fc.constantFrom(...PRICES);
const qty = fc.integer({ min: 1, max: 9 });
const order = fc.nat({ max: 12 });

/** As many events as are drawn. */
export const MANY = { maxLength: 80, size: 'max' } as const;

const TRUE_ROW_ORDERS: readonly RowOrder[] = ['delta, print', 'print, delta', 'deltas, prints', 'prints, deltas'];
export const ALL_ROW_ORDERS: readonly RowOrder[] = [...TRUE_ROW_ORDERS, 'deltas, rest, prints'];

/** Events of other traders. */
export const others = (rowOrders: readonly RowOrder[] = TRUE_ROW_ORDERS): fc.Arbitrary<Act> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('arrive' as const),
        side,
        price,
        qty,
        rowOrder: fc.constantFrom(...rowOrders),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constant('reduce-by-cancel' as const), isBid: fc.boolean(), price, qty }),
    },
  );

const style = fc.constantFrom<ReferenceOrder['style']>('post-only', 'gtc', 'ioc', 'fok');
const ours: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('place' as const), side, price, qty, style }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('cancel' as const), order }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('decrease' as const), order, qty }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('amend' as const), order, price, qty }) },
);
/** A few bids of ours that only rest. */
export const bids: fc.Arbitrary<Act[]> = fc.array(
  fc.record({
    type: fc.constant('place' as const),
    side: fc.constant<Side>('buy'),
    price,
    qty,
    style: fc.constant('post-only' as const),
  }),
  { minLength: 1, maxLength: 4 },
);
/** Shares the book with an owner who has seen all but the latest changes. */
const sharings: fc.Arbitrary<Act> = fc.record({ type: fc.constant('share' as const), behind: fc.nat({ max: 6 }) });
const losses: fc.Arbitrary<Act> = fc.constantFrom<Act>({ type: 'lose' }, { type: 'snapshot' });

export const script = (rowOrders: readonly RowOrder[] = TRUE_ROW_ORDERS): fc.Arbitrary<Act[]> =>
  fc.array(
    fc.oneof(
      { weight: 6, arbitrary: others(rowOrders) },
      { weight: 4, arbitrary: ours },
      { weight: 1, arbitrary: losses },
      { weight: 3, arbitrary: sharings },
    ),
    MANY,
  );

/** A trade at one level, and an order of ours that arrives between its rows. */
export interface Interrupted {
  readonly isBid: boolean;
  readonly price: Price;
  readonly traded: number;
  readonly rowOrder: 'delta, print' | 'print, delta';
  readonly qty: number;
}
export const interrupted: fc.Arbitrary<Interrupted> = fc.record({
  isBid: fc.boolean(),
  price,
  traded: qty,
  rowOrder: fc.constantFrom('delta, print' as const, 'print, delta' as const),
  qty,
});

/** One run of a script over a fill simulator, and over a reference where there is one. */
export class Run {
  readonly matching: TapeFillSimulator;
  readonly executions: Execution[] = [];
  readonly placed: {
    id: string;
    side: Side;
    price: Price;
    qty: number;
    style: ReferenceOrder['style'];
    placed: PlacementOutcome;
  }[] = [];
  /** Called after each row. */
  onRow: (row: TapeRow) => void = () => undefined;
  readonly others = new OtherTraders();
  readonly #secondBook = new SecondBook(() => this.matching);
  /** Number of times the book was shared while orders of ours rested in it. */
  sharedCount = 0;
  readonly #reference: ReferenceFills | null;
  /** Time between two events; beyond the window, no print is matched with the wrong decrease. */
  readonly #pause: number;
  #now = 0;

  constructor(
    reference: ReferenceFills | null,
    options: Partial<FillSimulatorOptions> & { readonly pause?: number } = {},
  ) {
    this.#reference = reference;
    this.#pause = options.pause ?? 2_000_000;
    this.matching = new TapeFillSimulator({
      queue: pessimistic,
      selfTrade: 'cancel-incoming',
      now: () => this.#now as Micros,
      positionOf: () => 0,
      onExecution: (execution) => this.executions.push(execution),
      ...options,
    });
    this.matching.openMarket(MARKET, CENT_GRID);
    this.matching.applySnapshot(MARKET, [], []);
  }

  /** Lets time pass without an event. */
  pass(): void {
    this.#now += this.#pause;
  }

  act(act: Act): void {
    this.pass();
    switch (act.type) {
      case 'arrive':
        return this.#arrive(act);
      case 'reduce-by-cancel':
        return this.#reduceByCancel(act);
      case 'place':
        return this.#place(act);
      case 'share':
        return this.#share(act.behind);
      case 'lose':
        this.matching.loseBook(MARKET);
        return this.#reference?.lose();
      case 'snapshot':
        this.matching.applySnapshot(MARKET, this.others.levels(true), this.others.levels(false));
        this.#secondBook.applyAll();
        return this.#reference?.snapshot((isBid, at) => this.others.qty(isBid, at as Price), PRICES);
      default:
        return this.#change(act);
    }
  }

  #share(behind: number): void {
    const isShared = this.#secondBook.share(behind);
    if (isShared && this.placed.some(({ id }) => this.matching.qtyAheadOf(id) !== null)) this.sharedCount += 1;
  }

  #row(row: TapeRow): void {
    this.#secondBook.addRow(row);
    if (this.#passes(row)) return this.onRow(row);
    if (row.type === 'delta')
      this.matching.applyDelta({ market: MARKET, side: row.side, price: row.price, change: row.change as Qty });
    else this.matching.applyPrint({ market: MARKET, side: row.side, price: row.price, qty: row.qty as Qty });
    this.onRow(row);
  }

  /** True when a row of a shared book is applied in a batch, without a look at it. */
  #passes(row: TapeRow): boolean {
    if (row.type !== 'delta' || !this.matching.isBookShared(MARKET)) return false;
    const columns = {
      kind: Uint8Array.of(RowKind[row.side]),
      market: Int32Array.of(MARKET),
      price: Int32Array.of(row.price),
      qty: Float64Array.of(row.change),
    };
    return this.matching.applyDeltaBatch(columns, 0, 1) === 1;
  }

  /** Another trader arrives, trades with others, and rests with the remainder. */
  #arrive({ side, price: limit, qty: wanted, rowOrder }: Act & { type: 'arrive' }): void {
    const meetsBids = side === 'sell';
    const reached = PRICES.filter((each) => (meetsBids ? each >= limit : each <= limit));
    if (meetsBids) reached.reverse();
    let left = wanted;
    const deltas: TapeRow[] = [];
    const prints: TapeRow[] = [];
    for (const at of reached) {
      const traded = Math.min(left, this.others.qty(meetsBids, at));
      if (traded === 0) continue;
      left -= traded;
      this.others.add(meetsBids, at, -traded);
      this.#reference?.trade(meetsBids, at, traded);
      deltas.push({ type: 'delta', side: meetsBids ? 'bid' : 'ask', price: at, change: -traded });
      prints.push({ type: 'print', side, price: at, qty: traded });
    }
    const rest: TapeRow[] =
      left > 0 ? [{ type: 'delta', side: side === 'buy' ? 'bid' : 'ask', price: limit, change: left }] : [];
    if (left > 0) {
      this.others.add(side === 'buy', limit, left);
      this.#reference?.increase(side === 'buy', limit, left);
    }
    for (const row of rowsOf(rowOrder, { deltas, prints, rest })) this.#row(row);
  }

  /**
   * Other traders trade at a level, and an order of ours arrives between the two rows; `false` when that is not
   * possible.
   */
  interrupt({ isBid, price: at, traded, rowOrder, qty: size }: Interrupted): boolean {
    this.#now += this.#pause;
    const removed = Math.min(traded, this.others.qty(isBid, at));
    const side: Side = isBid ? 'buy' : 'sell';
    const id = `o${this.placed.length}`;
    const order: ReferenceOrder = { id, side, price: at, qty: size, style: 'post-only' };
    if (removed === 0 || this.#reference?.refuses(order) === true) return false;
    this.others.add(isBid, at, -removed);
    this.#reference?.trade(isBid, at, removed);
    const delta: TapeRow = { type: 'delta', side: isBid ? 'bid' : 'ask', price: at, change: -removed };
    const print: TapeRow = { type: 'print', side: opposite(side), price: at, qty: removed };
    this.#row(rowOrder === 'delta, print' ? delta : print);
    this.#place({ type: 'place', side, price: at, qty: size, style: 'post-only' });
    this.#row(rowOrder === 'delta, print' ? print : delta);
    return true;
  }

  #reduceByCancel({ isBid, price: at, qty: wanted }: Act & { type: 'reduce-by-cancel' }): void {
    const removed = Math.min(wanted, this.others.qty(isBid, at));
    if (removed === 0) return;
    this.others.add(isBid, at, -removed);
    this.#reference?.reduceByCancel(isBid, at, removed);
    this.#row({ type: 'delta', side: isBid ? 'bid' : 'ask', price: at, change: -removed });
  }

  #place({ side, price: at, qty: size, style }: Act & { type: 'place' }): void {
    const id = `o${this.placed.length}`;
    const placed = this.matching.placeOrder({
      id,
      market: MARKET,
      side,
      price: at,
      qty: size as Qty,
      timeInForce: style === 'ioc' || style === 'fok' ? style : 'gtc',
      postOnly: style === 'post-only',
      reduceOnly: false,
      expiresAt: null,
    });
    this.#reference?.place({ id, side, price: at, qty: size, style });
    this.placed.push({ id, side, price: at, qty: size, style, placed });
  }

  #change(act: Act & { type: 'cancel' | 'decrease' | 'amend' }): void {
    const order = this.placed[act.order];
    if (order === undefined) return;
    const { id } = order;
    if (act.type === 'cancel') {
      this.matching.cancelOrder(id);
      this.#reference?.cancel(id);
    } else if (act.type === 'decrease') {
      this.matching.decreaseOrder(id, act.qty as Qty);
      this.#reference?.decrease(id, act.qty);
    } else this.#amend(order, act);
  }

  #amend(order: Run['placed'][number], { price: at, qty: size }: Act & { type: 'amend' }): void {
    const leaves = this.#reference?.leaves(order.id) ?? null;
    const placed = this.matching.amendOrder(order.id, at, size as Qty);
    if (placed !== null) this.placed.push({ ...order, price: at, qty: size, placed });
    if (this.#reference === null || leaves === null) return;
    const amended = { id: order.id, side: order.side, price: at, qty: size, style: order.style };
    if (this.#reference.priceOf(order.id) === at && size <= leaves) this.#reference.decrease(order.id, size);
    else if (!this.#reference.refuses(amended)) {
      this.#reference.cancel(order.id);
      this.#reference.place(amended);
    }
  }

  /** Resting orders, in the order in which they joined their queues. */
  resting(): Map<string, { side: Side; price: Price }> {
    const resting = new Map<string, { side: Side; price: Price }>();
    for (const { id, side, price: at, placed } of this.placed) {
      if (placed.type !== 'taken' || this.matching.qtyAheadOf(id) === null) continue;
      if (!this.#shrank(id, at, placed)) resting.delete(id);
      if (!resting.has(id)) resting.set(id, { side, price: at });
    }
    return resting;
  }

  /** True when an amendment kept the order's queue position. */
  #shrank(id: string, at: Price, placed: PlacementOutcome & { type: 'taken' }): boolean {
    return placed.reason === 'amended' && this.placed.some((other) => other.id === id && other.price === at);
  }

  /** Maximum quantity that each order may have traded while resting. */
  requested(): Map<string, number> {
    const requested = new Map<string, number>();
    for (const { id, qty: size, placed } of this.placed)
      if (placed.type === 'taken') requested.set(id, (requested.get(id) ?? 0) + size);
    return requested;
  }

  /** Every price that an order ever had. */
  pricesOf(id: string): number[] {
    return this.placed.filter((each) => each.id === id).map((each) => each.price);
  }

  /** Quantity that each resting order has traded, by id. */
  filled(): Map<string, number> {
    const filled = new Map<string, number>();
    for (const { orderId, qty: traded } of this.executions) filled.set(orderId, (filled.get(orderId) ?? 0) + traded);
    return filled;
  }
}

function rowsOf(rowOrder: RowOrder, rows: { deltas: TapeRow[]; prints: TapeRow[]; rest: TapeRow[] }): TapeRow[] {
  const { deltas, prints, rest } = rows;
  const paired = (first: TapeRow[], second: TapeRow[]): TapeRow[] =>
    first.flatMap((row, index) => [row, ...second.slice(index, index + 1)]);
  switch (rowOrder) {
    case 'delta, print':
      return [...paired(deltas, prints), ...rest];
    case 'print, delta':
      return [...paired(prints, deltas), ...rest];
    case 'deltas, prints':
      return [...deltas, ...prints, ...rest];
    case 'prints, deltas':
      return [...prints, ...deltas, ...rest];
    case 'deltas, rest, prints':
      return [...deltas, ...rest, ...prints];
  }
}
