// Handles every request: authentication, cost, answer. Nothing is awaited in between. Must never let a request do
// anything before its caller is known and its cost is charged.
import type { Logger } from '../../log.ts';
import { EPOCH, type Micros, micros } from '../../domain/units.ts';
import { type Endpoint, type WireProfile, endpointOf } from '../../venues/trade-api/profiles/wire-profile.ts';
import type { AccountName } from '../machine/exchange-input.ts';
import type { ExchangeSession } from '../session/exchange-session.ts';
import { type CallerBudgets, callerOfAddress, callerOfKey, secondsUntil } from './caller-budgets.ts';
import { type Authentication, isRefusedCaller } from './authentication.ts';
import type { EndpointCall, EndpointHandler, EffectiveRateLimits, WireAnswer, WireRequest } from './endpoint-call.ts';
import { endpointHandlerOf } from './endpoint-table.ts';
import type { FaultInjector } from '../faults/fault-injector.ts';
import type { ExchangeSettings } from './exchange-settings.ts';
import { INTERNAL_ERROR, SHUTTING_DOWN, RequestFault, jsonTextAnswer, nestedError, emptyAnswer } from './api-errors.ts';

/** Parts of the request handler. */
export interface RequestHandlerOptions {
  readonly session: ExchangeSession;
  readonly profile: WireProfile;
  readonly limits: EffectiveRateLimits;
  readonly settings: ExchangeSettings;
  readonly authentication: Authentication;
  readonly budgets: CallerBudgets;
  /** The clock that timestamps of signatures are checked against. */
  readonly faults: Pick<FaultInjector, 'clock'>;
  readonly log: Logger;
}

/** Zero as a duration: times and durations are both in microseconds. */
const NO_LAG = EPOCH;

const NO_CONTENT = 204;

interface Charged {
  readonly endpoint: Endpoint;
  readonly handler: EndpointHandler;
  readonly call: EndpointCall;
}

interface Caller {
  /** Name of the caller whose budgets are charged. */
  readonly name: string;
  readonly account: AccountName | null;
}

/** The answer to too many requests, with a `Retry-After` when the profile gives one. */
export function tooManyRequests(profile: WireProfile, until: Micros, now: Micros): WireAnswer {
  const answer = nestedError(429, profile.errors.tooManyRequests);
  return profile.limits.retryAfterOn429 === 'seconds' ? { ...answer, retryAfter: secondsUntil(until, now) } : answer;
}

/** Answers requests: authentication, charge, endpoint. */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  #isClosed = false;

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
  }

  close(): void {
    this.#isClosed = true;
  }

  /**
   * Answers a request. Never throws: an unexpected error is logged and answered with status 500.
   * @param lag Age of the exchange that a read sees.
   */
  answerRequest(request: WireRequest, lag: Micros = NO_LAG): WireAnswer {
    if (this.#isClosed) return SHUTTING_DOWN;
    try {
      return this.#answer(request, lag);
    } catch (fault) {
      if (fault instanceof RequestFault) return fault.answer;
      this.#options.log.error({ err: fault, endpoint: request.endpoint }, 'request failed');
      return INTERNAL_ERROR;
    }
  }

  #answer(request: WireRequest, lag: Micros): WireAnswer {
    const { session, profile, limits, settings, authentication } = this.#options;
    const endpoint = endpointOf(profile, request.endpoint);
    const caller = this.#callerOf(request, session.now());
    if ('status' in caller) return caller;
    if (request.retired !== undefined) return nestedError(request.retired.status, request.retired.code);
    const exchange = endpoint.method === 'GET' ? session.asOf(this.#lagOf(endpoint, lag)) : session.exchange;
    const { account } = caller;
    const keyIdsOf = (owner: AccountName): readonly string[] => authentication.keyIdsOf(owner);
    const call: EndpointCall = { session, exchange, profile, limits, settings, request, account, keyIdsOf };
    const handler = endpointHandlerOf(request.endpoint);
    const refused = this.#chargeCall(caller, { endpoint, handler, call });
    if (refused !== null) return refused;
    const answer = handler.answer(call);
    return endpoint.success === NO_CONTENT ? emptyAnswer(NO_CONTENT) : jsonTextAnswer(endpoint.success, answer);
  }

  /** Private reads lag by the operator's setting. Public reads lag only by an injected fault. */
  #lagOf({ auth }: Endpoint, lag: Micros): Micros {
    const { readLag } = this.#options.settings;
    return auth ? micros(Math.max(lag, readLag)) : lag;
  }

  #chargeCall({ name }: Caller, { endpoint, handler, call }: Charged): WireAnswer | null {
    const { session, profile, budgets, settings } = this.#options;
    const now = session.now();
    const cost = endpoint.cost * Math.max(1, handler.items?.(call) ?? 1);
    const shards = settings.shards.length > 1 ? handler.shards?.(call) : undefined;
    const until = budgets.charge(name, { kind: endpoint.budget, cost, ...(shards && { shards }) }, now);
    return until === null ? null : tooManyRequests(profile, until, now);
  }

  #callerOf(request: WireRequest, now: Micros): Caller | WireAnswer {
    const { profile, authentication, faults } = this.#options;
    if (!endpointOf(profile, request.endpoint).auth && !authentication.claimsKey(request))
      return { name: callerOfAddress(request.address), account: null };
    const key = authentication.authenticate(request, faults.clock(now));
    return isRefusedCaller(key) ? key : { name: callerOfKey(profile.limits, key), account: key.account };
  }
}
