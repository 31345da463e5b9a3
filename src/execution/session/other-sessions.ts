// Detects other sessions of Presage on the same account. Each session cancels orders that it did not place, so two
// sessions would cancel each other's. A session whose account is not open yet then does not begin; of two open ones,
// the later one halts. Must never cancel an order of a session that may be running.
import { sessionStartedAt, sessionOfOrderId } from '../../domain/orders/client-order-id.ts';
import type { FillReport, OrderReport } from '../../domain/event.ts';
import type { ClientOrderId, MarketIndex } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { State } from '../../state/state.ts';
import type { Observer } from '../engine-notice.ts';
import type { SessionActions } from './session-actions.ts';

export interface OtherSessionsOptions {
  readonly state: State;
  /** Time for which orders of a dead session may still arrive. Milliseconds. */
  readonly graceMs: number;
  readonly observe: Observer;
  readonly actions: Pick<SessionActions, 'haltAccount'>;
}

/** Identity of this session, and the other sessions known at the start. */
export interface SessionIdentity {
  readonly session: string;
  readonly at: Micros;
  /**
   * Sessions known to have ended, whose orders this session cancels. Absent where every other session counts as ended.
   */
  readonly sessions?: readonly string[];
}

interface Evidence {
  readonly session: string;
  readonly clientOrderId: ClientOrderId;
  readonly market: MarketIndex;
}

/** The shortest time between two alarms. Microseconds. */
const ALARM_EVERY = 60_000_000;
/** The most sessions that are remembered; the earliest are dropped. */
const SESSIONS_MAX = 100;

/** Detects other sessions. */
export class OtherSessions {
  readonly #options: OtherSessionsOptions;
  #own: SessionIdentity | null = null;
  #ended: ReadonlySet<string> = new Set();
  /**
   * Sessions detected, with the time of the latest alarm about each. Added at the first order or fill of a session;
   * removed as the earliest, beyond `SESSIONS_MAX`.
   */
  readonly #detected = new Map<string, Micros>();
  #isBarred = false;

  constructor(options: OtherSessionsOptions) {
    this.#options = options;
  }

  startSession(own: SessionIdentity): void {
    this.#own = own;
    this.#ended = new Set(own.sessions);
  }

  /** True when the session must not begin: another session was detected before the account was open. */
  get isBarred(): boolean {
    return this.#isBarred;
  }

  /** True when an order was placed by a detected session. */
  isFromOtherSession(id: ClientOrderId): boolean {
    const session = sessionOfOrderId(id);
    return session !== null && this.#detected.has(session);
  }

  /**
   * Checks an order that this session did not place. Returns true when its session may be running: the order must be
   * left alone.
   */
  checkOrder({ clientOrderId, createdAt, market }: OrderReport): boolean {
    const session = this.#otherOf(clientOrderId);
    if (session === null || clientOrderId === null) return false;
    if (this.#ended.has(session) && !this.#isSinceStart(createdAt)) return false;
    this.#report({ session, clientOrderId, market });
    return true;
  }

  checkFill({ clientOrderId, exchangeAt, market }: FillReport): void {
    const session = this.#otherOf(clientOrderId);
    if (session === null || clientOrderId === null || !this.#isSinceStart(exchangeAt)) return;
    this.#report({ session, clientOrderId, market });
  }

  #otherOf(id: ClientOrderId | null): string | null {
    const session = sessionOfOrderId(id);
    return this.#own?.sessions === undefined || session === this.#own.session ? null : session;
  }

  /** True when a time of the venue is too late for messages of a dead session. */
  #isSinceStart(venueAt: Micros | null): boolean {
    const { state, graceMs } = this.#options;
    const offset = state.clock.estimate(state.now);
    if (venueAt === null || offset === null || this.#own === null) return false;
    return venueAt > this.#own.at + graceMs * 1000 - (offset.offset - offset.bound);
  }

  #report(evidence: Evidence): void {
    const { state, observe, actions } = this.#options;
    const { session } = evidence;
    const alarmedAt = this.#detected.get(session);
    if (alarmedAt !== undefined && state.now - alarmedAt < ALARM_EVERY) return;
    this.#detected.set(session, state.now);
    for (const oldest of this.#detected.keys()) if (this.#detected.size > SESSIONS_MAX) this.#detected.delete(oldest);
    const text = this.#evidenceText(evidence);
    const figures = { session, clientOrderId: evidence.clientOrderId };
    observe({ type: 'alarm', code: 'other-session', at: state.now, text, figures });
    if (!state.portfolio.isOpen) this.#bar(session, text);
    else if (this.#isLaterThan(session)) actions.haltAccount(`${text}; of the two, this one began later`);
  }

  #evidenceText({ session, clientOrderId, market }: Evidence): string {
    const ticker = this.#options.state.tickers.tickerOf(market);
    return `another session of Presage trades on this account: ${session}${this.#startText(session)}, by its order ${clientOrderId} in ${ticker}`;
  }

  #startText(session: string): string {
    const [own, other] = [sessionStartedAt(this.#own?.session ?? ''), sessionStartedAt(session)];
    if (own === null || other === null) return '';
    const seconds = Math.round((own - other) / 1_000_000);
    return seconds < 0 ? `, begun ${-seconds} s after this one` : `, begun ${seconds} s before this one`;
  }

  #bar(session: string, text: string): void {
    if (this.#isBarred) return;
    this.#isBarred = true;
    const remedy = `End it first; if it is dead and its data folder lost, start with --take-over ${session}`;
    this.#options.observe({ type: 'barred', reason: `${text}. Two would cancel each other's orders. ${remedy}` });
  }

  #isLaterThan(session: string): boolean {
    const [own, other] = [sessionStartedAt(this.#own?.session ?? ''), sessionStartedAt(session)];
    return own === null || other === null || own > other;
  }
}
