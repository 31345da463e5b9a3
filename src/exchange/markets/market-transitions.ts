// A market's life from listing to payout, driven by the operator's operations and by time. Must never pay a market out
// twice, or leave an order resting in a market that is over.
import { must } from '../../base/assert.ts';
import { MARKET_LIFE, type MarketResult, type MarketStatus } from '../../domain/market.ts';
import { type PriceRange, priceGrid } from '../../domain/price-grid.ts';
import { type Micros, NO_MONEY, NO_QTY, PAYOUT, type Price, micros } from '../../domain/units.ts';
import { RestingBook } from '../machine/resting-book.ts';
import { cancelAllInMarket, cancelForPause } from '../machine/order-changes.ts';
import { feeTermsError } from './fee-terms.ts';
import { type ExchangeState, trimOldest } from '../machine/exchange-state.ts';
import { removeOldestSettled } from './settled-removal.ts';
import { MarketHistory } from './market-history.ts';
import type { MarketDefinition, OperatorOp } from '../machine/exchange-input.ts';
import type { Answer, LifecycleMessage } from '../machine/exchange-output.ts';
import { refusedAnswer } from '../machine/order-placement.ts';
import type { Holding, MarketRecord } from '../machine/exchange-records.ts';
import { marketView } from '../machine/exchange-views.ts';

