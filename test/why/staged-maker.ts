// A strategy for staged sessions: it quotes 40 to 60 in each market, or does whatever its mode says.
import { contracts, defineStrategy, price, z } from 'presage-trading';

const level = (cents: number) => ({ price: price(cents * 100), qty: contracts(5) });

export const stagedMaker = defineStrategy({
  name: 'staged-maker',
  params: z.strictObject({
    mode: z.enum(['quote', 'follow', 'silent', 'fail', 'pull']).default('quote'),
    spreadMaxCents: z.number().optional(),
    /** The bid in cents. */
    bidCents: z.number().default(40),
  }),
  markets: ({ spreadMaxCents }) => (spreadMaxCents === undefined ? {} : { spreadMax: spreadMaxCents * 100 }),
  setup: ({ params: { mode, bidCents } }) => ({
    onBook({ market }, view) {
      if (mode === 'fail') throw new Error('no fair value');
      if (mode === 'silent') return undefined;
      const best = view.book(market).bestBid;
      if (mode === 'follow')
        return best === null ? [] : [{ type: 'quote', market, bid: level(best / 100 - 5), ask: null }];
      if (mode === 'pull') return [{ type: 'quote', market, bid: null, ask: null, reason: 'one-sided book' }];
      return [{ type: 'quote', market, bid: level(bidCents), ask: level(60), reason: 'fair 50' }];
    },
  }),
});
