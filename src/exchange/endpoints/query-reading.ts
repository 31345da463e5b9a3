// Reads query strings by the profile's specification of each endpoint, and refuses an invalid parameter in the
// dialect's words. Must never guess a value.
import { type EndpointName, endpointOf } from '../../venues/trade-api/profiles/wire-profile.ts';
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import { WireFault } from '../../venues/trade-api/wire/wire-fault.ts';
import { NO_QUERY } from '../../venues/trade-api/wire/query-record.ts';
import type { QueryRecord } from '../../venues/trade-api/wire/wire-records.ts';
import type { RecordSpec } from '../../venues/trade-api/wire/record-spec.ts';
import type { EndpointCall } from '../api/endpoint-call.ts';
import { RequestFault, fillTemplate, queryError } from '../api/api-errors.ts';

const DEPTH_MAX = 100;

/** An invalid parameter: the broken rule as the wire names it, and the problem in words. */
export interface InvalidParameter {
  /** The parameter's name on the wire. */
  readonly field: string;
  readonly tag: 'required' | 'gte' | 'lte' | 'max' | 'oneof' | 'numeric' | 'boolean';
  readonly problem: string;
}

/** Builds the refusal of a query with an invalid parameter. */
export function invalidParameter(
  { request, profile }: EndpointCall,
  { field, tag, problem }: InvalidParameter,
): RequestFault {
  const { endpoint } = request;
  const template = profile.quirks.wrongQuery;
  if (template === null) return new RequestFault(queryError(`Parameter validation failed for ${endpoint}: ${problem}`));
  const operation = OPERATIONS[endpoint] ?? `Get${inPascal(endpoint)}`;
  const words = { operation, record: `${operation}Params`, field: inPascal(field), tag };
  return new RequestFault(queryError(fillTemplate(template, words)), problem);
}

/** The venue family's operation names, where they are not `Get` plus the endpoint's name. */
const OPERATIONS: Partial<Readonly<Record<EndpointName, string>>> = {
  book: 'GetMarketOrderbook',
  books: 'GetMarketOrderbooks',
  prints: 'GetTrades',
  candles: 'GetMarketCandlesticks',
  candlesBatch: 'BatchGetMarketCandlesticks',
  eventCandles: 'GetMarketCandlesticksByEvent',
  seriesList: 'GetSeriesList',
  historicalPrints: 'GetTradesHistorical',
  historicalCandles: 'GetMarketCandlesticksHistorical',
  queuePositions: 'GetOrderQueuePositions',
  forecastHistory: 'GetEventForecastPercentilesHistory',
  quoteRequests: 'GetRFQs',
  blockTrades: 'GetBlockTradeProposals',
  milestonesData: 'GetLiveDatas',
  collections: 'GetMultivariateEventCollections',
  incentives: 'GetIncentivePrograms',
};

const inPascal = (name: string): string =>
  name.replaceAll(/(?:^|_)([a-z])/g, (_whole, letter: string) => letter.toUpperCase());

/**
 * Reads the query of a call, with the endpoint's defaults for absent parameters.
 * @throws {RequestFault} when a parameter is invalid, or a required one is missing.
 */
export function readQuery(call: EndpointCall): QueryRecord {
  const { query: spec, required = [], defaults = {}, pageSize } = endpointOf(call.profile, call.request.endpoint);
  if (spec === undefined) return NO_QUERY;
  const query = decodeQuery(call, spec);
  for (const member of required) if (query[member] === null) throw absent(call, fieldOf(call, member));
  if (pageSize !== undefined)
    checkRange(call, query.limit, { field: fieldOf(call, 'limit'), from: pageSize.min, to: pageSize.max });
  checkRange(call, query.depth, { field: fieldOf(call, 'depth'), from: 0, to: DEPTH_MAX });
  return withDefaults({ ...query, limit: query.limit === 0 ? null : query.limit }, defaults);
}

function withDefaults(query: QueryRecord, defaults: Partial<QueryRecord>): QueryRecord {
  const given = Object.entries(query).filter(([, value]) => value !== null);
  return { ...NO_QUERY, ...defaults, ...Object.fromEntries(given) };
}

/** The wire's name of a query member. */
export function fieldOf({ profile, request }: EndpointCall, member: keyof QueryRecord): string {
  const field = endpointOf(profile, request.endpoint).query?.fields[member];
  return field !== undefined && 'wire' in field ? field.wire : member;
}

const absent = (call: EndpointCall, field: string): RequestFault =>
  invalidParameter(call, { field, tag: 'required', problem: `${field}: expected a value, found nothing` });

function checkRange(
  call: EndpointCall,
  found: number | null,
  range: { field: string; from: number; to: number },
): void {
  const { field, from, to } = range;
  if (found === null || (found >= from && found <= to)) return;
  const problem = `${field}: expected ${from} to ${to}, found ${found}`;
  throw invalidParameter(call, { field, tag: found > to ? 'lte' : 'gte', problem });
}

function decodeQuery(call: EndpointCall, spec: RecordSpec<QueryRecord>): QueryRecord {
  try {
    return codecOf(spec).decodeQuery(call.request.query, (kind, detail) => {
      if (!kind.startsWith('value ')) return;
      const place = kind.slice('value '.length);
      const problem = `${place}: expected a known word, found ${detail}`;
      throw invalidParameter(call, { field: place.slice(place.lastIndexOf('.') + 1), tag: 'oneof', problem });
    });
  } catch (fault) {
    if (!(fault instanceof WireFault)) throw fault;
    const { field, expected, found } = fault;
    throw invalidParameter(call, {
      field,
      tag: tagOf(fault),
      problem: `${field}: expected ${expected}, found ${found}`,
    });
  }
}

function tagOf({ expected, found }: WireFault): InvalidParameter['tag'] {
  if (found === 'nothing') return 'required';
  if (expected.startsWith('one of ')) return 'oneof';
  return expected === 'true or false' ? 'boolean' : 'numeric';
}
