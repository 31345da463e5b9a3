// The words of the server: a request as it came, an answer as it goes, a call as an endpoint sees it.
// Must never know how either travels.
import { RateBudget, type RateLimit } from '../../execution/budget.ts';
import type { EndpointName, Retired, WireProfile } from '../../venues/trade-api/profile.ts';
import type { JsonRecord, Query } from '../../venues/trade-api/wire/codec.ts';
import type { ExchangeReader } from '../exchange.ts';
import type { AccountName } from '../input.ts';
import type { ExchangeSession } from '../session.ts';
import type { Premises } from './premises.ts';

export { RateBudget, type RateLimit };

/** A header by its name, in whatever case; `undefined` when it did not come. */
export type HeaderReader = (name: string) => string | undefined;

/** A request as it came. */
export interface WireRequest {
  readonly method: string;
  /** From the root, as sent, without query. */
  readonly path: string;
  readonly endpoint: EndpointName;
  /** Where the path is one that is gone; `endpoint` then does now what it did. */
  readonly retired?: Retired;
  /** The parts of the path that its template names. */
  readonly parts: Readonly<Record<string, string>>;
  /** The values of each parameter, in the order in which they came. */
  readonly query: Query;
  readonly header: HeaderReader;
  /** Empty when none came. */
  readonly body: string;
  /** Where it came from, for callers without a key. */
  readonly address: string;
}

/** An answer as it goes. */
export interface WireAnswer {
  readonly status: number;
  readonly body: string;
  /** `null` where there is no body. */
  readonly contentType: 'application/json' | 'text/plain; charset=utf-8' | null;
  /** Seconds, where the caller is told to wait. */
  readonly retryAfter?: number;
  /** Why a request was refused, if the body says less. Only for the log; never sent. */
  readonly reason?: string;
}

/** The limits that hold: the profile's, or what replaces them. */
export interface LimitsInForce {
  readonly read: RateLimit;
  readonly trade: RateLimit;
  readonly feed: RateLimit;
  /** Reads of callers without a key. */
  readonly anonymous: RateLimit;
}

/** A call as an endpoint sees it: let in, and within its limits. */
export interface Call {
  /** The door to the exchange, for what changes it. */
  readonly session: ExchangeSession;
  /** What is read, be it as it is or as it was. */
  readonly exchange: ExchangeReader;
  readonly profile: WireProfile;
  readonly limits: LimitsInForce;
  readonly premises: Premises;
  readonly request: WireRequest;
  /** Whose key it came with; `null` for callers without one. */
  readonly account: AccountName | null;
  /** The ids of an account's keys. */
  readonly keyIdsOf: (account: AccountName) => readonly string[];
}

/** Answers a call with the body of its success, or throws why not. */
export interface Handler {
  /** @throws {RequestFault} when the call is refused. */
  readonly answer: (call: Call) => JsonRecord;
  /** How many items a call holds, each of which costs; one where this is absent. */
  readonly items?: (call: Call) => number;
  /** Which shards' budgets a write draws on, where there are several; the unscoped one where this is absent. */
  readonly shards?: (call: Call) => readonly number[];
}
