// The run by market, event group, series, strategy and liquidity: the same sums, gathered under other names. Every table's profits
// add up to the account's, but for what is unexplained.
import { QTY_PER_CONTRACT } from '../domain/units.ts';
import { ratio } from './intervals.ts';
import type { Line, Split } from './report.ts';
import type { FillsNote, MarketNote, OrdersNote, RunRecord } from './run-record.ts';
import { NO_SPLIT, addSplits, carriedSplit, isSettledNote, splitOfFills } from './split.ts';

/** What was held before the run, in the table of strategies: no strategy of the run bought it. */
const HELD_BEFORE = '(held before)';
/** Trades of no order that we know. */
const NO_STRATEGY = '(no strategy)';

/** Markets of a record by their ticker. */
export type MarketsByTicker = ReadonlyMap<string, MarketNote>;

export const marketsByTicker = (record: RunRecord): MarketsByTicker =>
  new Map(record.markets.map((market) => [market.ticker, market]));

/** How a table names its lines. `null`: not in this table. */
interface Naming {
  readonly ofMarket: (market: MarketNote) => string | null;
  readonly ofFills: (sum: FillsNote, market: MarketNote) => string;
  readonly ofOrders: (sum: OrdersNote, market: MarketNote) => string | null;
  readonly title?: (market: MarketNote) => string;
  readonly isSingle?: boolean;
}

const byMarketMember = (name: (market: MarketNote) => string): Naming => ({
  ofMarket: name,
  ofFills: (_, market) => name(market),
  ofOrders: (_, market) => name(market),
});

const heldBefore = ({ openingHeld }: MarketNote): string | null => (openingHeld === 0 ? null : HELD_BEFORE);

export const NAMINGS = {
  market: {
    ...byMarketMember(({ ticker }) => ticker),
    title: ({ title }: MarketNote): string => title,
    isSingle: true,
  },
  group: byMarketMember(({ eventTicker }) => eventTicker),
  series: byMarketMember(({ seriesTicker }) => seriesTicker ?? '(not told)'),
  strategy: {
    ofMarket: heldBefore,
    ofFills: ({ strategy }: FillsNote): string => strategy ?? NO_STRATEGY,
    ofOrders: ({ strategy }: OrdersNote): string => strategy,
  },
  // Whether an order rests or crosses shows when it trades: orders are in no line.
  liquidity: {
    ofMarket: heldBefore,
    ofFills: ({ liquidity }: FillsNote): string => liquidity,
    ofOrders: (): null => null,
  },
} as const satisfies Record<string, Naming>;

interface Gathered {
  readonly name: string;
  title: string;
  split: Split;
  fills: number;
  qty: number;
  makerQty: number;
  turnover: number;
  orders: number;
  askedQty: number;
  held: number | null;
  readonly markets: Set<MarketNote>;
}

/** One table. Lines are in the order of their profit, the largest first. */
export function linesOf(record: RunRecord, markets: MarketsByTicker, naming: Naming): Line[] {
  const lines = new Map<string, Gathered>();
  const line = (name: string): Gathered => {
    const known = lines.get(name);
    if (known) return known;
    const fresh = nothing(name);
    lines.set(name, fresh);
    return fresh;
  };
  for (const market of record.markets) addMarket(line, market, naming);
  for (const sum of record.fillSums) {
    const market = markets.get(sum.ticker);
    if (market) addFills(line(naming.ofFills(sum, market)), sum, market);
  }
  for (const sum of record.orderSums) {
    const market = markets.get(sum.ticker);
    const name = market === undefined ? null : naming.ofOrders(sum, market);
    if (market && name !== null) addOrders(line(name), sum, market);
  }
  return [...lines.values()].map(lineOf).sort((a, b) => b.split.profit - a.split.profit || (a.name < b.name ? -1 : 1));
}

const nothing = (name: string): Gathered => ({
  name,
  title: '',
  split: NO_SPLIT,
  fills: 0,
  qty: 0,
  makerQty: 0,
  turnover: 0,
  orders: 0,
  askedQty: 0,
  held: null,
  markets: new Set(),
});

function addMarket(line: (name: string) => Gathered, market: MarketNote, naming: Naming): void {
  const name = naming.ofMarket(market);
  if (name === null) return;
  const to = line(name);
  to.title = naming.title?.(market) ?? to.title;
  if (naming.isSingle === true) to.held = market.held;
  to.split = addSplits(to.split, carriedSplit(market));
  to.markets.add(market);
}

function addFills(to: Gathered, sum: FillsNote, market: MarketNote): void {
  to.split = addSplits(to.split, splitOfFills(sum, market));
  to.fills += sum.fills;
  to.qty += sum.qty;
  to.turnover += sum.turnover;
  if (sum.liquidity === 'maker') to.makerQty += sum.qty;
  to.markets.add(market);
}

function addOrders(to: Gathered, sum: OrdersNote, market: MarketNote): void {
  to.orders += sum.orders;
  to.askedQty += sum.qty;
  to.markets.add(market);
}

const lineOf = ({ markets, makerQty, askedQty, ...rest }: Gathered): Line => ({
  ...rest,
  fillRatio: ratio(rest.qty, askedQty),
  makerShare: ratio(makerQty, rest.qty),
  perContract: ratio(rest.split.profit * QTY_PER_CONTRACT, rest.qty),
  markets: markets.size,
  settledMarkets: [...markets].filter(isSettledNote).length,
});
