// A market's life, from listing to payment, moved by the operator and by time. What may follow what is the domain's table.
// Must never pay a market out twice, or leave an order resting in one that is over.
import { must } from '../domain/assert.ts';
import { MARKET_LIFE, type MarketResult, type MarketStatus } from '../domain/market.ts';
import { type PriceRange, priceGrid } from '../domain/price-grid.ts';
import { type Micros, NO_MONEY, NO_QTY, PAYOUT, type Price, micros } from '../domain/units.ts';
import { Book } from './book.ts';
import { sweepMarket, sweepOnPause } from './changing.ts';
import { wrongFees } from './fee-terms.ts';
import { type Floor, trimOldest } from './floor.ts';
import { forgetFirst } from './forgetting.ts';
import { History } from './history.ts';
import type { MarketDefinition, OperatorOp } from './input.ts';
import type { Answer, LifecycleWord } from './output.ts';
import { refused } from './placing.ts';
import type { Holding, MarketRecord } from './records.ts';
import { marketView } from './views.ts';

const DONE: Answer = { type: 'done' };
/** So many paid-out markets are remembered; when twice as many, the older half goes. */
const FINALIZED_MAX = 1000;
/** Lists a market. It opens when its time has come. */
export function defineMarket(floor: Floor, definition: MarketDefinition): Answer {
  if (floor.markets.has(definition.ticker)) return refused('already_exists', `market ${definition.ticker}`);
  const group = floor.groups.get(definition.eventTicker);
  const series = group && floor.series.get(group.seriesTicker);
  if (!series)
    return refused('invalid_parameters', `market ${definition.ticker}: no event group ${definition.eventTicker}`);
  const wrong = wrongDefinition(definition);
  if (wrong !== null) return refused('invalid_parameters', `market ${definition.ticker}: ${wrong}`);
  const grid = priceGrid(definition.gridRanges);
  const market: MarketRecord = {
    index: floor.nextMarketIndex(),
    ticker: definition.ticker,
    definition,
    seriesTicker: series.ticker,
    grid,
    schedule: floor.scheduleOf(definition.eventTicker),
    book: new Book(grid.cellCount),
    history: new History(),
    status: 'initialized',
    closeAt: definition.closeAt,
    result: null,
    settlementValue: null,
    createdAt: floor.now,
    updatedAt: floor.now,
    determinedAt: null,
    settleAt: null,
    settledAt: null,
    lastPrice: null,
    lastQty: NO_QTY,
    volume: NO_QTY,
    openInterest: NO_QTY,
    pool: { cash: NO_MONEY },
    holders: [],
    toldStats: null,
  };
  floor.list(market);
  floor.timers.set(definition.openAt, { type: 'open', market });
  floor.timers.set(definition.closeAt, { type: 'close', market });
  tellMarket(floor, market, { word: 'created', from: 'initialized' });
  return DONE;
}

function wrongDefinition({ openAt, closeAt, qtyStep, settlementDelay, gridRanges }: MarketDefinition): string | null {
  if (!(openAt < closeAt)) return 'it closes before it opens';
  if (!Number.isSafeInteger(qtyStep) || qtyStep <= 0) return `quantity step ${qtyStep} is not a positive integer`;
  if (!(settlementDelay >= 0)) return 'its settlement delay is negative';
  return wrongGrid(gridRanges);
}

/** What is wrong with the ranges of a grid, in words; `null` when nothing is. */
export const wrongGrid = (ranges: readonly PriceRange[]): string | null =>
  ranges.length > 0 && ranges.every(isRange) ? null : 'a price range is empty or has no positive whole step';

const isRange = ({ start, end, step }: PriceRange): boolean =>
  Number.isInteger(step) && step > 0 && Number.isInteger(start) && start >= 0 && start < end && end <= PAYOUT;

