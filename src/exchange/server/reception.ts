// Handles every request: authenticates it, charges its cost, and answers it. Nothing is awaited in between. Must never
// let a request do anything before its caller is known and its cost is charged.
import type { Logger } from '../../log.ts';
import { EPOCH, type Micros, micros } from '../../domain/units.ts';
import { type Endpoint, type WireProfile, endpointOf } from '../../venues/trade-api/profile.ts';
import type { AccountName } from '../input.ts';
import type { ExchangeSession } from '../session.ts';
import { type Allowances, callerOfAddress, callerOfKey, secondsUntil } from './allowances.ts';
import { type Authentication, isRefused } from './authentication.ts';
import type { Call, Handler, LimitsInForce, WireAnswer, WireRequest } from './call.ts';
import { handlerOf } from './endpoints.ts';
import type { Faults } from './faults.ts';
import type { Premises } from './premises.ts';
import { BROKEN, CLOSING, RequestFault, json, nested, nothing } from './refusals.ts';

/** Parts of the request handler. */
export interface ReceptionOptions {
  readonly session: ExchangeSession;
  readonly profile: WireProfile;
  readonly limits: LimitsInForce;
  readonly premises: Premises;
  readonly authentication: Authentication;
  readonly allowances: Allowances;
  /** The clock that timestamps of signatures are checked against. */
  readonly faults: Pick<Faults, 'clock'>;
  readonly log: Logger;
}

/** Zero as a duration, which is in microseconds, too. */
const NO_LAG = EPOCH;

/** The status of an answer without a body. */
const NO_CONTENT = 204;

/** A call to be charged. */
interface Charged {
  readonly endpoint: Endpoint;
  readonly handler: Handler;
  readonly call: Call;
}

interface Caller {
  /** Name of the caller whose budgets are charged. */
  readonly name: string;
  readonly account: AccountName | null;
}

/** The answer to too many requests, with a `Retry-After` when the profile gives one. */
export function tooMany(profile: WireProfile, until: Micros, now: Micros): WireAnswer {
  const answer = nested(429, profile.errors.tooManyRequests);
  return profile.limits.retryAfterOn429 === 'seconds' ? { ...answer, retryAfter: secondsUntil(until, now) } : answer;
}

/** Answers requests. */
export class Reception {
  readonly #options: ReceptionOptions;
  #isClosed = false;

  constructor(options: ReceptionOptions) {
    this.#options = options;
  }

  /** From now on every request is refused. */
  close(): void {
    this.#isClosed = true;
  }

  /**
   * Answers a request; reads are as of `lag` ago. Never throws: an unexpected error is logged and answered with status
   * 500.
   */
  answer(request: WireRequest, lag: Micros = NO_LAG): WireAnswer {
    if (this.#isClosed) return CLOSING;
    try {
      return this.#answer(request, lag);
    } catch (fault) {
      if (fault instanceof RequestFault) return fault.answer;
      this.#options.log.error({ err: fault, endpoint: request.endpoint }, 'request failed');
      return BROKEN;
    }
  }

  #answer(request: WireRequest, lag: Micros): WireAnswer {
    const { session, profile, limits, premises: settings, authentication } = this.#options;
    const endpoint = endpointOf(profile, request.endpoint);
    const caller = this.#callerOf(request, session.now());
    if ('status' in caller) return caller;
    if (request.retired !== undefined) return nested(request.retired.status, request.retired.code);
    const exchange = endpoint.method === 'GET' ? session.asOf(this.#lagOf(endpoint, lag)) : session.exchange;
    const { account } = caller;
    const keyIdsOf = (owner: AccountName): readonly string[] => authentication.keyIdsOf(owner);
    const call: Call = { session, exchange, profile, limits, premises: settings, request, account, keyIdsOf };
    const handler = handlerOf(request.endpoint);
    const refused = this.#chargeCall(caller, { endpoint, handler, call });
    if (refused !== null) return refused;
    const answer = handler.answer(call);
    return endpoint.success === NO_CONTENT ? nothing(NO_CONTENT) : json(endpoint.success, answer);
  }

  /** Private reads lag by the operator's setting; public reads only by an injected fault. */
  #lagOf({ auth }: Endpoint, lag: Micros): Micros {
    const { readLag } = this.#options.premises;
    return auth ? micros(Math.max(lag, readLag)) : lag;
  }

  /** Charges a call. Returns the refusal when the budget is exhausted, otherwise `null`. */
  #chargeCall({ name }: Caller, { endpoint, handler, call }: Charged): WireAnswer | null {
    const { session, profile, allowances: budgets, premises: settings } = this.#options;
    const now = session.now();
    const cost = endpoint.cost * Math.max(1, handler.items?.(call) ?? 1);
    const shards = settings.shards.length > 1 ? handler.shards?.(call) : undefined;
    const until = budgets.take(name, { kind: endpoint.budget, cost, ...(shards && { shards }) }, now);
    return until === null ? null : tooMany(profile, until, now);
  }

  #callerOf(request: WireRequest, now: Micros): Caller | WireAnswer {
    const { profile, authentication, faults } = this.#options;
    if (!endpointOf(profile, request.endpoint).auth && !authentication.isClaimed(request))
      return { name: callerOfAddress(request.address), account: null };
    const key = authentication.check(request, faults.clock(now));
    return isRefused(key) ? key : { name: callerOfKey(key.id), account: key.account };
  }
}
