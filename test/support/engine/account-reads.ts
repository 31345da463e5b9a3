// Answers of a scripted venue to reads of the account: orders, fills, positions, settlements, balance, a page at a
// time. Must never change the ledger that it reads.
import type { ReadCommand } from '../../../src/domain/venue-command.ts';
import type { EngineEvent, FillReport, OrderReport, SettlementReport } from '../../../src/domain/event.ts';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import type { Position } from '../../../src/domain/position.ts';
import { type Micros, type Money, qty } from '../../../src/domain/units.ts';

export type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
/** An event without its time. */
export type UntimedEvent = DistributiveOmit<EngineEvent, 'at'>;

/** The account as the venue holds it. */
export interface AccountLedger {
  readonly orders: readonly OrderReport[];
  readonly fills: readonly FillReport[];
  readonly settlements: readonly SettlementReport[];
  readonly positions: ReadonlyMap<MarketIndex, Position>;
  readonly available: Money;
  readonly now: Micros;
  readonly pageSize: number;
}

/** The answer to a read of the account; `null` when the read is about something else. */
export function accountAnswer(
  { target, id: commandId, cursor }: ReadCommand,
  ledger: AccountLedger,
): UntimedEvent | null {
  const request = { commandId, askedAt: ledger.now };
  const page = <Row>(rows: readonly Row[]): { rows: readonly Row[]; cursor: string | null } =>
    pageOf(rows, cursor, ledger.pageSize);
  switch (target.what) {
    case 'orders': {
      const rows = ledger.orders.filter(({ status }) => target.status === 'any' || status === 'working');
      return { kind: 'orders', ...request, ...page(rows) };
    }
    case 'order': {
      const order = ledger.orders.find((order) => order.venueOrderId === target.venueOrderId) ?? null;
      return { kind: 'order-found', ...request, order };
    }
    case 'fills': {
      const { since } = target;
      const rows = ledger.fills.filter(({ exchangeAt }) => since === null || (exchangeAt ?? 0) >= since);
      return { kind: 'fills', ...request, ...page(rows) };
    }
    case 'settlements': {
      const { since } = target;
      const rows = ledger.settlements.filter(({ settledAt }) => since === null || settledAt >= since);
      return { kind: 'settlements', ...request, ...page(rows) };
    }
    case 'positions': {
      const held = [...ledger.positions].filter(([, { qty: size }]) => size !== 0);
      return { kind: 'positions', ...request, ...page(held.map(([market, position]) => ({ market, ...position }))) };
    }
    case 'queue-positions': {
      // Every order is the first in its queue, unless the script says otherwise.
      const working = ledger.orders.filter(({ status }) => status === 'working');
      const rows = working.map(({ venueOrderId }) => ({ venueOrderId, aheadQty: qty(0) }));
      return { kind: 'queue-positions', ...request, rows };
    }
    case 'balance':
      return { kind: 'balance', ...request, available: ledger.available };
    case 'book':
    case 'event':
    case 'events':
    case 'fee-changes':
    case 'limits':
    case 'market':
    case 'markets':
    case 'series':
    case 'status':
      return null;
  }
}

function pageOf<Row>(
  rows: readonly Row[],
  cursor: string | null,
  size: number,
): { rows: readonly Row[]; cursor: string | null } {
  const from = cursor === null ? 0 : Number(cursor);
  const next = from + size;
  return { rows: rows.slice(from, next), cursor: next < rows.length ? String(next) : null };
}
