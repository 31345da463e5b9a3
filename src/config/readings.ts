// Behavior of the local exchange where the venue's is not proven: each question with its possible answers. A wire
// profile answers all of them with the likelier one; the exchange's config may override some.
import { z } from 'zod';

/** Answers given by the exchange's config. Where one is absent, the profile's answer applies. */
export const readingsSchema = z.strictObject({
  /** Accepted salts of RSA-PSS signatures: of any length, or of the digest's 32 bytes only. */
  rsaSalt: z.enum(['any', 'digest']).exactOptional(),
  /** Accepted forms of ECDSA signatures: both, or one of them. */
  ecdsaForms: z.enum(['any', 'compact', 'der']).exactOptional(),
  /**
   * The feed's answer to an unlisted market: it serves the others and sends an empty book for this one, or refuses the
   * whole command.
   */
  unlistedMarkets: z.enum(['empty', 'refused']).exactOptional(),
  /** Candles under the path of another series than the market's own: found or not. */
  candlesOfOtherSeries: z.enum(['found', 'not-found']).exactOptional(),
  /** Orders and order groups created during the read lag: hidden, or shown with only later changes missing. */
  newInLaggingReads: z.enum(['hidden', 'shown']).exactOptional(),
  /** Compression of feed messages for clients that offer it. */
  feedCompression: z.enum(['accepted', 'declined']).exactOptional(),
});

/** An answer to each question. */
export type Readings = Readonly<Required<z.output<typeof readingsSchema>>>;
