// How the local exchange acts where it is not proven how the venue does: each question with its possible answers.
// A wire profile answers all of them with what is likelier; the exchange's config may answer some of them otherwise.
import { z } from 'zod';

/** Answers of the exchange's config; what is absent is answered by the profile. */
export const readingsSchema = z.strictObject({
  /** Which salts of RSA-PSS signatures are accepted: of any length, or of the digest's 32 bytes only. */
  rsaSalt: z.enum(['any', 'digest']).exactOptional(),
  /** Which forms of ECDSA signatures are accepted: both, or one of them. */
  ecdsaForms: z.enum(['any', 'compact', 'der']).exactOptional(),
  /**
   * What the feed does with a market that is not listed: it serves the others and sends an empty book for this one, or it
   * refuses the whole command.
   */
  unlistedMarkets: z.enum(['empty', 'refused']).exactOptional(),
  /** Whether candles are found under the path of another series than the market's own. */
  candlesOfOtherSeries: z.enum(['found', 'not-found']).exactOptional(),
  /** Whether reads that lag behind hide orders and order groups made since, or only what changed since. */
  newInLaggingReads: z.enum(['hidden', 'shown']).exactOptional(),
  /** Whether the feed compresses its messages for clients that offer to read them so. */
  feedCompression: z.enum(['accepted', 'declined']).exactOptional(),
});

/** An answer to each question. */
export type Readings = Readonly<Required<z.output<typeof readingsSchema>>>;
