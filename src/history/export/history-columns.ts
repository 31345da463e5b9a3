// Columns of the tables that are printed and written to files. Pure.
import { type Micros, formatMoney, formatPrice, formatQty, micros, money, price, qty } from '../../domain/units.ts';
import type { HeldRow } from '../queries/account-query.ts';
import type { OrderRow, SessionRow, TimelineRow, TradeRow } from '../queries/history-queries.ts';
import type { ProfitRow } from '../queries/profit-queries.ts';
import { isoMicros } from '../../tape/format/iso-time.ts';

/** Kind of a column's values: it decides how they are written. */
export type ColumnKind = 'text' | 'count' | 'number' | 'money' | 'price' | 'qty' | 'time';

/** A column of a table. */
export interface HistoryColumn<Row> {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly valueOf: (row: Row) => string | number | null;
}

/** Makes a column of rows. */
export const column = <Row>(
  name: string,
  kind: ColumnKind,
  valueOf: (row: Row) => string | number | null,
): HistoryColumn<Row> => ({ name, kind, valueOf });

/** A value as text, with all digits. */
export function cellText(kind: ColumnKind, value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  switch (kind) {
    case 'money':
      return formatMoney(money(value));
    case 'price':
      return formatPrice(price(value));
    case 'qty':
      return formatQty(qty(value));
    case 'time':
      return isoMicros(timeOf(value));
    case 'text':
    case 'count':
    case 'number':
      return String(value);
  }
}

const timeOf = (value: number): Micros => micros(value);

export const TRADE_COLUMNS: readonly HistoryColumn<TradeRow>[] = [
  column('at', 'time', ({ venueUs, atUs }) => venueUs ?? atUs),
  column('strategy', 'text', ({ strategy }) => strategy),
  column('market', 'text', ({ ticker }) => ticker),
  column('side', 'text', ({ side }) => side),
  column('price', 'price', ({ price: at }) => at),
  column('qty', 'qty', ({ qty: count }) => count),
  column('fee', 'money', ({ feeMicros }) => feeMicros),
  column('cash', 'money', ({ cashMicros }) => cashMicros),
  column('realized', 'money', ({ realizedMicros }) => realizedMicros),
  column('role', 'text', ({ isTaker }) => (isTaker === 1 ? 'taker' : 'maker')),
  column('order', 'text', ({ clientOrderId, venueOrderId }) => clientOrderId ?? venueOrderId),
  column('trade', 'text', ({ tradeId }) => tradeId),
  column('session', 'text', ({ session }) => session),
];

export const ORDER_COLUMNS: readonly HistoryColumn<OrderRow>[] = [
  column('sent', 'time', ({ sentUs }) => sentUs),
  column('strategy', 'text', ({ strategy }) => strategy),
  column('market', 'text', ({ ticker }) => ticker),
  column('side', 'text', ({ side }) => side),
  column('price', 'price', ({ price: at }) => at),
  column('qty', 'qty', ({ qty: count }) => count),
  column('filled', 'qty', ({ filledQty }) => filledQty),
  column('state', 'text', ({ state }) => state),
  column('ended', 'time', ({ endedUs }) => endedUs),
  column('why', 'text', ({ endWhy }) => endWhy),
  column('order', 'text', ({ clientOrderId }) => clientOrderId),
  column('venue_order', 'text', ({ venueOrderId }) => venueOrderId),
  column('session', 'text', ({ session }) => session),
];

export const SESSION_COLUMNS: readonly HistoryColumn<SessionRow>[] = [
  column('session', 'text', ({ session }) => session),
  column('started', 'time', ({ startedUs }) => startedUs),
  column('last', 'time', ({ lastUs }) => lastUs),
  column('end', 'text', ({ how }) => how),
  column('profile', 'text', ({ profile, isPaper }) => (isPaper === 1 ? `${profile ?? '?'} (paper)` : profile)),
  column('version', 'text', ({ version }) => version),
  column('orders', 'count', ({ orders }) => orders),
  column('fills', 'count', ({ fills }) => fills),
  column('fees', 'money', ({ feeMicros }) => feeMicros),
  column('realized', 'money', ({ realizedMicros }) => realizedMicros),
  column('journal', 'text', ({ journal, isWhole }) =>
    isWhole === 1 ? journal : `${journal} (its beginning is missing)`,
  ),
];

export const TIMELINE_COLUMNS: readonly HistoryColumn<TimelineRow>[] = [
  column('at', 'time', ({ atUs }) => atUs),
  column('kind', 'text', ({ kind }) => kind),
  column('code', 'text', ({ code }) => code),
  column('scope', 'text', ({ scope }) => scope),
  column('who', 'text', ({ who }) => who),
  column('amount', 'money', ({ micros }) => micros),
  column('session', 'text', ({ session }) => session),
  column('text', 'text', ({ text }) => text),
];

export const HELD_COLUMNS: readonly HistoryColumn<HeldRow>[] = [
  column('market', 'text', ({ ticker }) => ticker),
  column('held', 'qty', ({ qty: held }) => held),
  column('cost', 'money', ({ costMicros }) => costMicros),
  column('mark', 'price', ({ mark }) => mark),
  column('value', 'money', ({ valueMicros }) => valueMicros),
  column('realized', 'money', ({ realizedMicros }) => realizedMicros),
  column('fees', 'money', ({ feeMicros }) => feeMicros),
  column('as_of', 'time', ({ atUs }) => atUs),
];

/** Columns of a profit. The first column has the group's name. */
export const profitColumns = (group: string): readonly HistoryColumn<ProfitRow>[] => [
  column(group, 'text', ({ group: name }) => name),
  column('fills', 'count', ({ fills }) => fills),
  column('contracts', 'qty', ({ contracts }) => contracts),
  column('cash', 'money', ({ cashMicros }) => cashMicros),
  column('fees', 'money', ({ feeMicros }) => feeMicros),
  column('paid', 'money', ({ paidMicros }) => paidMicros),
  column('marks', 'money', ({ markMicros }) => markMicros),
  column('profit', 'money', ({ profitMicros }) => profitMicros),
];