/** Lists a series. */
export function defineSeries(floor: Floor, { series }: OperatorOp & { type: 'define-series' }): Answer {
  if (floor.series.has(series.ticker)) return refused('already_exists', `series ${series.ticker}`);
  const wrong = wrongFees(series);
  if (wrong !== null) return refused('invalid_parameters', wrong);
  floor.series.set(series.ticker, series);
  return DONE;
}

/** Lists an event group. */
export function defineGroup(floor: Floor, { group }: OperatorOp & { type: 'define-group' }): Answer {
  if (floor.groups.has(group.ticker)) return refused('already_exists', `event group ${group.ticker}`);
  if (!floor.series.has(group.seriesTicker)) return refused('invalid_parameters', `no series ${group.seriesTicker}`);
  const wrong = group.fees ? wrongFees(group.fees) : null;
  if (wrong !== null) return refused('invalid_parameters', wrong);
  floor.groups.set(group.ticker, group);
  floor.tell({ type: 'group', at: floor.now, group });
  return DONE;
}

type LifeOp = Exclude<Extract<OperatorOp, { ticker: MarketDefinition['ticker'] }>, { type: 'set-grid' }>;

/** Moves one market through its life at the operator's word. */
export function moveMarket(floor: Floor, op: LifeOp): Answer {
  const market = floor.markets.get(op.ticker);
  if (market === undefined) return refused('market_not_found', op.ticker);
  const to = targetOf(op, market);
  if (op.type === 'move-close') return moveClose(floor, market, op.closeAt);
  if (to === null || !MARKET_LIFE[market.status].includes(to))
    return refused('wrong_status', `cannot ${op.type} market ${op.ticker}, which is ${market.status}`);
  if (op.type === 'determine' || op.type === 'amend-result') {
    const value = valueOf(op.result, op.settlementValue);
    if (value === null) return refused('invalid_parameters', 'settlement value: expected with scalar, and only then');
    const rival = op.result === 'yes' ? rivalOf(floor, market) : undefined;
    if (rival !== undefined)
      return refused('invalid_parameters', `${rival.ticker} is YES, and ${op.ticker} excludes it`);
    market.result = op.result;
    market.settlementValue = value;
    market.determinedAt = floor.now;
  }
  if (op.type === 'close') closeEarly(floor, market);
  become(floor, market, to);
  return DONE;
}

/** A close before its time is told as one that has moved: what the clock alone does is not told at all. */
function closeEarly(floor: Floor, market: MarketRecord): void {
  if (market.closeAt <= floor.now) return;
  market.closeAt = floor.now;
  tellMarket(floor, market, { word: 'close_date_updated', from: market.status });
}

/** Another market of the same exclusive group that came true. */
function rivalOf(floor: Floor, market: MarketRecord): MarketRecord | undefined {
  const { eventTicker } = market.definition;
  if (floor.groups.get(eventTicker)?.isExclusive !== true) return undefined;
  const others = floor.marketsByGroup.get(eventTicker) ?? [];
  return [...others].find((other) => other !== market && other.result === 'yes');
}

function targetOf(op: LifeOp, market: MarketRecord): MarketStatus | null {
  switch (op.type) {
    case 'halt':
      return 'inactive';
    case 'resume':
      return market.status === 'inactive' ? 'active' : null;
    case 'close':
      return 'closed';
    case 'determine':
      return market.status === 'closed' ? 'determined' : null;
    case 'dispute':
      return 'disputed';
    case 'uphold':
      return market.status === 'disputed' ? 'determined' : null;
    case 'amend-result':
      return 'amended';
    case 'settle':
      return 'finalized';
    case 'move-close':
      return null;
  }
}

function valueOf(result: MarketResult, settlementValue: Price | null): Price | null {
  if (result === 'scalar') {
    const isPrice = settlementValue !== null && Number.isInteger(settlementValue);
    return isPrice && settlementValue >= 0 && settlementValue <= PAYOUT ? settlementValue : null;
  }
  if (settlementValue !== null) return null;
  return result === 'yes' ? PAYOUT : (0 as Price);
}

