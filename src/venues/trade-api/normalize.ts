// Normalizes the raw input of a `trade-api` venue: frames, feed status and answers. Pure: the same input gives the same
// events. Must never throw on anything that came from outside.
import type { TickerTable } from '../../domain/ids.ts';
import type { Normalizer, RawInput } from '../../venue.ts';
import { AnswerReader } from './normalize-answers.ts';
import { type Emit, FrameReader } from './normalize-frames.ts';
import type { WireProfile } from './profile.ts';
import { Shards } from './shards.ts';

/** Inputs of a normalizer. */
export interface NormalizerOptions {
  readonly profile: WireProfile;
  readonly tickers: TickerTable;
  /** Receives the shard of each market. */
  readonly shards?: Shards;
  /** True reads book deltas straight from their bytes. The events are the same either way. Default: true. */
  readonly scans?: boolean;
}

/** Normalizes the input of one venue, in order. */
export class TradeApiNormalizer implements Normalizer {
  readonly #frames: FrameReader;
  readonly #answers: AnswerReader;

  constructor({ profile, tickers, shards = new Shards(), scans = true }: NormalizerOptions) {
    this.#frames = new FrameReader({ feed: profile.feed, tickers, scans });
    this.#answers = new AnswerReader({ profile, tickers, shards });
  }

  normalize(input: RawInput, emit: Emit): void {
    switch (input.type) {
      case 'frame':
        return this.#frames.read(input, emit);
      case 'answer':
        return this.#answers.read(input, emit);
      case 'feed-up':
        this.#frames.session.reset();
        return emit({ kind: 'feed-up', at: input.at, connection: input.connection });
      case 'feed-down':
        this.#frames.session.reset();
        return emit({ kind: 'feed-down', at: input.at, reason: input.reason });
      case 'feed-heard':
        return emit({ kind: 'feed-heard', at: input.at });
      case 'feed-sent':
        return this.#frames.session.sent(input.text);
    }
  }
}
