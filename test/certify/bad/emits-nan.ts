// Quotes around a mid that it never looks at: on a one-sided book it is a number no more.
import { type Price, contracts, defineStrategy, z } from 'presage-trading';

export default defineStrategy({
  name: 'emits-nan',
  params: z.strictObject({}),
  setup: () => ({
    onBook({ market, isTouch }, view) {
      if (!isTouch || view.orders(market).length > 0) return;
      const { bestBid, bestAsk } = view.book(market);
      const middle = (Number(bestBid ?? undefined) + Number(bestAsk ?? undefined)) / 2;
      const price = (Math.floor(middle / 200) * 100) as Price;
      return [{ type: 'place', market, side: 'buy', price, qty: contracts(1), postOnly: true }];
    },
  }),
});
