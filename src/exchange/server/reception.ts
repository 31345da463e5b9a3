// Where every request arrives: who asks, whether they still may, what is answered. Nothing is awaited in between.
// Must never let a request do anything before it is known whose it is and its cost is taken.
import type { Logger } from '../../log.ts';
import { EPOCH, type Micros } from '../../domain/units.ts';
import { must } from '../../domain/assert.ts';
import { type WireProfile, endpointOf } from '../../venues/trade-api/profile.ts';
import type { AccountName } from '../input.ts';
import type { ExchangeSession } from '../session.ts';
import { type Allowances, secondsUntil } from './allowances.ts';
import { type Authentication, isRefused } from './authentication.ts';
import type { Call, LimitsInForce, WireAnswer, WireRequest } from './call.ts';
import { handlerOf } from './endpoints.ts';
import type { Faults } from './faults.ts';
import { BROKEN, CLOSING, RequestFault, json, nested } from './refusals.ts';

/** What the reception works with. */
export interface ReceptionOptions {
  readonly session: ExchangeSession;
  readonly profile: WireProfile;
  readonly limits: LimitsInForce;
  readonly authentication: Authentication;
  readonly allowances: Allowances;
  /** Tells the time by which signatures are judged. */
  readonly faults: Pick<Faults, 'clock'>;
  readonly log: Logger;
}

/** Durations are microseconds too; none is zero of them. */
const NO_LAG = EPOCH;

interface Caller {
  /** Whose budgets are drawn on. */
  readonly name: string;
  readonly account: AccountName | null;
}

/** The name under which a key's budgets are kept, and an address's. */
export const callerOfKey = (id: string): string => `key ${id}`;
export const callerOfAddress = (address: string): string => `address ${address}`;

/** The answer to too many requests, with how long to wait where the profile says so. */
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

  /** From now on every request is turned away. */
  close(): void {
    this.#isClosed = true;
  }

  /** Answers a request; reads as of so long ago. Never throws: what breaks is logged, and answered as such. */
  answer(request: WireRequest, lag: Micros = NO_LAG): WireAnswer {
    if (this.#isClosed) return CLOSING;
    try {
      return this.#answer(request, lag);
    } catch (fault) {
      if (fault instanceof RequestFault) return fault.answer;
      this.#options.log.error({ err: fault, endpoint: request.endpoint }, 'request broke');
      return BROKEN;
    }
  }

  #answer(request: WireRequest, lag: Micros): WireAnswer {
    const { session, profile, limits, allowances } = this.#options;
    const endpoint = endpointOf(profile, request.endpoint);
    const handler = must(handlerOf(request.endpoint), 'the handler of an endpoint that has a route');
    const now = session.now();
    const caller = this.#callerOf(request, now);
    if ('status' in caller) return caller;
    const exchange = endpoint.budget === 'read' ? session.asOf(lag) : session.exchange;
    const call: Call = { session, exchange, profile, limits, request, account: caller.account };
    const cost = endpoint.cost * Math.max(1, handler.items?.(call) ?? 1);
    const until = allowances.take(caller.name, { kind: endpoint.budget, cost }, now);
    if (until !== null) return tooMany(profile, until, now);
    return json(endpoint.success, handler.answer(call));
  }

  #callerOf(request: WireRequest, now: Micros): Caller | WireAnswer {
    const { profile, authentication, faults } = this.#options;
    if (!endpointOf(profile, request.endpoint).auth && !authentication.isClaimed(request))
      return { name: callerOfAddress(request.address), account: null };
    const key = authentication.check(request, faults.clock(now));
    return isRefused(key) ? key : { name: callerOfKey(key.id), account: key.account };
  }
}
