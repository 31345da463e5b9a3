// Compares the regular reads of a session with its read budget, and its cancels with its trade budget. A session that reads
// too slowly cannot follow its account, and one that trades too slowly cannot cancel its orders.
import { ConfigValueFault } from '../../base/config-value-fault.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import { eventTicker, ticker } from '../../domain/ids.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { RateLimit } from '../../domain/rate-budget.ts';
import type { BudgetKind, ReadTarget } from '../../domain/venue-command.ts';
import { TICKERS_PER_LIST } from '../../execution/session/market-discovery.ts';
import type { Capabilities } from '../../venue.ts';
import { SAMPLE_CANCEL, budgetPlace, readOf } from './budget-check.ts';
import { budgetLimit } from './engine-setup.ts';

type ReadConfig = Pick<BotConfig, 'budgets' | 'orders' | 'upkeep' | 'markets'>;

const FILLS: ReadTarget = { what: 'fills', since: null };
const ORDERS: ReadTarget = { what: 'orders', status: 'any', since: null };
const POSITIONS: ReadTarget = { what: 'positions' };
const BALANCE: ReadTarget = { what: 'balance' };
const STATUS: ReadTarget = { what: 'status' };
const BOOK: ReadTarget = { what: 'book', market: 0 as MarketIndex, ticker: ticker('SAMPLE') };
const MARKETS: ReadTarget = { what: 'markets', by: { eventTicker: eventTicker('SAMPLE') } };

/** The reads of a session in comparison with its budget. */
export interface ReadRate {
  /** Units that the regular reads of `upkeep` cost in a second. */
  readonly upkeepPerSecond: number;
  /** Units that the budget allows in a second, on average. */
  readonly allowedPerSecond: number;
}

/**
 * Checks that the read budget is fast enough. Not for a replay: its session has run. Without a key, nothing is too slow:
 * there are no orders to look up.
 * @throws {ConfigValueFault} when no order could be looked up before `orders.unknownMax` closes its market.
 */
export function checkReadRate(
  { budgets, orders, upkeep, markets }: ReadConfig,
  { limits, cost }: Pick<Capabilities, 'limits' | 'cost'>,
  hasKey: boolean,
): ReadRate {
  const allowedPerSecond = unitsPerSecond(budgetLimit(limits.read, budgets, budgets.read));
  const costOf = (target: ReadTarget): number => cost(readOf(target));
  if (hasKey) refuseSlow('read', { budgets, orders, everySeconds: costOf(ORDERS) / allowedPerSecond });
  const lists = markets.events.length + markets.series.length + Math.ceil(markets.tickers.length / TICKERS_PER_LIST);
  const publicReads =
    costOf(BOOK) / (upkeep.audit / SECOND) + (costOf(STATUS) + lists * costOf(MARKETS)) / (upkeep.markets / SECOND);
  const accountReads =
    costOf(FILLS) / (upkeep.fills / SECOND) +
    (costOf(ORDERS) + costOf(POSITIONS) + costOf(BALANCE)) / (upkeep.compare / SECOND);
  return { upkeepPerSecond: publicReads + (hasKey ? accountReads : 0), allowedPerSecond };
}

/**
 * Checks that the trade budget is fast enough. Not for a replay: its session has run. Without a key there are no orders.
 * @throws {ConfigValueFault} when an order could not be canceled within `orders.unknownMax`.
 */
export function checkTradeRate(
  { budgets, orders }: Pick<ReadConfig, 'budgets' | 'orders'>,
  { limits, cost }: Pick<Capabilities, 'limits' | 'cost'>,
  hasKey: boolean,
): void {
  const allowedPerSecond = unitsPerSecond(budgetLimit(limits.trade, budgets, budgets.trade));
  if (hasKey) refuseSlow('trade', { budgets, orders, everySeconds: cost(SAMPLE_CANCEL) / allowedPerSecond });
}

interface Pace extends Pick<ReadConfig, 'budgets' | 'orders'> {
  /** Seconds between two requests, on average. */
  readonly everySeconds: number;
}

function refuseSlow(kind: BudgetKind, { budgets, orders, everySeconds }: Pace): void {
  const unknownMax = orders.unknownMax / SECOND;
  if (everySeconds <= unknownMax) return;
  const request = kind === 'read' ? 'a read' : 'a cancel';
  throw new ConfigValueFault(
    budgetPlace(budgets, kind),
    `a faster ${kind} budget: ${request} every ${unknownMax} s (orders.unknownMax) or more often, not every ${Math.ceil(everySeconds)} s`,
  );
}

const SECOND = 1_000_000;

/** Units that a limit allows in a second, on average. */
export const unitsPerSecond = (limit: RateLimit): number =>
  limit.model === 'token-bucket' ? limit.refillPerSecond : (limit.count * 1000) / limit.windowMs;

/** Describes regular reads that come later than the config asks for; `null` where they come in time. */
export function slowReadsText({ upkeepPerSecond, allowedPerSecond }: ReadRate): string | null {
  if (upkeepPerSecond <= allowedPerSecond) return null;
  const [wanted, allowed] = [upkeepPerSecond, allowedPerSecond].map((rate) => Number(rate.toPrecision(2)));
  return `the reads of upkeep cost ${wanted} units a second, and the read budget allows ${allowed}: fills, comparisons and lists of markets come later than upkeep says`;
}
