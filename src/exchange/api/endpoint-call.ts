// Types of the server: a request as received, an answer as sent, a call as an endpoint sees it. Must never depend on
// the transport.
import { RateBudget, type RateLimit } from '../../domain/rate-budget.ts';
import type { EndpointName, RetiredEndpoint, WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';
import type { Query } from '../../venues/trade-api/wire/codec.ts';
import type { ExchangeReader } from '../machine/exchange-interface.ts';
import type { AccountName } from '../machine/exchange-input.ts';
import type { ExchangeSession } from '../session/exchange-session.ts';
import type { ExchangeSettings } from './exchange-settings.ts';

export { RateBudget, type RateLimit };

/** Returns a header by its case-insensitive name; `undefined` when it is missing. */
export type HeaderReader = (name: string) => string | undefined;

/** A request as received, with its route. */
export interface WireRequest {
  readonly method: string;
  /** Path from the root, as sent, without the query. */
  readonly path: string;
  readonly endpoint: EndpointName;
  /** Set when the path is a retired one; `endpoint` then holds the endpoint that replaces it. */
  readonly retired?: RetiredEndpoint;
  /** Values of the named parts of the path template. */
  readonly parts: Readonly<Record<string, string>>;
  /** Values of each parameter, in the sequence received. */
  readonly query: Query;
  readonly header: HeaderReader;
  readonly body: string;
  /** Result of the check of its signature; `undefined` until it is checked. */
  isSigned?: boolean | undefined;
  /** Address of the client, which identifies callers without a key. */
  readonly address: string;
}

/** An answer as sent: status, body and headers. */
export interface WireAnswer {
  readonly status: number;
  readonly body: string;
  readonly contentType: 'application/json' | 'text/plain; charset=utf-8' | null;
  /** Seconds that the caller should wait, if any. */
  readonly retryAfter?: number;
  /** Reason of a refusal when the body says less. For the log only; never sent. */
  readonly reason?: string;
}

/** The rate limits in force: the profile's, or the config's in their place. */
export interface EffectiveRateLimits {
  readonly read: RateLimit;
  readonly trade: RateLimit;
  readonly feed: RateLimit;
  /** Limit of reads without a key. */
  readonly anonymous: RateLimit;
}

/** A call as an endpoint sees it: authenticated where the endpoint requires a key. */
export interface EndpointCall {
  readonly session: ExchangeSession;
  /** The exchange to read from: the current one, or a lagging replica. */
  readonly exchange: ExchangeReader;
  readonly profile: WireProfile;
  readonly limits: EffectiveRateLimits;
  readonly settings: ExchangeSettings;
  readonly request: WireRequest;
  /** Account of the key; `null` for callers without one. */
  readonly account: AccountName | null;
  readonly keyIdsOf: (account: AccountName) => readonly string[];
}

/** The body of a success that says nothing more. */
export const EMPTY_RECORD = '{}';

/** Handles an endpoint: returns the JSON text of a success, or throws the refusal. */
export interface EndpointHandler {
  /** @throws {RequestFault} when the call is refused. */
  readonly answer: (call: EndpointCall) => string;
  /** Number of items in a batch, each of which is charged. Default 1. */
  readonly items?: (call: EndpointCall) => number;
  /** Shards whose budgets a write is charged to. Default: shard 0. */
  readonly shards?: (call: EndpointCall) => readonly number[];
}
