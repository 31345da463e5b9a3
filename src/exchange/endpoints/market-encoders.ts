// Encodes public views as wire records. Must never round a price or a quantity: `assertEncodable` has refused inexact
// ones at the start.
import { NO_QTY, PAYOUT, type Price, QTY_PER_CONTRACT, type Qty, mulDivFloor, price } from '../../domain/units.ts';
import type { Levels } from '../../domain/event.ts';
import type { PriceRange } from '../../domain/price-grid.ts';
import type * as Wire from '../../venues/trade-api/wire/wire-records.ts';
import type { FeeTerms, GroupDefinition, SeriesDefinition } from '../machine/exchange-input.ts';
import type {
  BookView,
  Fact,
  LevelView,
  MarketStats,
  MarketView,
  OrderGroupChange,
  OrderGroupView,
  PrintView,
} from '../machine/exchange-output.ts';

/** Prices of an empty side on the wire: no bid is 0, no ask is one dollar. */
const NO_BID = price(0);
const NO_ASK: Price = PAYOUT;

const rangeRecord = ({ start, end, step }: PriceRange): Wire.RangeRecord => ({ start, end, step: price(step) });

export function marketRecord(view: MarketView): Wire.MarketRecord {
  const { definition, stats } = view;
  return {
    ticker: definition.ticker,
    eventTicker: definition.eventTicker,
    title: definition.title,
    subtitle: definition.yesSubtitle,
    yesSubtitle: definition.yesSubtitle,
    noSubtitle: definition.noSubtitle,
    status: view.status,
    createdAt: view.createdAt,
    openAt: definition.openAt,
    closeAt: view.closeAt,
    expirationAt: view.closeAt,
    settlementDelay: definition.settlementDelay,
    ...touchRecord(stats),
    lastPrice: stats.lastPrice,
    previousPrice: null,
    previousBid: null,
    previousAsk: null,
    volume: stats.volume,
    volume24h: stats.volume24h,
    openInterest: stats.openInterest,
    liquidity: null,
    result: view.result,
    settlementValue: view.settlementValue,
    settledAt: view.settledAt,
    canCloseEarly: definition.canCloseEarly,
    rules: definition.rules,
    gridName: definition.gridName,
    ranges: definition.gridRanges.map(rangeRecord),
    strikeType: definition.strike?.type ?? null,
    floorStrike: definition.strike?.floor ?? null,
    capStrike: definition.strike?.cap ?? null,
    isStrikeCustom: null,
    updatedAt: view.updatedAt,
    feesWaivedUntil: definition.feesWaivedUntil ?? null,
    shard: definition.shard ?? 0,
  };
}

type Touch = Pick<Wire.TickerRecord, 'bestBid' | 'bestBidQty' | 'bestAsk' | 'bestAskQty'>;

const touchRecord = ({ bid, ask }: MarketStats): Touch => ({
  bestBid: bid?.price ?? NO_BID,
  bestBidQty: bid?.qty ?? NO_QTY,
  bestAsk: ask?.price ?? NO_ASK,
  bestAskQty: ask?.qty ?? NO_QTY,
});

export const tickerRecord = (
  ticker: Wire.TickerRecord['ticker'],
  stats: MarketStats,
  at: Wire.TickerRecord['at'],
): Wire.TickerRecord => ({
  ticker,
  lastPrice: stats.lastPrice,
  ...touchRecord(stats),
  lastQty: stats.lastQty,
  volume: stats.volume,
  openInterest: stats.openInterest,
  dollarVolume: dollarsBehind(stats.volume),
  dollarOpenInterest: dollarsBehind(stats.openInterest),
  at,
});

/** Dollars of a number of contracts, as in the wire's own example: half a dollar per contract, whatever was paid. */
const dollarsBehind = (contracts: Qty): number => mulDivFloor(contracts, 1, 2 * QTY_PER_CONTRACT);

interface GroupParts {
  readonly series: SeriesDefinition | undefined;
  readonly markets: readonly MarketView[];
  readonly isNested: boolean;
}

export const eventRecord = (group: GroupDefinition, { series, markets, isNested }: GroupParts): Wire.EventRecord => ({
  eventTicker: group.ticker,
  seriesTicker: group.seriesTicker,
  title: group.title,
  subtitle: group.subtitle,
  category: series?.category ?? null,
  isExclusive: group.isExclusive,
  feeType: group.fees?.feeType ?? null,
  feeMultiplierPercent: group.fees?.feeMultiplierPercent ?? null,
  markets: isNested ? markets.map(marketRecord) : null,
  shard: markets[0]?.definition.shard ?? 0,
});

