// Computes a table again at every change of a book.
import { contracts, defineStrategy, z } from 'presage-trading';

export default defineStrategy({
  name: 'slow',
  params: z.strictObject({}),
  setup: () => ({
    onBook({ market, isTouch }, view) {
      const { bestBid } = view.book(market);
      if (bestBid === null) return;
      let worth = 0;
      for (let step = 1; step < 100_000; step++) worth += Math.sqrt(step) / (bestBid + step);
      if (!(worth > 0) || !isTouch || view.orders(market).length > 0) return;
      return [{ type: 'place', market, side: 'buy', price: bestBid, qty: contracts(1), postOnly: true }];
    },
  }),
});
