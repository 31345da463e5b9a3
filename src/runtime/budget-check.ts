// Whether every kind of request fits its budget at all, its lane's reserve included: what does not would wait for ever.
// Must be asked before a session begins; while one runs it is too late to say so.
import type { ReadTarget, RequestCommand } from '../domain/command.ts';
import { budgetOf } from '../domain/command.ts';
import { clientOrderId, strategyName, ticker, venueOrderId } from '../domain/ids.ts';
import type { MarketIndex } from '../domain/ids.ts';
import { CENT_GRID, priceOfCell } from '../domain/price-grid.ts';
import { EPOCH, qty } from '../domain/units.ts';
import type { EngineOptions } from '../engine.ts';

/** A budget that some request can never be sent with. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';
}

const COMMON = { id: 0, createdAt: EPOCH, validUntil: null } as const;
const ORDER = {
  ...COMMON,
  clientOrderId: clientOrderId('sample'),
  venueOrderId: venueOrderId('sample'),
  ticker: ticker('SAMPLE'),
} as const;
const TERMS = { side: 'buy', price: priceOfCell(CENT_GRID, 0), qty: qty(100) } as const;
const read = (target: ReadTarget): RequestCommand => ({ ...COMMON, type: 'read', lane: 'care', target, cursor: null });

/** One request of each kind: what it costs is the venue's to say. */
const SAMPLES: readonly RequestCommand[] = [
  {
    ...ORDER,
    ...TERMS,
    type: 'place',
    lane: 'new',
    strategy: strategyName('sample'),
    market: 0 as MarketIndex,
    timeInForce: 'gtc',
    postOnly: false,
    reduceOnly: false,
    expiresAt: null,
  },
  { ...ORDER, ...TERMS, type: 'amend', lane: 'new' },
  { ...ORDER, type: 'decrease', lane: 'reduce', leavesQty: qty(100) },
  { ...ORDER, type: 'cancel', lane: 'cancel' },
  read({ what: 'positions' }),
  read({ what: 'orders', status: 'any', since: null }),
  read({ what: 'book', market: 0 as MarketIndex, ticker: ticker('SAMPLE') }),
];

/** Asked only of a venue that tells. */
const QUEUES = read({ what: 'queue-positions', tickers: [ticker('SAMPLE')] });

/**
 * Checks the budgets that a session would run with.
 * @throws {BudgetError} when one of them could never hold a request of some kind.
 */
export function checkBudgets(options: BudgetOptions): void {
  const { budgets, cost, cancelReserve, careReserve, hasKey, tellsQueue = false } = options;
  for (const command of tellsQueue ? [...SAMPLES, QUEUES] : SAMPLES) {
    const kind = budgetOf(command);
    if (kind === 'trade' && !hasKey) continue;
    const { limit } = budgets[kind];
    const capacity = limit.model === 'rolling-window' ? limit.count : limit.capacity;
    const reserve = reserveOf(command, { cancelReserve, careReserve });
    const needed = cost(command);
    if (needed + reserve <= capacity) continue;
    const kept = kind === 'trade' ? 'budgets.cancelReserve' : 'budgets.careShare';
    throw new BudgetError(
      `the ${kind} budget is too small: a ${command.type} costs ${needed}, and ${reserve} of its ${capacity} are kept free by ${kept}; raise budgets.share or budgets.${kind}, or keep less free`,
    );
  }
}

type BudgetOptions = Pick<
  EngineOptions,
  'budgets' | 'cost' | 'cancelReserve' | 'careReserve' | 'hasKey' | 'tellsQueue'
>;

function reserveOf(command: RequestCommand, kept: Pick<BudgetOptions, 'cancelReserve' | 'careReserve'>): number {
  if (command.lane === 'cancel') return 0;
  return command.type === 'read' ? kept.careReserve : kept.cancelReserve;
}
