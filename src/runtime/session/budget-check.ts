// Checks that each kind of request fits its rate budget. A part of the budget is kept free for more urgent requests. A
// request that does not fit would wait forever. Must run before a session begins: later it is too late to refuse the
// config.
import type { BotConfig } from '../../config/bot-config.ts';
import { ConfigValueFault } from '../../base/config-value-fault.ts';
import {
  type BudgetKind,
  type CancelCommand,
  type ReadTarget,
  type RequestCommand,
  budgetOf,
} from '../../domain/venue-command.ts';
import { clientOrderId, strategyName, ticker, venueOrderId } from '../../domain/ids.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import { capacityOf } from '../../domain/rate-budget.ts';
import { DEFAULT_TERMS } from '../../domain/orders/order-terms.ts';
import { CENT_GRID, priceOfCell } from '../../domain/price-grid.ts';
import { EPOCH, qty } from '../../domain/units.ts';
import type { EngineOptions } from '../../engine.ts';

const COMMON = { id: 0, createdAt: EPOCH, validUntil: null } as const;
const ORDER = {
  ...COMMON,
  clientOrderId: clientOrderId('sample'),
  venueOrderId: venueOrderId('sample'),
  ticker: ticker('SAMPLE'),
} as const;
const TERMS = { side: 'buy', price: priceOfCell(CENT_GRID, 0), qty: qty(100) } as const;
/** A cancel, to ask for its cost. */
export const SAMPLE_CANCEL: CancelCommand = { ...ORDER, type: 'cancel', lane: 'cancel' };

/** A read of a target, to ask for its cost. */
export const readOf = (target: ReadTarget): RequestCommand => ({
  ...COMMON,
  type: 'read',
  lane: 'care',
  target,
  cursor: null,
});

/** One request of each kind. The venue's cost function gives the cost of each. */
const SAMPLES: readonly RequestCommand[] = [
  {
    ...ORDER,
    ...TERMS,
    type: 'place',
    lane: 'new',
    strategy: strategyName('sample'),
    market: 0 as MarketIndex,
    ...DEFAULT_TERMS,
  },
  { ...ORDER, ...TERMS, type: 'amend', lane: 'new' },
  { ...ORDER, type: 'decrease', lane: 'reduce', leavesQty: qty(100) },
  SAMPLE_CANCEL,
  readOf({ what: 'positions' }),
  readOf({ what: 'orders', status: 'any', since: null }),
  readOf({ what: 'book', market: 0 as MarketIndex, ticker: ticker('SAMPLE') }),
];

/** Sent only to a venue that reports queue positions. */
const QUEUES = readOf({ what: 'queue-positions', tickers: [ticker('SAMPLE')] });

/**
 * Checks the budgets that a session would run with.
 * @throws {ConfigValueFault} when a budget can never hold some kind of request.
 */
export function checkBudgets(options: BudgetOptions, configured: BotConfig['budgets']): void {
  const { budgets, cost, cancelReserve, careReserve, hasKey, canReadQueue = false } = options;
  for (const command of canReadQueue ? [...SAMPLES, QUEUES] : SAMPLES) {
    const kind = budgetOf(command);
    if (kind === 'trade' && !hasKey) continue;
    const capacity = capacityOf(budgets[kind].limit);
    const reserve = reserveOf(command, { cancelReserve, careReserve });
    const needed = cost(command);
    if (needed + reserve <= capacity) continue;
    const setting = kind === 'trade' ? 'budgets.cancelReserve' : 'budgets.careShare';
    throw new ConfigValueFault(
      budgetPlace(configured, kind),
      `a larger ${kind} budget, or less of it kept free by ${setting} (a ${command.type} costs ${needed}, and ${reserve} of ${capacity} are kept free)`,
    );
  }
}

/** The member of the config that decides a budget: the config's own limit, or the share of the venue's. */
export function budgetPlace(
  budgets: BotConfig['budgets'],
  kind: BudgetKind,
): { readonly place: string; readonly value: number } {
  const own = budgets[kind];
  if (own === undefined) return { place: 'budgets.share', value: budgets.share };
  return { place: `budgets.${kind}.count`, value: own.count };
}

type BudgetOptions = Pick<
  EngineOptions,
  'budgets' | 'cost' | 'cancelReserve' | 'careReserve' | 'hasKey' | 'canReadQueue'
>;

function reserveOf(command: RequestCommand, reserves: Pick<BudgetOptions, 'cancelReserve' | 'careReserve'>): number {
  if (command.lane === 'cancel') return 0;
  return command.type === 'read' ? reserves.careReserve : reserves.cancelReserve;
}
