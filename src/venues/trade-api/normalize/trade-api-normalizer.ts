// Normalizes the raw input of a `trade-api` venue: frames, feed status and answers. Pure: the same input gives the same
// events. Must never throw on input from outside.
import type { TickerTable } from '../../../domain/ids.ts';
import type { Normalizer, RawInput } from '../../../venue.ts';
import { AnswerNormalizer } from './answer-normalizer.ts';
import { type Emit, FrameNormalizer } from './frame-normalizer.ts';
import type { WireProfile } from '../profiles/wire-profile.ts';
import { MarketShards } from '../rest/market-shards.ts';

/** Inputs of a normalizer. */
export interface NormalizerOptions {
  readonly profile: WireProfile;
  readonly tickers: TickerTable;
  readonly shards?: MarketShards;
  /** True: book deltas are read straight from their bytes. The events are the same either way. Default: true. */
  readonly scans?: boolean;
  /** Called with the id of each order group that a frame reports as triggered. Absent where no orders are sent. */
  readonly onGroupTriggered?: (groupId: string) => void;
}

/** Normalizes the input of one venue, in the sequence of its arrival. */
export class TradeApiNormalizer implements Normalizer {
  readonly #frames: FrameNormalizer;
  readonly #answers: AnswerNormalizer;

  constructor({ profile, tickers, shards = new MarketShards(), scans = true, onGroupTriggered }: NormalizerOptions) {
    this.#frames = new FrameNormalizer({ feed: profile.feed, tickers, scans, onGroupTriggered });
    this.#answers = new AnswerNormalizer({ profile, tickers, shards });
  }

  normalize(input: RawInput, emit: Emit): void {
    switch (input.type) {
      case 'frame':
        return this.#frames.normalizeFrame(input, emit);
      case 'answer':
        return this.#answers.normalizeAnswer(input, emit);
      case 'feed-up':
        this.#frames.subscriptions.reset();
        return emit({ kind: 'feed-up', at: input.at, connection: input.connection });
      case 'feed-down':
        this.#frames.subscriptions.reset();
        return emit({ kind: 'feed-down', at: input.at, reason: input.reason });
      case 'feed-heard':
        return emit({ kind: 'feed-heard', at: input.at });
      case 'feed-sent':
        return this.#frames.subscriptions.recordCommand(input.text);
    }
  }
}
