// Random tapes with every event that can affect a book: valid changes and invalid ones, prints, snapshots, gaps, new
// price grids, closings, settlements, markets that appear later, and venue times that are late, missing or absurd. Must
// never be taken for a real market: the invalid rows are there on purpose.
import * as fc from 'fast-check';
import { MemoryRows } from '../../../backtest/memory-rows.ts';
import type { BookSide } from '../../../src/domain/event.ts';
import { type MarketIndex, TickerTable, eventTicker, seriesTicker, ticker } from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import { CENT_GRID, DECI_CENT_GRID, type PriceGrid } from '../../../src/domain/price-grid.ts';
import { type Micros, type Price, type Qty, cents, micros } from '../../../src/domain/units.ts';
import { at } from './active-tape.ts';

/** Number of markets of the tape. The last market appears later, if at all. */
export const WILD_MARKETS = 4;
export const wildTicker = (market: number) => ticker(`RAIN-${market}`);

const KINDS = [
  'delta',
  'print',
  'below-nothing',
  'off-grid',
  'crossing',
  'too-much',
  'snapshot',
  'wrong-snapshot',
  'gap',
  'gap-all',
  'grid',
  'describe',
  'status',
  'appear',
  'settle',
] as const;
type Kind = (typeof KINDS)[number];
type Weights = Readonly<Partial<Record<Kind, number>>>;
const WILD: Weights = { delta: 60, print: 12, snapshot: 3, describe: 3, grid: 2 };
const TAME: Weights = { delta: 600, print: 160, snapshot: 6 };
const CALM: Weights = { delta: 3000, print: 400 };

/** One step of a tape: the time since the step before, its delay from the venue, its market and its kind. */
export interface WildStep {
  readonly after: number;
  /** Delay in microseconds; `null` without a venue time; negative when the venue's clock is ahead. */
  readonly late: number | null;
  readonly market: number;
  readonly what: Kind;
  readonly isBid: boolean;
  /** Distance from the middle, in cents. */
  readonly away: number;
  readonly qty: number;
  readonly pick: number;
}

const after = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 12, arbitrary: fc.integer({ min: 1, max: 60_000 }) },
  { weight: 6, arbitrary: fc.integer({ min: 60_000, max: 900_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 900_000, max: 20_000_000 }) },
);
const late = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 90_000 }) },
  { weight: 3, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom(-5_000_000, 3_000_000, 90_000_000) },
);

const stepsWith = (weights: Weights): fc.Arbitrary<WildStep[]> =>
  fc.array(
    fc.record({
      after,
      late,
      market: fc.nat({ max: WILD_MARKETS - 1 }),
      what: fc.oneof(...KINDS.map((what) => ({ weight: weights[what] ?? 1, arbitrary: fc.constant(what) }))),
      isBid: fc.boolean(),
      away: fc.integer({ min: 1, max: 5 }),
      qty: fc.integer({ min: 1, max: 900 }),
      pick: fc.nat({ max: 99 }),
    }),
    { minLength: 40, maxLength: 220, size: 'max' },
  );

/** Generates steps with many invalid rows, with few, or with almost none. */
export const wildSteps: fc.Arbitrary<WildStep[]> = fc.oneof(stepsWith(WILD), stepsWith(TAME), {
  weight: 2,
  arbitrary: stepsWith(CALM),
});

/** Makes the tape of such steps. */
export const wildTape = (steps: readonly WildStep[], blockRows: number): MemoryRows =>
  new WildMaker(blockRows).tape(steps);

type Level = readonly [Price, Qty];
type Place = readonly [side: BookSide, price: number];
type Figures = Pick<WildStep, 'isBid' | 'away' | 'qty' | 'pick'>;

class WildMaker {
  readonly #rows: MemoryRows;
  readonly #books: Record<BookSide, Map<number, number>>[] = [];
  readonly #grids: PriceGrid[] = [];
  #learned: Micros = at(0);
  #late: number | null = null;

  constructor(blockRows: number) {
    const tickers = new TickerTable();
    for (let market = 0; market < WILD_MARKETS; market++) {
      tickers.internTicker(wildTicker(market));
      this.#books.push({ bid: new Map(), ask: new Map() });
      this.#grids.push(market === 1 ? DECI_CENT_GRID : CENT_GRID);
    }
    this.#rows = new MemoryRows(tickers, blockRows);
  }

