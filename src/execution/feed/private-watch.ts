// Checks that the private channels deliver: they must report each accepted order, and each fill that a list shows. Must
// never trust a doubted private feed before the venue grants it again.
import { assert } from '../../base/assert.ts';
import type { UnnumberedFeedCommand } from '../../domain/venue-command.ts';
import type { FillReport, FillsPage } from '../../domain/event.ts';
import type { VenueOrderId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { ChangeSink } from '../../state/state-change.ts';
import { LatestItems } from '../../base/latest-items.ts';
import type { State } from '../../state/state.ts';
import type { Observer } from '../engine-notice.ts';

export interface PrivateWatchOptions {
  readonly state: State;
  readonly observe: Observer;
  readonly sendFeed: (command: UnnumberedFeedCommand) => void;
  /** Requests a new connection. Returns false when the last request is too recent. */
  readonly reconnect: (reason: string) => boolean;
  readonly changes: ChangeSink;
}

/** Time within which the feed must report an accepted order. */
const REPORT_MS_MAX = 5000;
/** The most reported orders and fills that are remembered. A report may come before the answer to its order. */
const REPORTED_MAX = 4096;
/** The venue's times may be rounded to whole seconds. */
const ROUNDING_MS = 1000;
const FIRST_WAIT_MS = 3000;
const WAIT_MS_MAX = 30_000;
const ATTEMPTS_BEFORE_RECONNECTION = 3;

/** Watches the private channels of one account. */
export class PrivateWatch {
  readonly #options: PrivateWatchOptions;
  /**
   * Orders that the feed must report, with the time of acceptance, oldest first. Added when accepted; removed when
   * reported, or when the channels go down.
   */
  readonly #expected = new Map<VenueOrderId, Micros>();
  readonly #reported = new LatestItems<string>(REPORTED_MAX);
  /** Time at which the channels came up; `null` while they are down. */
  #upSince: Micros | null = null;
  /** Time at which the channels went down; `null` while they are up, or the whole feed is down. */
  #downSince: Micros | null = null;
  #attempts = 0;
  #nextAt: Micros | null = null;

  constructor(options: PrivateWatchOptions) {
    this.#options = options;
  }

  onOrderAccepted(order: VenueOrderId, now: Micros): void {
    if (this.#reported.has(order) || !this.#options.state.feed.isPrivateUp) return;
    this.#expected.set(order, now);
  }

  onOrderReport(order: VenueOrderId): void {
    this.#expected.delete(order);
    this.#reported.push(order);
  }

  onFillReport(fill: FillReport): void {
    this.#reported.push(nameOf(fill));
  }

  /** Checks a list of fills. The feed must have reported every fill on this connection that is old enough. */
  checkFills({ rows, at }: FillsPage): void {
    const offset = this.#options.state.clock.estimate(at)?.offset ?? 0;
    for (const fill of rows) {
      if (fill.exchangeAt === null || this.#upSince === null || this.#reported.has(nameOf(fill))) continue;
      const filledAt = fill.exchangeAt + offset;
      const forMs = Math.round((at - filledAt) / 1000);
      if (filledAt < this.#upSince || forMs < REPORT_MS_MAX + ROUNDING_MS) continue;
      return this.#doubt({ what: `fill ${fill.tradeId} of order ${fill.venueOrderId} happened`, forMs }, at);
    }
  }

  /** Handles channels that came up or went down. A new connection has to grant them again. */
  onChannelsChange(now: Micros): void {
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
    this.#nextAt ??= this.#nextAttemptAt(now);
  }

  #nextAttemptAt(now: Micros): Micros {
    return (now + Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** this.#attempts) * 1000) as Micros;
  }

  checkChannels(now: Micros): void {
    if (this.#downSince !== null && this.#nextAt !== null && now >= this.#nextAt)
      this.#requestAgain(now, this.#downSince);
    for (const [order, at] of this.#expected) {
      const forMs = Math.round((now - at) / 1000);
      if (forMs < REPORT_MS_MAX) return;
      return this.#doubt({ what: `order ${order} was accepted`, forMs }, now);
    }
  }

  /** Time from which a check may find something; infinite without an order or a channel that is awaited. */
  get dueAt(): number {
    const next = this.#nextAt ?? Number.POSITIVE_INFINITY;
    if (this.#expected.size === 0) return next;
    const [first = Number.POSITIVE_INFINITY] = this.#expected.values();
    return Math.min(first + REPORT_MS_MAX * 1000, next);
  }

  #doubt({ what, forMs }: { readonly what: string; readonly forMs: number }, at: Micros): void {
    const { state, observe, sendFeed, changes } = this.#options;
    const text = `${what} ${forMs} ms ago, and the private feed has not reported it`;
    observe({ type: 'alarm', code: 'private-feed', at, text, figures: { forMs } });
    state.distrustPrivate(text, changes);
    this.onChannelsChange(at);
    sendFeed({ type: 'renew-private' });
  }

  #requestAgain(at: Micros, since: Micros): void {
    assert(!this.#options.state.feed.isPrivateUp, 'private channels that are up must not be requested again');
    this.#attempts += 1;
    this.#nextAt = this.#nextAttemptAt(at);
    const { state, observe, sendFeed, reconnect } = this.#options;
    const forMs = Math.round((at - since) / 1000);
    const text = `the private feed is down for ${forMs} ms: ${state.feed.privateFault ?? ''}`;
    observe({ type: 'alarm', code: 'private-feed', at, text, figures: { forMs, attempts: this.#attempts } });
    // Every few attempts a new connection is requested. Otherwise only the channels are renewed.
    const isLong = this.#attempts % ATTEMPTS_BEFORE_RECONNECTION === 0;
    if (!isLong || !reconnect(text)) sendFeed({ type: 'renew-private' });
  }

  get size(): number {
    return this.#expected.size;
  }
}

const nameOf = ({ tradeId, venueOrderId }: FillReport): string => `${tradeId} of ${venueOrderId}`;
