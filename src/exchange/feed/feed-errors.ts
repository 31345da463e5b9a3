// Errors of feed commands: the wire's codes and texts. Must never be renumbered: clients distinguish errors by their
// codes.
import type { Ticker } from '../../domain/ids.ts';

/** Codes and texts by kind of error. */
export const FEED_ERRORS = {
  unreadable: [1, 'Unable to process message'],
  noParams: [2, 'Params required'],
  noChannels: [3, 'Channels required'],
  noSids: [4, 'Subscription IDs required'],
  unknownCommand: [5, 'Unknown command'],
  unknownSid: [7, 'Unknown subscription ID'],
  unknownChannel: [8, 'Unknown channel name'],
  noKey: [9, 'Authentication required'],
  channelError: [10, 'Channel error'],
  invalid: [11, 'Invalid parameter'],
  notOneSid: [12, 'Exactly one subscription ID is required'],
  wrongAction: [13, 'Unsupported action'],
  noTicker: [14, 'Market Ticker required'],
  noAction: [15, 'Action required'],
  noParts: [19, 'shard_factor must be > 0'],
  partsMissing: [20, 'shard_factor is required when shard_key is set'],
  wrongPart: [21, 'shard_key must be >= 0 and < shard_factor'],
  tooManyParts: [22, 'shard_factor must be <= 100'],
  noIndices: [24, 'Index IDs required'],
  overflow: [25, 'Subscription buffer overflow'],
  tooManyMarkets: [26, 'Subscription market limit exceeded'],
  tooManyRequests: [27, 'Too many requests'],
  noUnderlyings: [28, 'Underlying tickers required'],
} as const;

/** The refusal of a feed command, or the end of a subscription by an error. */
export class FeedError extends Error {
  override readonly name = 'FeedError';
  readonly code: number;
  readonly sid: number | null;
  readonly tickers: readonly Ticker[];

  constructor(
    kind: keyof typeof FEED_ERRORS,
    { sid = null, tickers = [] }: { readonly sid?: number | null; readonly tickers?: readonly Ticker[] } = {},
  ) {
    const [code, text] = FEED_ERRORS[kind];
    super(text);
    this.code = code;
    this.sid = sid;
    this.tickers = tickers;
  }
}
