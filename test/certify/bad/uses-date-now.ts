// Waits between two orders by the system clock.
import { contracts, defineStrategy, z } from 'presage-trading';

export default defineStrategy({
  name: 'uses-date-now',
  params: z.strictObject({}),
  setup() {
    let last = 0;
    return {
      onBook({ market }, view) {
        const { bestBid } = view.book(market);
        if (bestBid === null || Date.now() - last < 1000) return;
        last = Date.now();
        return [{ type: 'place', market, side: 'buy', price: bestBid, qty: contracts(1), postOnly: true }];
      },
    };
  },
});