/** Moves the close. A closed market that has no answer yet opens again when its close moves ahead. */
function moveClose(floor: Floor, market: MarketRecord, closeAt: Micros): Answer {
  if (!['initialized', 'active', 'inactive', 'closed'].includes(market.status))
    return refused('wrong_status', `cannot move the close of market ${market.ticker}, which is ${market.status}`);
  if (closeAt <= floor.now) return refused('invalid_parameters', 'close: expected a time to come');
  market.closeAt = closeAt;
  floor.timers.set(closeAt, { type: 'close', market });
  tellMarket(floor, market, { word: 'close_date_updated', from: market.status });
  if (market.status === 'closed') become(floor, market, 'active');
  return DONE;
}

/** What time brings about: `open`, `close` and `settle` when they are due. */
export function comeDue(floor: Floor, market: MarketRecord, due: 'open' | 'close' | 'settle'): void {
  become(floor, market, ({ open: 'active', close: 'closed', settle: 'finalized' } as const)[due]);
}

function become(floor: Floor, market: MarketRecord, to: MarketStatus): void {
  const from = market.status;
  // Reactivation cancels whatever rested through the halt.
  if (from === 'inactive' && to === 'active') sweepMarket(floor, market, 'HaltCancel');
  if (to === 'closed') sweepMarket(floor, market, 'CloseCancel');
  if (to === 'inactive') sweepOnPause(floor, [market]);
  market.status = to;
  market.settleAt = null;
  if (to === 'determined' || to === 'amended') {
    market.settleAt = micros(floor.now + market.definition.settlementDelay);
    floor.timers.set(market.settleAt, { type: 'settle', market });
  }
  if (to === 'finalized') payOut(floor, market);
  tellMarket(floor, market, { word: wordFor(from, to), from });
}

/** The wire is silent about what the clock alone does. */
function wordFor(from: MarketStatus, to: MarketStatus): LifecycleWord {
  if (to === 'active') return from === 'initialized' ? null : 'activated';
  if (to === 'inactive') return 'deactivated';
  if (to === 'determined' || to === 'amended') return 'determined';
  return to === 'finalized' ? 'settled' : null;
}

function payOut(floor: Floor, market: MarketRecord): void {
  market.settledAt = floor.now;
  for (const holding of market.holders) if (holding.yes.qty > 0 || holding.no.qty > 0) payHolding(floor, holding);
  floor.touchMarket(market);
  // In bulk: what is forgotten is looked for once, however much it is.
  if (floor.finalized.push(market) >= 2 * FINALIZED_MAX) forgetFirst(floor, FINALIZED_MAX);
}

function payHolding(floor: Floor, holding: Holding): void {
  const { account, market, yes, no, fees } = holding;
  const value = must(market.settlementValue, `settlement value of ${market.ticker}`);
  const before = { yesQty: yes.qty, yesCost: yes.cost, noQty: no.qty, noCost: no.cost };
  const revenue = floor.ledger.payOut(holding, value);
  holding.updatedAt = floor.now;
  floor.touchAccount(account);
  floor.touchHolding(holding);
  if (!account.keepsHistory) return;
  const settlement = {
    account: account.name,
    ticker: market.ticker,
    eventTicker: market.definition.eventTicker,
    result: must(market.result, `result of ${market.ticker}`),
    settlementValue: value,
    ...before,
    revenue,
    fees,
    at: floor.now,
  } as const;
  account.settlements.push(settlement);
  trimOldest(account.settlements);
  floor.tell({ type: 'settlement', at: floor.now, account: account.name, settlement });
}

/** Tells everyone what became of a market. */
export function tellMarket(
  floor: Floor,
  market: MarketRecord,
  { word, from }: { word: LifecycleWord; from: MarketStatus },
): void {
  market.updatedAt = floor.now;
  const view = marketView(market, floor.now);
  floor.tell({ type: 'market', at: floor.now, ticker: market.ticker, word, from, to: market.status, market: view });
}
