// Reads the venue's rate limits and endpoint costs before a session. A term that cannot be read keeps the profile's
// value. Must never delay a session for longer than a few requests take.
import { EPOCH, type Micros } from '../../../domain/units.ts';
import type { ReadCommand } from '../../../domain/venue-command.ts';
import type { HttpClient, HttpOutcome } from '../../../transport/http-client.ts';
import type { AnswerOutcome, RateLimit } from '../../../venue.ts';
import type { Credential } from '../signing/authorizer.ts';
import { TradeApiGateway } from './trade-api-gateway.ts';
import { type Endpoint, type WireProfile, pathOf } from '../profiles/wire-profile.ts';
import type { EndpointCosts } from './request-builder.ts';
import { codecOf } from '../wire/codec.ts';
import { WireFault } from '../wire/wire-fault.ts';
import { parseBody } from '../wire/json-record.ts';
import type * as Wire from '../wire/wire-records.ts';
import type { RecordSpec } from '../wire/record-spec.ts';

/** The terms that were read. A member that was not read is absent. */
export interface PublishedTerms {
  readonly limits: { readonly read?: RateLimit; readonly trade?: RateLimit };
  readonly costs: EndpointCosts;
  /** The venue's name for the account's rate-limit tier. */
  readonly tier: string | null;
}

export interface PublishedTermsOptions {
  readonly profile: WireProfile;
  readonly http: HttpClient;
  /** `null` without a key: only public terms are read. */
  readonly credential: Credential | null;
  readonly clock: () => Micros;
  /** Called for each part that could not be read, with the reason. */
  readonly onUnreadable: (what: string, why: string) => void;
}

const TIMEOUT_MS = 3000;

/**
 * Reads a venue's terms, if its dialect publishes endpoint costs. Never rejects. The status is read first, to learn the
 * clock offset: a wrong local clock would invalidate the signed read of the limits.
 */
export async function readPublishedTerms(options: PublishedTermsOptions): Promise<PublishedTerms> {
  const { endpoints, records } = options.profile;
  const spec = records.extensions?.endpointCosts;
  if (endpoints.endpointCosts === undefined || spec === undefined) return { limits: {}, costs: {}, tier: null };
  const [costs, limits] = await Promise.all([readCosts(options, spec), readLimits(options)]);
  return { costs, ...limits };
}

async function readCosts(options: PublishedTermsOptions, spec: RecordSpec<Wire.CostsRecord>): Promise<EndpointCosts> {
  const { profile, http, onUnreadable } = options;
  const path = pathOf(profile, 'endpointCosts');
  const outcome = await http.request({ method: 'GET', path, headers: {}, body: null, timeoutMs: TIMEOUT_MS });
  const read = readAnswer(outcome, spec);
  if (typeof read !== 'string') return endpointCostsOf(profile, read);
  onUnreadable('the endpoint costs', read);
  return {};
}

async function readLimits(options: PublishedTermsOptions): Promise<Omit<PublishedTerms, 'costs'>> {
  const { profile, http, credential, clock, onUnreadable } = options;
  const unknown = { limits: {}, tier: null };
  if (credential === null) return unknown;
  const timeouts = { orderTimeoutMs: TIMEOUT_MS, readTimeoutMs: TIMEOUT_MS };
  const gateway = new TradeApiGateway({ profile, http, credential, clock, ...timeouts });
  const { signal } = new AbortController();
  await gateway.send(readOf('status'), signal);
  const { outcome } = await gateway.send(readOf('limits'), signal);
  const read = readAnswer(outcome, profile.records.limits);
  if (typeof read === 'string') {
    onUnreadable('its rate limits', read);
    return unknown;
  }
  const [readLimit, tradeLimit] = [limitOf(read.read), limitOf(read.trade)];
  if (readLimit === null || tradeLimit === null) onUnreadable('its rate limits', 'one of them is not a limit');
  const limits = { ...(readLimit && { read: readLimit }), ...(tradeLimit && { trade: tradeLimit }) };
  return { limits, tier: read.tier };
}

const readOf = (what: 'status' | 'limits'): ReadCommand => ({
  type: 'read',
  lane: 'read',
  id: 0,
  target: { what },
  cursor: null,
  createdAt: EPOCH,
  validUntil: null,
});

function readAnswer<T>(outcome: HttpOutcome | AnswerOutcome, spec: RecordSpec<T>): T | string {
  if (outcome.type !== 'answered') return outcome.reason;
  const { status, body } = outcome;
  if (status < 200 || status >= 300) return `it was answered with status ${status}`;
  try {
    return codecOf(spec).decode(parseBody(body));
  } catch (fault) {
    if (fault instanceof WireFault) return fault.message;
    throw fault;
  }
}

/** A limit as a token bucket or a rolling window; `null` when the record describes neither, or allows no request. */
function limitOf({ refillPerSecond, capacity, count, windowMs }: Wire.LimitRecord): RateLimit | null {
  if (isSome(refillPerSecond) && isSome(capacity)) return { model: 'token-bucket', refillPerSecond, capacity };
  return isSome(count) && isSome(windowMs) ? { model: 'rolling-window', count, windowMs } : null;
}

const isSome = (value: number | null): value is number => value !== null && value > 0;

/** The costs of a profile's endpoints by the venue's list. An unlisted endpoint has the default cost. */
export function endpointCostsOf(profile: WireProfile, { defaultCost, costs }: Wire.CostsRecord): EndpointCosts {
  const costsByName = new Map(costs.map((row) => [shapeOf(row.method, row.path), row.cost]));
  const named = Object.entries(profile.endpoints).map(([name, { method, path }]: [string, Endpoint]) => [
    name,
    costsByName.get(shapeOf(method, profile.basePath + path)) ?? defaultCost,
  ]);
  // tidy: as (the names are those of the profile's endpoints)
  return Object.fromEntries(named) as EndpointCosts;
}

/** A method and a path with `*` for each placeholder, such as `{orderId}` or `:order_id`. */
const shapeOf = (method: string, path: string): string =>
  `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}|:\w+/g, '*')}`;
