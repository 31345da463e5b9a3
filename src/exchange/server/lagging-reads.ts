// Reads that lag behind: whether they show what was made since the moment they are of.
// Must never show a change of what was there at that moment.
import type { ExchangeReader } from '../exchange.ts';
import type { Call } from './call.ts';

type Reading = Pick<Call, 'exchange' | 'session' | 'profile'>;

/** The exchange as it is now, where a read lags behind it and new things are shown all the same; else `null`. */
const presentOf = ({ exchange, session, profile }: Reading): ExchangeReader | null =>
  exchange !== session.exchange && profile.readings.newInLaggingReads === 'shown' ? session.exchange : null;

/** The rows that a read shows: those of its moment, and after them the new ones where they are shown. */
export function shownRows<Row>(
  call: Reading,
  { list, idOf }: { readonly list: (exchange: ExchangeReader) => readonly Row[]; readonly idOf: (row: Row) => string },
): readonly Row[] {
  const rows = list(call.exchange);
  const present = presentOf(call);
  if (present === null) return rows;
  const known = new Set(rows.map(idOf));
  return [...rows, ...list(present).filter((row) => !known.has(idOf(row)))];
}

/** One thing that a read shows; `undefined` where it is not there, or is new and hidden. */
export const shownOne = <Thing>(
  call: Reading,
  find: (exchange: ExchangeReader) => Thing | undefined,
): Thing | undefined => {
  const present = presentOf(call);
  return find(call.exchange) ?? (present === null ? undefined : find(present));
};
