// Subscriptions to channels on which this exchange never sends. They are accepted, numbered and listed like any other.
// Must never invent a message on such a channel.
import type { SilentChannel } from '../../venues/trade-api/profiles/wire-profile.ts';
import type { SubscribeRecord, UpdateSubscriptionRecord } from '../../venues/trade-api/wire/wire-records.ts';
import { FeedError } from './feed-errors.ts';

const PARTS_MAX = 100;

interface SilentSubscription {
  readonly channel: SilentChannel;
  seq: number;
}

/**
 * Subscriptions to silent channels by number. Added by a subscribe; removed by an unsubscribe or the connection's end.
 */
export class SilentSubscriptions {
  readonly #bySid = new Map<number, SilentSubscription>();

  get size(): number {
    return this.#bySid.size;
  }

  has(sid: number): boolean {
    return this.#bySid.has(sid);
  }

  addSubscription(sid: number, channel: SilentChannel): void {
    this.#bySid.set(sid, { channel, seq: 0 });
  }

  /** Removes a subscription. Returns the last number of its sequence, or `null` when there is no subscription `sid`. */
  removeSubscription(sid: number): number | null {
    const subscription = this.#bySid.get(sid);
    if (subscription === undefined) return null;
    this.#bySid.delete(sid);
    return ++subscription.seq;
  }

  /**
   * Accepts a change of the followed items; nothing is stored. Returns the next number of the subscription's sequence,
   * or `null` when there is no subscription `sid`.
   * @throws {FeedError} when the channel has no such action, or the command names nothing to follow.
   */
  updateSubscription(sid: number, { action, names }: UpdateSubscriptionRecord): number | null {
    const subscription = this.#bySid.get(sid);
    if (subscription === undefined) return null;
    const { follows } = subscription.channel;
    if (follows === null || (action !== 'follow' && action !== 'unfollow')) throw new FeedError('wrongAction', { sid });
    if (names === null || names.length === 0)
      throw new FeedError(follows === 'indices' ? 'noIndices' : 'noUnderlyings', { sid });
    return ++subscription.seq;
  }

  listSubscriptions(): { readonly channel: string; readonly sid: number }[] {
    return [...this.#bySid].map(([sid, { channel }]) => ({ channel: channel.name, sid }));
  }

  clear(): void {
    this.#bySid.clear();
  }
}

/**
 * Checks the number of parts into which messages are divided, and the connection's part.
 * @throws {FeedError} when either number is out of range, or the part is given without the number of parts.
 */
export function checkMessageParts({ parts, part }: Pick<SubscribeRecord, 'parts' | 'part'>): void {
  if (parts !== null && parts <= 0) throw new FeedError('noParts');
  if (parts !== null && parts > PARTS_MAX) throw new FeedError('tooManyParts');
  if (part === null) return;
  if (parts === null) throw new FeedError('partsMissing');
  if (part < 0 || part >= parts) throw new FeedError('wrongPart');
}
