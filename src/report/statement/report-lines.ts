// A run by market, event group, series, strategy and liquidity. The profits of each table add up to the account's,
// except for the unexplained part.
import { QTY_PER_CONTRACT } from '../../domain/units.ts';
import { ratio } from './intervals.ts';
import type { ReportLine, ProfitSplit } from './report.ts';
import type { FillsNote, MarketNote, OrdersNote, RunRecord } from '../record/run-record.ts';
import { NO_SPLIT, addSplits, heldBeforeSplit, isSettledNote, splitOfFills } from './profit-split.ts';

/** Positions from before the run: no strategy of the run bought them. */
const HELD_BEFORE = '(held before)';
const NO_STRATEGY = '(no strategy)';

/** Markets of a record by ticker. */
export type MarketsByTicker = ReadonlyMap<string, MarketNote>;

export const marketsByTicker = (record: Pick<RunRecord, 'markets'>): MarketsByTicker =>
  new Map(record.markets.map((market) => [market.ticker, market]));

/** Names the table line of an item. `null` leaves the item out. */
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

export const LINE_NAMINGS = {
  market: {
    ...byMarketMember(({ ticker }) => ticker),
    title: ({ title }: MarketNote): string => title,
    isSingle: true,
  },
  group: byMarketMember(({ eventTicker }) => eventTicker),
  series: byMarketMember(({ seriesTicker }) => seriesTicker ?? '(unknown)'),
  strategy: {
    ofMarket: heldBefore,
    ofFills: ({ strategy }: FillsNote): string => strategy ?? NO_STRATEGY,
    ofOrders: ({ strategy }: OrdersNote): string => strategy,
  },
  // Only a trade makes an order a maker or taker. Orders are therefore in no line.
  liquidity: {
    ofMarket: heldBefore,
    ofFills: ({ liquidity }: FillsNote): string => liquidity,
    ofOrders: (): null => null,
  },
} as const satisfies Record<string, Naming>;

interface LineSums {
  readonly name: string;
  title: string;
  split: ProfitSplit;
  fills: number;
  qty: number;
  makerQty: number;
  turnover: number;
  orders: number;
  askedQty: number;
  held: number | null;
  readonly markets: Set<MarketNote>;
}

/** Returns one table, the largest profit first. */
export function linesOf(
  record: Pick<RunRecord, 'markets' | 'fillSums' | 'orderSums'>,
  markets: MarketsByTicker,
  naming: Naming,
): ReportLine[] {
  const lines = new Map<string, LineSums>();
  const line = (name: string): LineSums => {
    const known = lines.get(name);
    if (known) return known;
    const added = emptyLine(name);
    lines.set(name, added);
    return added;
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

const emptyLine = (name: string): LineSums => ({
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

function addMarket(line: (name: string) => LineSums, market: MarketNote, naming: Naming): void {
  const name = naming.ofMarket(market);
  if (name === null) return;
  const sums = line(name);
  sums.title = naming.title?.(market) ?? sums.title;
  if (naming.isSingle === true) sums.held = market.held;
  sums.split = addSplits(sums.split, heldBeforeSplit(market));
  sums.markets.add(market);
}

function addFills(sums: LineSums, sum: FillsNote, market: MarketNote): void {
  sums.split = addSplits(sums.split, splitOfFills(sum, market));
  sums.fills += sum.fills;
  sums.qty += sum.qty;
  sums.turnover += sum.turnover;
  if (sum.liquidity === 'maker') sums.makerQty += sum.qty;
  sums.markets.add(market);
}

function addOrders(sums: LineSums, sum: OrdersNote, market: MarketNote): void {
  sums.orders += sum.orders;
  sums.askedQty += sum.qty;
  sums.markets.add(market);
}

const lineOf = ({ markets, makerQty, askedQty, ...rest }: LineSums): ReportLine => ({
  ...rest,
  fillRatio: ratio(rest.qty, askedQty),
  makerShare: ratio(makerQty, rest.qty),
  perContract: ratio(rest.split.profit * QTY_PER_CONTRACT, rest.qty),
  markets: markets.size,
  settledMarkets: [...markets].filter(isSettledNote).length,
});
