// Puts all of its cash into every order.
import { contracts, defineStrategy, z } from 'presage-trading';

export default defineStrategy({
  name: 'exceeds-limit',
  params: z.strictObject({}),
  setup: () => ({
    onBook({ market, isTouch }, view) {
      const { bestBid } = view.book(market);
      if (!isTouch || bestBid === null || view.orders(market).length > 0) return;
      const all = Math.floor(view.available / bestBid / 100);
      return all > 0
        ? [{ type: 'place', market, side: 'buy', price: bestBid, qty: contracts(all), postOnly: true }]
        : undefined;
    },
  }),
});
