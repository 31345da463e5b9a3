// Subscriptions of one connection to channels on which nothing is ever said here: they are taken, numbered and listed like any
// other. Pure. Must never make up a message for them.
import type { SilentChannel } from '../../venues/trade-api/profile.ts';
import type { SubscribeRecord, UpdateSubscriptionRecord } from '../../venues/trade-api/wire/records.ts';
import { FeedFault } from './feed-faults.ts';

const PARTS_MAX = 100;

interface Silence {
  readonly channel: SilentChannel;
  seq: number;
}

/** Subscriptions to silent channels, by their numbers. */
export class SilentSubscriptions {
  readonly #bySid = new Map<number, Silence>();

  get size(): number {
    return this.#bySid.size;
  }

  has(sid: number): boolean {
    return this.#bySid.has(sid);
  }

  begin(sid: number, channel: SilentChannel): void {
    this.#bySid.set(sid, { channel, seq: 0 });
  }

  /** Ends one and gives the last number of its sequence; `null` when there is none of that number. */
  end(sid: number): number | null {
    const silence = this.#bySid.get(sid);
    if (silence === undefined) return null;
    this.#bySid.delete(sid);
    return ++silence.seq;
  }

  /**
   * Follows other things from now on. Gives the next number of the sequence; `null` when there is none of that number.
   * @throws {FeedFault} when the channel knows no such action, or what is to be followed is not said.
   */
  update(sid: number, { action, names }: UpdateSubscriptionRecord): number | null {
    const silence = this.#bySid.get(sid);
    if (silence === undefined) return null;
    const { follows } = silence.channel;
    if (follows === null || (action !== 'follow' && action !== 'unfollow')) throw new FeedFault('wrongAction', { sid });
    if (names === null || names.length === 0)
      throw new FeedFault(follows === 'indices' ? 'noIndices' : 'noUnderlyings', { sid });
    return ++silence.seq;
  }

  list(): { readonly channel: string; readonly sid: number }[] {
    return [...this.#bySid].map(([sid, { channel }]) => ({ channel: channel.name, sid }));
  }

  clear(): void {
    this.#bySid.clear();
  }
}

/**
 * Checks into how many parts messages are to be divided, and which is this connection's.
 * @throws {FeedFault} when they are out of range.
 */
export function checkParts({ parts, part }: Pick<SubscribeRecord, 'parts' | 'part'>): void {
  if (parts !== null && parts <= 0) throw new FeedFault('noParts');
  if (parts !== null && parts > PARTS_MAX) throw new FeedFault('tooManyParts');
  if (part === null) return;
  if (parts === null) throw new FeedFault('partsMissing');
  if (part < 0 || part >= parts) throw new FeedFault('wrongPart');
}