  get #times(): { readonly at: Micros; readonly venueAt?: Micros } {
    const learned = this.#learned;
    return this.#late === null ? { at: learned } : { at: learned, venueAt: micros(learned - this.#late) };
  }

  tape(steps: readonly WildStep[]): MemoryRows {
    const [group, series] = [eventTicker('RAIN'), seriesTicker('WEATHER')];
    const terms = { feeType: 'quadratic_with_maker_fees', feeMultiplierPercent: 100 } as const;
    const named = { title: '', category: '', frequency: '' };
    this.#rows.addEvent({ kind: 'series', at: at(0), series: { ticker: series, ...named, ...terms } });
    const tickers = this.#books.map((_, market) => wildTicker(market));
    const members = { eventTicker: group, seriesTicker: series, title: '', isExclusive: false, tickers };
    this.#rows.addEvent({ kind: 'event-group', at: at(0), group: members });
    for (let market = 0; market < WILD_MARKETS - 1; market++) this.#appear(market);
    for (const step of steps) {
      this.#learned = micros(this.#learned + step.after);
      this.#late = step.late;
      this.#act(step);
    }
    return this.#rows;
  }

  #appear(market: number): void {
    this.#describe(market, {});
    for (let away = 1; away <= 5; away++) {
      this.#books[market]!.bid.set(cents(50 - away), 1000);
      this.#books[market]!.ask.set(cents(50 + away), 1000);
    }
    this.#snapshot(market);
  }

  #describe(number: number, over: Partial<Market>): void {
    const market: Market = {
      ticker: wildTicker(number),
      index: number as MarketIndex,
      eventTicker: eventTicker('RAIN'),
      title: '',
      status: 'active',
      openAt: at(-10),
      closeAt: at(36_000),
      canCloseEarly: true,
      grid: this.#grids[number]!,
      result: null,
      settlementValue: null,
      ...over,
    };
    this.#rows.addEvent({ kind: 'market', at: this.#learned, market }, this.#times.venueAt);
  }

  #act({ market, what, ...figures }: WildStep): void {
    if (what === 'delta' || what === 'print') return this.#move(market, what, figures);
    if (what === 'snapshot') return this.#snapshot(market);
    if (what === 'wrong-snapshot') return this.#wrongSnapshot(market, figures);
    if (what === 'gap' || what === 'gap-all') return this.#gap(what === 'gap' ? [market] : [], figures);
    if (what === 'grid' || what === 'describe') return this.#redefine(market, what, figures);
    if (what === 'status' || what === 'settle') return this.#live(market, what, figures);
    if (what === 'appear') return this.#appear(WILD_MARKETS - 1);
    this.#wrong(market, what, figures);
  }

  /** Returns the level of a change. Half cents occur where the grid has them. */
  #placeOf(market: number, { isBid, away, pick }: Figures): Place {
    const half = this.#grids[market] === DECI_CENT_GRID && pick % 2 === 0 ? 50 : 0;
    return isBid ? ['bid', cents(50 - away) + half] : ['ask', cents(50 + away) - half];
  }

  #move(market: number, what: 'delta' | 'print', figures: Figures): void {
    const [side, price] = this.#placeOf(market, figures);
    const resting = this.#books[market]![side].get(price) ?? 0;
    const { pick, qty } = figures;
    if (what === 'print') {
      const trade = { market: market as MarketIndex, price: price as Price, qty: qty as Qty };
      this.#rows.addPrint(this.#times, { ...trade, side: side === 'bid' ? 'sell' : 'buy' });
      if (pick < 70 && resting > 0) this.#change(market, [side, price], -Math.min(resting, qty));
      return;
    }
    const isCut = resting > 0 && pick < 50;
    this.#change(market, [side, price], isCut ? -(pick < 25 ? resting : Math.min(resting, qty)) : qty);
  }

  #change(market: number, [side, price]: Place, change: number): void {
    const levels = this.#books[market]![side];
    levels.set(price, (levels.get(price) ?? 0) + change);
    this.#addDelta(market, [side, price], change);
  }

  #addDelta(market: number, [side, price]: Place, change: number): void {
    const delta = { market: market as MarketIndex, side, price: price as Price, change: change as Qty };
    this.#rows.addDelta(this.#times, delta);
  }

  /** Adds an invalid change. */
  #wrong(market: number, what: Kind, figures: Figures): void {
    const [side, price] = this.#placeOf(market, figures);
    if (what === 'below-nothing') this.#addDelta(market, [side, price], -100_000 - figures.qty);
    else if (what === 'off-grid')
      this.#addDelta(market, [side, figures.away < 3 ? 4550 : 4555], figures.pick < 50 ? figures.qty : -1);
    else if (what === 'too-much') this.#addDelta(market, [side, price], 2_147_483_647 + (figures.pick % 3));
    else this.#addDelta(market, [side === 'bid' ? 'ask' : 'bid', price], figures.qty);
    if (figures.pick < 30) this.#snapshot(market);
  }

  #levels(market: number, side: BookSide): Level[] {
    const known = [...this.#books[market]![side]].filter(([, qty]) => qty > 0);
    return known.map(([price, qty]): Level => [price as Price, qty as Qty]);
  }

  #snapshot(market: number, more: { readonly bids?: readonly Level[]; readonly asks?: readonly Level[] } = {}): void {
    const bids = [...this.#levels(market, 'bid'), ...(more.bids ?? [])];
    const asks = [...this.#levels(market, 'ask'), ...(more.asks ?? [])];
    this.#rows.addSnapshot(this.#times, market as MarketIndex, { bids, asks });
  }

  #wrongSnapshot(market: number, { qty, pick }: Figures): void {
    const wrong: readonly Level[] = [
      [cents(60), qty as Qty],
      [4555 as Price, qty as Qty],
      [cents(45), -qty as Qty],
      [cents(45), 2_147_483_648 as Qty],
      [cents(45), 0 as Qty],
      [cents(45), qty as Qty],
    ];
    this.#snapshot(market, { bids: [wrong[pick % wrong.length]!] });
  }

  #gap(markets: readonly number[], { pick }: Figures): void {
    const lost = markets as readonly MarketIndex[];
    this.#rows.addEvent({ kind: 'feed-gap', at: this.#learned, markets: lost, reason: 'lost' }, this.#times.venueAt);
    if (pick < 60) for (const market of markets.length > 0 ? markets : [0, 1, 2]) this.#snapshot(market);
  }

  /** Removes the levels of a book that are off a grid. */
  #keepOn(market: number, grid: PriceGrid): void {
    for (const levels of Object.values(this.#books[market]!)) {
      const gone = [...levels.keys()].filter((price) => grid.cellByPrice[price]! < 0);
      for (const price of gone) levels.delete(price);
    }
  }

  /** Changes the grid, by a change event or by a new definition, or repeats the definition. */
  #redefine(market: number, what: 'grid' | 'describe', { pick }: Figures): void {
    if (pick < 70) {
      const grid = this.#grids[market] === CENT_GRID ? DECI_CENT_GRID : CENT_GRID;
      this.#grids[market] = grid;
      this.#keepOn(market, grid);
    }
    const grid = this.#grids[market]!;
    const [index, { venueAt }] = [market as MarketIndex, this.#times];
    if (what === 'describe') this.#describe(market, pick % 5 === 0 ? { closeAt: at(20) } : {});
    else
      this.#rows.addEvent(
        { kind: 'market-changed', at: this.#learned, exchangeAt: null, market: index, grid },
        venueAt,
      );
    if (pick % 4 > 0) this.#snapshot(market);
  }

  #live(market: number, what: 'status' | 'settle', { pick }: Figures): void {
    const base = {
      kind: 'market-changed',
      at: this.#learned,
      exchangeAt: null,
      market: market as MarketIndex,
    } as const;
    const { venueAt } = this.#times;
    if (what === 'status') {
      const status = (['active', 'inactive', 'active', 'closed'] as const)[pick % 4]!;
      this.#rows.addEvent({ ...base, status }, venueAt);
      if (pick < 50) this.#snapshot(market);
      return;
    }
    const outcome = {
      result: pick % 2 === 0 ? 'yes' : 'no',
      settlementValue: (pick % 2 === 0 ? 10_000 : 0) as Price,
    } as const;
    this.#rows.addEvent({ ...base, status: 'determined', ...outcome }, venueAt);
    this.#rows.addEvent({ ...base, status: 'finalized', ...outcome }, venueAt);
  }
}
