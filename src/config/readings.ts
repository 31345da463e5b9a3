// Behavior of the local exchange where the venue's is not proven: questions with their possible answers. A wire profile
// has the likelier answers, and the exchange's config may override them.
import { z } from 'zod';

/** Answers in the exchange's config. For a missing answer, the profile's applies. */
export const readingsSchema = z.strictObject({
  /** Accepted salts of RSA-PSS signatures: of any length, or of the digest's 32 bytes only. */
  rsaSalt: z.enum(['any', 'digest']).exactOptional(),
  /** Accepted forms of ECDSA signatures: both, or one of them. */
  ecdsaForms: z.enum(['any', 'compact', 'der']).exactOptional(),
  /**
   * The feed's answer to a command with an unlisted market: an empty book for that market, or a refusal of the whole
   * command.
   */
  unlistedMarkets: z.enum(['empty', 'refused']).exactOptional(),
  /** Candles under the path of another series than the market's own: found or not. */
  candlesOfOtherSeries: z.enum(['found', 'not-found']).exactOptional(),
  /** Orders and order groups created during the read lag: hidden, or shown without later changes. */
  newInLaggingReads: z.enum(['hidden', 'shown']).exactOptional(),
  /** Compression of feed messages for clients that offer it. */
  feedCompression: z.enum(['accepted', 'declined']).exactOptional(),
});

/** An answer to each question. */
export type Readings = Readonly<Required<z.output<typeof readingsSchema>>>;
