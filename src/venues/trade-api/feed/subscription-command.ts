// The commands to a feed and the feed's replies to them. Must never decide which command is sent.
import type { Ticker } from '../../../domain/ids.ts';
import type { Channel } from '../wire/wire-records.ts';

/** One command to the feed. `tickers` is `null` when the command covers all markets. */
export type SubscriptionCommand =
  | { readonly kind: 'subscribe'; readonly channels: readonly Channel[]; readonly tickers: readonly Ticker[] | null }
  | { readonly kind: 'snapshot'; readonly sid: number; readonly tickers: readonly Ticker[] }
  | { readonly kind: 'delete'; readonly sid: number; readonly tickers: readonly Ticker[] }
  | { readonly kind: 'unsubscribe'; readonly sid: number };

/** A command with its id, ready to send. An id is never reused. */
export interface NumberedCommand {
  readonly id: number;
  readonly command: SubscriptionCommand;
}

/** A reply of the feed. */
export type FeedReply =
  | { readonly kind: 'subscribed'; readonly id: number; readonly channel: Channel; readonly sid: number }
  | {
      readonly kind: 'refused';
      readonly id: number | null;
      readonly sid: number | null;
      readonly code: number;
      readonly tickers: readonly Ticker[];
    };

/** A command that was sent, until it is answered. */
export interface SentCommand {
  readonly command: SubscriptionCommand;
  /**
   * Markets unsubscribed after the command was sent. They are deleted from the subscription as soon as it is granted.
   */
  readonly unwanted: Set<Ticker>;
}

/** Notes in a sent subscribe command which of its markets are no longer wanted. */
export function recordUnwanted({ command, unwanted }: SentCommand, removed: ReadonlySet<Ticker>): void {
  if (command.kind !== 'subscribe') return;
  for (const ticker of command.tickers ?? []) if (removed.has(ticker)) unwanted.add(ticker);
}

/**
 * A command without the given markets; empty when no market is left. Commands that unsubscribe, delete or cover all
 * markets stay as they are.
 */
export function without(command: SubscriptionCommand, removed: ReadonlySet<Ticker>): SubscriptionCommand[] {
  if (command.kind === 'unsubscribe' || command.kind === 'delete' || command.tickers === null) return [command];
  const tickers = command.tickers.filter((ticker) => !removed.has(ticker));
  return tickers.length > 0 ? [{ ...command, tickers }] : [];
}
