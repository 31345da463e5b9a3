// How the feed is doing: connected, heard, how late, and whether the account's own channels are granted and believed.
// Must never call the private channels up before each of them was granted on this very connection.
import type { FeedChannelChanged, FeedChannelName } from '../domain/event.ts';
import { EPOCH, type Micros } from '../domain/units.ts';
import { FeedLag } from './feed-lag.ts';

/** What the account alone is told. */
const PRIVATE: readonly FeedChannelName[] = ['fills', 'orders', 'positions'];

/** The feed's health. */
export class FeedHealth {
  isUp = false;
  /** When anything was told: a sign of life alone may come from a feed that has frozen. */
  messageAt: Micros = EPOCH;
  /** When a sign of life alone came. */
  #aliveAt: Micros = EPOCH;
  /** How many connections there have been. */
  connections = 0;
  readonly lag = new FeedLag();
  /** Channels that follow everything, and are granted. */
  readonly #granted = new Set<FeedChannelName>();
  /** Why the private channels are not up; `null` when they are. */
  #privateFault: string | null = 'the feed is down';

  /** When any sign of life came. */
  get heardAt(): Micros {
    return this.#aliveAt > this.messageAt ? this.#aliveAt : this.messageAt;
  }

  /** A sign of life came. */
  alive(at: Micros): void {
    this.#aliveAt = at;
  }

  /** Whether fills, orders and positions are told. */
  get isPrivateUp(): boolean {
    return this.#privateFault === null;
  }

  /** Why fills, orders and positions are not told, or not believed; `null` when they are. */
  get privateFault(): string | null {
    return this.#privateFault;
  }

  /** A connection is up: nothing is granted on it yet. */
  connected(at: Micros, connection: number): void {
    this.isUp = true;
    this.alive(at);
    this.connections = connection;
    this.#begin('not granted yet');
  }

  disconnected(): void {
    this.isUp = false;
    this.#begin('the feed is down');
  }

  #begin(fault: string): void {
    this.lag.restart();
    this.#granted.clear();
    this.#privateFault = fault;
  }

  /** A channel was granted, refused, or is over. */
  channel({ channel, isUp, reason }: FeedChannelChanged): void {
    if (isUp) this.#granted.add(channel);
    else this.#granted.delete(channel);
    if (!PRIVATE.includes(channel)) return;
    if (!isUp) this.#privateFault = `${channel}: ${reason}`;
    else if (PRIVATE.every((name) => this.#granted.has(name))) this.#privateFault = null;
  }

  /** The private channels are not believed any more, until each of them is granted anew. */
  doubtPrivate(reason: string): void {
    for (const name of PRIVATE) this.#granted.delete(name);
    this.#privateFault = reason;
  }
}
