// Health of the feed: connection, last message, lag, and private channels. Must never report the private channels as up
// before each of them was granted on the present connection.
import { assert } from '../../base/assert.ts';
import type { FeedChannelChanged, FeedChannelName, Print } from '../../domain/event.ts';
import { EPOCH, type Micros } from '../../domain/units.ts';
import { FeedLag } from './feed-lag.ts';
import { RecentPrints } from './recent-prints.ts';

const PRIVATE: readonly FeedChannelName[] = ['fills', 'orders', 'positions'];

/** The feed's health. */
export class FeedHealth {
  /** True when the feed delivers every message, and names its gaps: silence proves that nothing has changed. */
  readonly isLossless: boolean;
  isUp = false;
  /** Time of the last message with content. A frozen feed may still send heartbeats. */
  contentAt: Micros = EPOCH;
  #aliveAt: Micros = EPOCH;
  connections = 0;
  readonly lag = new FeedLag();
  /** The latest prints of all markets, for displays only. */
  readonly prints = new RecentPrints();
  /** Granted channels. Added when granted; removed when refused, ended or distrusted, and when the connection ends. */
  readonly #granted = new Set<FeedChannelName>();
  #privateFault: string | null = 'the feed is down';

  constructor(isLossless = false) {
    this.isLossless = isLossless;
  }

  get lastMessageAt(): Micros {
    return this.#aliveAt > this.contentAt ? this.#aliveAt : this.contentAt;
  }

  /** Time since the last message, or since the session's start while there is none. Milliseconds. */
  ageMs(now: Micros, startedAt: Micros): number {
    return Math.max(0, Math.round((now - Math.max(this.lastMessageAt, startedAt)) / 1000));
  }

  /** True when silence until now proves that nothing has changed. */
  get isSilenceProof(): boolean {
    return this.isLossless && this.isUp;
  }

  onHeartbeat(at: Micros): void {
    this.#aliveAt = at;
  }

  onPrint(print: Print): void {
    if (print.exchangeAt !== null) this.lag.observeMessage(print.at, print.exchangeAt);
    this.contentAt = print.at;
    this.prints.addPrint(print);
  }

  /** True when fills, orders and positions are delivered. */
  get isPrivateUp(): boolean {
    return this.#privateFault === null;
  }

  /** The reason why fills, orders and positions are not delivered, or not trusted; `null` when they are. */
  get privateFault(): string | null {
    return this.#privateFault;
  }

  /** Records a new connection. No channel is granted on it yet. */
  onConnected(at: Micros, connection: number): void {
    this.isUp = true;
    this.onHeartbeat(at);
    assert(connection >= 1, 'connections must be counted from 1');
    this.connections = connection;
    this.#reset('not granted yet');
  }

  onDisconnected(): void {
    this.isUp = false;
    this.#reset('the feed is down');
  }

  #reset(fault: string): void {
    this.lag.discardSpans();
    this.#granted.clear();
    this.#privateFault = fault;
  }

  onChannelChange({ channel, isUp, reason }: FeedChannelChanged): void {
    if (isUp) this.#granted.add(channel);
    else this.#granted.delete(channel);
    if (!PRIVATE.includes(channel)) return;
    if (!isUp) this.#privateFault = `${channel}: ${reason}`;
    else if (PRIVATE.every((name) => this.#granted.has(name))) this.#privateFault = null;
  }

  /** Distrusts the private channels until each of them is granted again. */
  distrustPrivate(reason: string): void {
    for (const name of PRIVATE) this.#granted.delete(name);
    this.#privateFault = reason;
    assert(!this.isPrivateUp, 'distrusted private channels must not count as up');
  }
}