export const seriesRecord = (series: SeriesDefinition, volume: Qty | null): Wire.SeriesRecord => ({
  ...series,
  tags: series.tags ?? [],
  volume,
  shard: null,
});

const levels = (side: readonly LevelView[]): Levels => side.map(({ price, qty }) => [price, qty] as const);

/** An unknown market has an empty book. */
export const bookRecord = (book: BookView | undefined): Wire.BookRecord => ({
  bids: levels(book?.bids ?? []),
  asks: levels(book?.asks ?? []),
});

export const printRecord = ({ tradeId, ticker, takerSide, price, qty, at }: PrintView): Wire.PrintRecord => ({
  tradeId,
  ticker,
  side: takerSide,
  price,
  qty,
  at,
  isOffBook: false,
});

/** The feed's record of a newly listed event group. */
export const groupRecord = ({ ticker, seriesTicker, title, subtitle }: GroupDefinition): Wire.EventLifeRecord => ({
  eventTicker: ticker,
  seriesTicker,
  title,
  subtitle,
});

/** The fee terms of an event group. The members are `null` when the series' terms apply. */
export const feeRecord = (
  eventTicker: Wire.FeeChangeRecord['eventTicker'],
  fees: FeeTerms | null,
): Wire.FeeChangeRecord => ({
  eventTicker,
  feeType: fees?.feeType ?? null,
  feeMultiplierPercent: fees?.feeMultiplierPercent ?? null,
});

/** The feed's record of a change of an order group. */
export const orderGroupRecord = (
  { groupId, limit }: OrderGroupView,
  { change, at }: Pick<Extract<Fact, { type: 'order-group' }>, 'change' | 'at'>,
): Wire.GroupRecord => ({ change, groupId, limit: LIMIT_TOLD.has(change) ? limit : null, at });

/** Changes that report the group's limit, because it is new. */
const LIMIT_TOLD: ReadonlySet<OrderGroupChange> = new Set(['created', 'limit-changed']);

/**
 * The feed's record of a market change.
 * @param resultIn The changes that include the result.
 */
export function lifecycleRecord(
  view: MarketView,
  { word, resultIn }: { readonly word: keyof typeof CHANGES; readonly resultIn: readonly Wire.LifeChange[] },
): Wire.MarketLifeRecord {
  const change = CHANGES[word];
  const { definition } = view;
  const isCreated = change === 'created';
  const isResult = resultIn.includes(change);
  const isGridTold = isCreated || change === 'grid-changed';
  return {
    ticker: definition.ticker,
    change,
    openAt: isCreated ? definition.openAt : null,
    closeAt: isCreated || change === 'close-moved' ? view.closeAt : null,
    result: isResult ? view.result : null,
    determinedAt: change === 'determined' ? view.determinedAt : null,
    settlementValue: isResult ? view.settlementValue : null,
    settledAt: change === 'settled' ? view.settledAt : null,
    gridName: isGridTold ? definition.gridName : null,
    ranges: isGridTold ? definition.gridRanges.map(rangeRecord) : null,
    isHalted: change === 'activated' || change === 'deactivated' ? change === 'deactivated' : null,
    shard: definition.shard ?? 0,
    described: isCreated ? descriptionRecord(view) : null,
  };
}

const descriptionRecord = ({ definition, closeAt }: MarketView): Wire.MarketDescriptionRecord => ({
  eventTicker: definition.eventTicker,
  title: definition.title,
  yesSubtitle: definition.yesSubtitle,
  noSubtitle: definition.noSubtitle,
  rules: definition.rules,
  canCloseEarly: definition.canCloseEarly,
  expirationAt: closeAt,
  strikeType: definition.strike?.type ?? null,
  floorStrike: definition.strike?.floor ?? null,
  capStrike: definition.strike?.cap ?? null,
});

const CHANGES = {
  created: 'created',
  activated: 'activated',
  deactivated: 'deactivated',
  close_date_updated: 'close-moved',
  determined: 'determined',
  settled: 'settled',
  price_level_structure_updated: 'grid-changed',
} as const;
