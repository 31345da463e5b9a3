// Other sessions of Presage that trade on the account. Each session cancels what it did not place, so that two at once
// would cancel each other's orders: one that is not open yet does not begin, and of two that are open the later one halts.
// Must never take an order of a session that may live for one that may be canceled.
import { sessionBegan, sessionOf } from '../domain/client-order-id.ts';
import type { FillReport, OrderReport } from '../domain/event.ts';
import type { ClientOrderId, MarketIndex } from '../domain/ids.ts';
import type { Micros } from '../domain/units.ts';
import type { State } from '../state/state.ts';
import type { Observer } from './notice.ts';

export interface OtherSessionsOptions {
  readonly state: State;
  /** How long after a session has died an order of it may still arrive. Milliseconds. */
  readonly graceMs: number;
  readonly observe: Observer;
  /** Halts the account. */
  readonly halt: (reason: string) => void;
}

/** What a session knows of others when it begins. */
export interface Beginning {
  readonly session: string;
  readonly at: Micros;
  /** The sessions that have ended, whose orders are this one's to cancel; absent where every session counts as one. */
  readonly sessions?: readonly string[];
}

/** What showed that another session trades. */
interface Evidence {
  readonly session: string;
  readonly clientOrderId: ClientOrderId;
  readonly market: MarketIndex;
}

/** An alarm is repeated no sooner. Microseconds. */
const ALARM_EVERY = 60_000_000;
/** Sessions that are remembered; the earliest are forgotten. */
const SESSIONS_MAX = 100;

/** The watch for other sessions. */
export class OtherSessions {
  readonly #options: OtherSessionsOptions;
  #own: Beginning | null = null;
  #ended: ReadonlySet<string> = new Set();
  /** Sessions that were met, and the time of the latest alarm about each. Added at the first order of a session. */
  readonly #met = new Map<string, Micros>();
  #isBarred = false;

  constructor(options: OtherSessionsOptions) {
    this.#options = options;
  }

  /** Begins a session. */
  begin(own: Beginning): void {
    this.#own = own;
    this.#ended = new Set(own.sessions);
  }

  /** Whether the session must not begin, because another one was met before the account was open. */
  get isBarred(): boolean {
    return this.#isBarred;
  }

  /** Whether an order was placed by another session that was met. */
  isTheirs(id: ClientOrderId): boolean {
    const session = sessionOf(id);
    return session !== null && this.#met.has(session);
  }

  /** An order rests that this session did not place. Whether it is to be left alone, as another session's that may live. */
  meetOrder({ clientOrderId, createdAt, market }: OrderReport): boolean {
    const session = this.#otherOf(clientOrderId);
    if (session === null || clientOrderId === null) return false;
    if (this.#ended.has(session) && !this.#isSinceBegun(createdAt)) return false;
    this.#meet({ session, clientOrderId, market });
    return true;
  }

  /** The account traded by an order that this session did not place. */
  meetFill({ clientOrderId, exchangeAt, market }: FillReport): void {
    const session = this.#otherOf(clientOrderId);
    if (session === null || clientOrderId === null || !this.#isSinceBegun(exchangeAt)) return;
    this.#meet({ session, clientOrderId, market });
  }

  #otherOf(id: ClientOrderId | null): string | null {
    const session = sessionOf(id);
    return this.#own?.sessions === undefined || session === this.#own.session ? null : session;
  }

  /** Whether something of the venue's time certainly happened after all that a dead session sent had arrived. */
  #isSinceBegun(venueAt: Micros | null): boolean {
    const { state, graceMs } = this.#options;
    const offset = state.clock.estimate(state.now);
    if (venueAt === null || offset === null || this.#own === null) return false;
    return venueAt > this.#own.at + graceMs * 1000 - (offset.offset - offset.bound);
  }

  #meet(evidence: Evidence): void {
    const { state, observe, halt } = this.#options;
    const { session } = evidence;
    const toldAt = this.#met.get(session);
    if (toldAt !== undefined && state.now - toldAt < ALARM_EVERY) return;
    this.#met.set(session, state.now);
    for (const oldest of this.#met.keys()) if (this.#met.size > SESSIONS_MAX) this.#met.delete(oldest);
    const text = this.#words(evidence);
    const figures = { session, clientOrderId: evidence.clientOrderId };
    observe({ type: 'alarm', code: 'other-session', at: state.now, text, figures });
    if (!state.portfolio.isOpen) this.#bar(session, text);
    else if (this.#isLaterThan(session)) halt(`${text}; of the two, this one began later`);
  }

  #words({ session, clientOrderId, market }: Evidence): string {
    const ticker = this.#options.state.tickers.tickerOf(market);
    return `another session of Presage trades on this account: ${session}${this.#begunText(session)}, by its order ${clientOrderId} in ${ticker}`;
  }

  #begunText(session: string): string {
    const [own, other] = [sessionBegan(this.#own?.session ?? ''), sessionBegan(session)];
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
    const [own, other] = [sessionBegan(this.#own?.session ?? ''), sessionBegan(session)];
    return own === null || other === null || own > other;
  }
}