const DONE: Answer = { type: 'done' };
/** Paid-out markets remembered. At twice that number the older half is removed. */
const FINALIZED_MAX = 1000;
/** Lists a market. It opens at its opening time. */
export function defineMarket(state: ExchangeState, definition: MarketDefinition): Answer {
  if (state.markets.has(definition.ticker)) return refusedAnswer('already_exists', `market ${definition.ticker}`);
  const group = state.groups.get(definition.eventTicker);
  const series = group && state.series.get(group.seriesTicker);
  if (!series)
    return refusedAnswer('invalid_parameters', `market ${definition.ticker}: no event group ${definition.eventTicker}`);
  const error = definitionError(definition);
  if (error !== null) return refusedAnswer('invalid_parameters', `market ${definition.ticker}: ${error}`);
  const grid = priceGrid(definition.gridRanges);
  const market: MarketRecord = {
    index: state.nextMarketIndex(),
    ticker: definition.ticker,
    definition,
    seriesTicker: series.ticker,
    grid,
    schedule: state.feeScheduleOf(definition.eventTicker),
    book: new RestingBook(grid.cellCount),
    history: new MarketHistory(),
    status: 'initialized',
    closeAt: definition.closeAt,
    result: null,
    settlementValue: null,
    createdAt: state.now,
    updatedAt: state.now,
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
  state.addMarket(market);
  state.timers.schedule(definition.openAt, { type: 'open', market });
  state.timers.schedule(definition.closeAt, { type: 'close', market });
  emitMarket(state, market, { word: 'created', from: 'initialized' });
  return DONE;
}

function definitionError({ openAt, closeAt, qtyStep, settlementDelay, gridRanges }: MarketDefinition): string | null {
  if (!(openAt < closeAt)) return 'it closes before it opens';
  if (!Number.isSafeInteger(qtyStep) || qtyStep <= 0) return `quantity step ${qtyStep} is not a positive integer`;
  if (!(settlementDelay >= 0)) return 'its settlement delay is negative';
  return gridError(gridRanges);
}

/** The error in the ranges of a grid; `null` when they are valid. */
export const gridError = (ranges: readonly PriceRange[]): string | null =>
  ranges.length > 0 && ranges.every(isRange) ? null : 'a price range is empty or has no positive whole step';

const isRange = ({ start, end, step }: PriceRange): boolean =>
  Number.isInteger(step) && step > 0 && Number.isInteger(start) && start >= 0 && start < end && end <= PAYOUT;

/** Lists a series. Its event groups can be listed from then on. */
export function defineSeries(state: ExchangeState, { series }: OperatorOp & { type: 'define-series' }): Answer {
  if (state.series.has(series.ticker)) return refusedAnswer('already_exists', `series ${series.ticker}`);
  const error = feeTermsError(series);
  if (error !== null) return refusedAnswer('invalid_parameters', error);
  state.series.set(series.ticker, series);
  return DONE;
}

/** Lists an event group of a listed series. */
export function defineGroup(state: ExchangeState, { group }: OperatorOp & { type: 'define-group' }): Answer {
  if (state.groups.has(group.ticker)) return refusedAnswer('already_exists', `event group ${group.ticker}`);
  if (!state.series.has(group.seriesTicker))
    return refusedAnswer('invalid_parameters', `no series ${group.seriesTicker}`);
  const error = group.fees ? feeTermsError(group.fees) : null;
  if (error !== null) return refusedAnswer('invalid_parameters', error);
  state.groups.set(group.ticker, group);
  state.emitFact({ type: 'group', at: state.now, group });
  return DONE;
}

type LifeOp = Exclude<Extract<OperatorOp, { ticker: MarketDefinition['ticker'] }>, { type: 'set-grid' }>;

/** Applies an operator's operation to one market's life. */
export function applyMarketOp(state: ExchangeState, op: LifeOp): Answer {
  const market = state.markets.get(op.ticker);
  if (market === undefined) return refusedAnswer('market_not_found', op.ticker);
  const to = targetStatus(op, market);
  if (op.type === 'move-close') return moveClose(state, market, op.closeAt);
  if (to === null || !MARKET_LIFE[market.status].includes(to))
    return refusedAnswer('wrong_status', `cannot ${op.type} market ${op.ticker}, which is ${market.status}`);
  if (op.type === 'determine' || op.type === 'amend-result') {
    const value = checkedSettlementValue(op.result, op.settlementValue);
    if (value === null)
      return refusedAnswer('invalid_parameters', 'settlement value: expected with scalar, and only then');
    const other = op.result === 'yes' ? otherYesMarket(state, market) : undefined;
    if (other !== undefined)
      return refusedAnswer('invalid_parameters', `${other.ticker} is YES, and ${op.ticker} excludes it`);
    market.result = op.result;
    market.settlementValue = value;
    market.determinedAt = state.now;
  }
  if (op.type === 'close') closeEarly(state, market);
  changeStatus(state, market, to);
  return DONE;
}

/** Moves the close to now and reports the move, because the wire sends nothing for the close itself. */
function closeEarly(state: ExchangeState, market: MarketRecord): void {
  if (market.closeAt <= state.now) return;
  market.closeAt = state.now;
  emitMarket(state, market, { word: 'close_date_updated', from: market.status });
}

function otherYesMarket(state: ExchangeState, market: MarketRecord): MarketRecord | undefined {
  const { eventTicker } = market.definition;
  if (state.groups.get(eventTicker)?.isExclusive !== true) return undefined;
  const others = state.marketsByGroup.get(eventTicker) ?? [];
  return [...others].find((other) => other !== market && other.result === 'yes');
}

function targetStatus(op: LifeOp, market: MarketRecord): MarketStatus | null {
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

function checkedSettlementValue(result: MarketResult, settlementValue: Price | null): Price | null {
  if (result === 'scalar') {
    const isPrice = settlementValue !== null && Number.isInteger(settlementValue);
    return isPrice && settlementValue >= 0 && settlementValue <= PAYOUT ? settlementValue : null;
  }
  if (settlementValue !== null) return null;
  return result === 'yes' ? PAYOUT : (0 as Price);
}

/** Moves the close. A closed market without a result opens again. */
function moveClose(state: ExchangeState, market: MarketRecord, closeAt: Micros): Answer {
  if (!['initialized', 'active', 'inactive', 'closed'].includes(market.status))
    return refusedAnswer('wrong_status', `cannot move the close of market ${market.ticker}, which is ${market.status}`);
  if (closeAt <= state.now) return refusedAnswer('invalid_parameters', 'close: expected a future time');
  market.closeAt = closeAt;
  state.timers.schedule(closeAt, { type: 'close', market });
  emitMarket(state, market, { word: 'close_date_updated', from: market.status });
  if (market.status === 'closed') changeStatus(state, market, 'active');
  return DONE;
}

/** Applies a scheduled transition: `open`, `close` or `settle`. */
export function applyDueTransition(state: ExchangeState, market: MarketRecord, due: 'open' | 'close' | 'settle'): void {
  changeStatus(state, market, ({ open: 'active', close: 'closed', settle: 'finalized' } as const)[due]);
}

function changeStatus(state: ExchangeState, market: MarketRecord, to: MarketStatus): void {
  const from = market.status;
  if (from === 'inactive' && to === 'active') cancelAllInMarket(state, market, 'HaltCancel');
  if (to === 'closed') cancelAllInMarket(state, market, 'CloseCancel');
  if (to === 'inactive') cancelForPause(state, [market]);
  market.status = to;
  market.settleAt = null;
  if (to === 'determined' || to === 'amended') {
    market.settleAt = micros(state.now + market.definition.settlementDelay);
    state.timers.schedule(market.settleAt, { type: 'settle', market });
  }
  if (to === 'finalized') payOut(state, market);
  emitMarket(state, market, { word: lifecycleMessageOf(from, to), from });
}

/** The lifecycle message of a status change. The wire sends none for the first opening, a close or a dispute. */
function lifecycleMessageOf(from: MarketStatus, to: MarketStatus): LifecycleMessage {
  if (to === 'active') return from === 'initialized' ? null : 'activated';
  if (to === 'inactive') return 'deactivated';
  if (to === 'determined' || to === 'amended') return 'determined';
  return to === 'finalized' ? 'settled' : null;
}

function payOut(state: ExchangeState, market: MarketRecord): void {
  market.settledAt = state.now;
  for (const holding of market.holders) if (holding.yes.qty > 0 || holding.no.qty > 0) payHolding(state, holding);
  state.markMarketChanged(market);
  // Markets are removed in bulk: the search through accounts costs the same for one market as for many.
  if (state.finalized.push(market) >= 2 * FINALIZED_MAX) removeOldestSettled(state, FINALIZED_MAX);
}

function payHolding(state: ExchangeState, holding: Holding): void {
  const { account, market, yes, no, fees } = holding;
  const value = must(market.settlementValue, `settlement value of ${market.ticker}`);
  const before = { yesQty: yes.qty, yesCost: yes.cost, noQty: no.qty, noCost: no.cost };
  const revenue = state.ledger.payOutHolding(holding, value);
  holding.updatedAt = state.now;
  state.markAccountChanged(account);
  state.markHoldingChanged(holding);
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
    at: state.now,
  } as const;
  account.settlements.push(settlement);
  trimOldest(account.settlements);
  state.emitFact({ type: 'settlement', at: state.now, account: account.name, settlement });
}

/** Emits a market change to everyone. */
export function emitMarket(
  state: ExchangeState,
  market: MarketRecord,
  { word, from }: { word: LifecycleMessage; from: MarketStatus },
): void {
  market.updatedAt = state.now;
  const view = marketView(market, state.now);
  state.emitFact({ type: 'market', at: state.now, ticker: market.ticker, word, from, to: market.status, market: view });
}
