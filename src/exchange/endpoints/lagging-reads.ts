// Answers reads from the lagging replica. Some profiles add objects that the replica lacks. Must never show a newer
// state of an object that the replica has.
import type { ExchangeReader } from '../machine/exchange-interface.ts';
import type { EndpointCall } from '../api/endpoint-call.ts';

type ReadCall = Pick<EndpointCall, 'exchange' | 'session' | 'profile'>;

/** The current exchange, when a read lags and the profile shows newer objects; otherwise `null`. */
const currentOf = ({ exchange, session, profile }: ReadCall): ExchangeReader | null =>
  exchange !== session.exchange && profile.readings.newInLaggingReads === 'shown' ? session.exchange : null;

/** The rows of a read: the replica's, then newer rows when they are shown. */
export function visibleRows<Row>(
  call: ReadCall,
  { list, idOf }: { readonly list: (exchange: ExchangeReader) => readonly Row[]; readonly idOf: (row: Row) => string },
): readonly Row[] {
  const rows = list(call.exchange);
  const current = currentOf(call);
  if (current === null) return rows;
  const known = new Set(rows.map(idOf));
  return [...rows, ...list(current).filter((row) => !known.has(idOf(row)))];
}

/** The object of a read; `undefined` when it does not exist, or is newer and hidden. */
export const visibleItem = <Item>(
  call: ReadCall,
  find: (exchange: ExchangeReader) => Item | undefined,
): Item | undefined => {
  const current = currentOf(call);
  return find(call.exchange) ?? (current === null ? undefined : find(current));
};
