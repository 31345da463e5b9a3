// Reads query strings, as the profile's records say; a parameter that does not fit is refused in the words of the dialect.
// Must never guess: what was expected and what was found is said as far as the dialect says any of it.
import type { EndpointName } from '../../venues/trade-api/profile.ts';
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import { WireFault } from '../../venues/trade-api/wire/fault.ts';
import type { QueryRecord } from '../../venues/trade-api/wire/records.ts';
import type { RecordSpec } from '../../venues/trade-api/wire/spec.ts';
import type { Call } from './call.ts';
import { RequestFault, filled, wrongQuery } from './refusals.ts';

const DEPTH_MAX = 100;

/** What a parameter was to be, as checkers of such things call it, and in words. */
export interface WrongParameter {
  /** As the wire spells it. */
  readonly field: string;
  readonly tag: 'required' | 'gte' | 'lte' | 'max' | 'oneof' | 'numeric';
  readonly problem: string;
}

/** Refuses a query. */
export function wrongParameter({ request, profile }: Call, { field, tag, problem }: WrongParameter): RequestFault {
  const { endpoint } = request;
  const theirs = profile.manners.wrongQuery;
  if (theirs === null) return new RequestFault(wrongQuery(`Parameter validation failed for ${endpoint}: ${problem}`));
  const operation = OPERATIONS[endpoint] ?? `Get${inPascal(endpoint)}`;
  const words = { operation, record: `${operation}Params`, field: inPascal(field), tag };
  return new RequestFault(wrongQuery(filled(theirs, words)));
}

/** What the family calls its reads, where it is not `Get` and what they are of. */
const OPERATIONS: Partial<Readonly<Record<EndpointName, string>>> = {
  book: 'GetMarketOrderbook',
  books: 'GetMarketOrderbooks',
  prints: 'GetTrades',
  candles: 'GetMarketCandlesticks',
  candlesBatch: 'BatchGetMarketCandlesticks',
  eventCandles: 'GetMarketCandlesticksByEvent',
  seriesList: 'GetSeriesList',
  historicalPrints: 'GetTradesHistorical',
  queuePositions: 'GetOrderQueuePositions',
};

const inPascal = (name: string): string =>
  name.replaceAll(/(?:^|_)([a-z])/g, (_whole, letter: string) => letter.toUpperCase());

/**
 * Reads the query of a call; `rowsMax` is how many rows it may ask for.
 * @throws {RequestFault} when a parameter does not fit.
 */
export function readQuery(call: Call, spec: RecordSpec<QueryRecord>, rowsMax?: number): QueryRecord {
  const query = decodeQuery(call, spec);
  checkRange(call, query.limit, { field: 'limit', from: 1, to: rowsMax ?? call.profile.abilities.pageRowsMax });
  checkRange(call, query.depth, { field: 'depth', from: 0, to: DEPTH_MAX });
  return query;
}

function checkRange(call: Call, found: number | null, range: { field: string; from: number; to: number }): void {
  const { field, from, to } = range;
  if (found === null || (found >= from && found <= to)) return;
  const problem = `${field}: expected ${from} to ${to}, found ${found}`;
  throw wrongParameter(call, { field, tag: found > to ? 'lte' : 'gte', problem });
}

function decodeQuery(call: Call, spec: RecordSpec<QueryRecord>): QueryRecord {
  try {
    return codecOf(spec).decodeQuery(call.request.query, (kind, detail) => {
      if (!kind.startsWith('value ')) return;
      const place = kind.slice('value '.length);
      const problem = `${place}: expected a known word, found ${detail}`;
      throw wrongParameter(call, { field: place.slice(place.lastIndexOf('.') + 1), tag: 'oneof', problem });
    });
  } catch (fault) {
    if (!(fault instanceof WireFault)) throw fault;
    const { field, expected, found } = fault;
    const tag = found === 'nothing' ? 'required' : 'numeric';
    throw wrongParameter(call, { field, tag, problem: `${field}: expected ${expected}, found ${found}` });
  }
}
