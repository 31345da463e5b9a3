// Counts its own fills to know when it has enough, and does not save the count.
import { contracts, defineStrategy, z } from 'presage-trading';

const ENOUGH = 3;

export default defineStrategy({
  name: 'differs-after-restart',
  params: z.strictObject({}),
  setup() {
    let fills = 0;
    return {
      onBook({ market, isTouch }, view) {
        const { bestBid } = view.book(market);
        if (!isTouch || bestBid === null || fills >= ENOUGH || view.orders(market).length > 0) return;
        return [{ type: 'place', market, side: 'buy', price: bestBid, qty: contracts(1), postOnly: true }];
      },
      onFill: () => void (fills += 1),
    };
  },
});
