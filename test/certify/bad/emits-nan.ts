// Quotes around a mid without checking it: on a one-sided book the result is not a number.
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
