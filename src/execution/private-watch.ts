// Sees to it that what the account alone is told does come: the channels are granted, each order that the venue accepted
// is told of, and so is each fill that a list shows. Silence proves nothing else, for an account may have nothing to hear.
// Must never believe the private feed again before it was granted anew.
import type { FeedAsk } from '../domain/command.ts';
import type { FillReport, FillsPage } from '../domain/event.ts';
import type { VenueOrderId } from '../domain/ids.ts';
import type { Micros } from '../domain/units.ts';
import type { StateChange } from '../state/change.ts';
import { Latest } from '../state/latest.ts';
import type { State } from '../state/state.ts';
import type { Observer } from './notice.ts';

export interface PrivateWatchOptions {
  readonly state: State;
  readonly observe: Observer;
  readonly sendFeed: (ask: FeedAsk) => void;
  /** Asks for the connection to be made anew; `false` when that was done too short a while ago. */
  readonly reconnect: (reason: string) => boolean;
  readonly changes: StateChange[];
}

/** An accepted order that the feed has not told of for so long makes it doubtful. */
const TOLD_MS_MAX = 5000;
/** Orders and fills that were told of before an answer showed them: the two ways are not equally fast. */
const TOLD_MAX = 4096;
/** The venue's times may be whole seconds. */
const GRAIN_MS = 1000;
const FIRST_WAIT_MS = 3000;
const WAIT_MS_MAX = 30_000;
const ATTEMPTS_BEFORE_RECONNECTION = 3;

/** Watches over the private channels of one account. */
export class PrivateWatch {
  readonly #options: PrivateWatchOptions;
  /** Orders that must be told of, by when they were accepted; oldest first. */
  readonly #expected = new Map<VenueOrderId, Micros>();
  readonly #told = new Latest<string>(TOLD_MAX);
  /** Since when the channels are up; `null` while they are not. */
  #upSince: Micros | null = null;
  /** Since when the channels are not up although the feed is; `null` otherwise. */
  #downSince: Micros | null = null;
  #attempts = 0;
  #nextAt: Micros | null = null;

  constructor(options: PrivateWatchOptions) {
    this.#options = options;
  }

  /** The venue accepted an order, and it rests. */
  accepted(order: VenueOrderId, now: Micros): void {
    if (this.#told.has(order) || !this.#options.state.feed.isPrivateUp) return;
    this.#expected.set(order, now);
  }

  /** The feed told of an order. */
  told(order: VenueOrderId): void {
    this.#expected.delete(order);
    this.#told.add(order);
  }

  /** The feed told of a fill. */
  filled(fill: FillReport): void {
    this.#told.add(nameOf(fill));
  }

  /** A list shows fills: those of this connection that are old enough must have been told. */
  listed({ rows, at }: FillsPage): void {
    const offset = this.#options.state.clock.estimate(at)?.offset ?? 0;
    for (const fill of rows) {
      if (fill.exchangeAt === null || this.#upSince === null || this.#told.has(nameOf(fill))) continue;
      const filledAt = fill.exchangeAt + offset;
      const forMs = Math.round((at - filledAt) / 1000);
      if (filledAt < this.#upSince || forMs < TOLD_MS_MAX + GRAIN_MS) continue;
      return this.#doubt({ what: `fill ${fill.tradeId} of order ${fill.venueOrderId} happened`, forMs }, at);
    }
  }

  /** The channels came up, or went down; a new connection has to grant them anew. */
  changed(now: Micros): void {
    const { isUp, isPrivateUp } = this.#options.state.feed;
    if (!isPrivateUp) this.#expected.clear();
    this.#upSince = isPrivateUp ? (this.#upSince ?? now) : null;
    if (!isUp || isPrivateUp) {
      this.#downSince = null;
      this.#nextAt = null;
      if (isPrivateUp) this.#attempts = 0;
      return;
    }
    this.#downSince ??= now;
    this.#nextAt ??= this.#later(now);
  }

  #later(now: Micros): Micros {
    return (now + Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** this.#attempts) * 1000) as Micros;
  }

  pass(now: Micros): void {
    if (this.#downSince !== null && this.#nextAt !== null && now >= this.#nextAt) this.#askAgain(now, this.#downSince);
    for (const [order, at] of this.#expected) {
      const forMs = Math.round((now - at) / 1000);
      if (forMs < TOLD_MS_MAX) return;
      return this.#doubt({ what: `order ${order} was accepted`, forMs }, now);
    }
  }

  #doubt({ what, forMs }: { readonly what: string; readonly forMs: number }, at: Micros): void {
    const { state, observe, sendFeed, changes } = this.#options;
    const text = `${what} ${forMs} ms ago, and the private feed has not told of it`;
    observe({ type: 'alarm', code: 'private-feed', at, text, figures: { forMs } });
    state.doubtPrivate(text, changes);
    this.changed(at);
    sendFeed({ type: 'renew-private' });
  }

  #askAgain(at: Micros, since: Micros): void {
    this.#attempts += 1;
    this.#nextAt = this.#later(at);
    const { state, observe, sendFeed, reconnect } = this.#options;
    const forMs = Math.round((at - since) / 1000);
    const text = `the private feed is down for ${forMs} ms: ${state.feed.privateFault ?? ''}`;
    observe({ type: 'alarm', code: 'private-feed', at, text, figures: { forMs, attempts: this.#attempts } });
    // A connection that was made anew lately is spared: it is asked for again some attempts later.
    const isLong = this.#attempts % ATTEMPTS_BEFORE_RECONNECTION === 0;
    if (!isLong || !reconnect(text)) sendFeed({ type: 'renew-private' });
  }

  /** How many orders are to be told of. */
  get size(): number {
    return this.#expected.size;
  }
}

const nameOf = ({ tradeId, venueOrderId }: FillReport): string => `${tradeId} of ${venueOrderId}`;
