// Stores every book that it has ever seen.
import { type Price, type Qty, contracts, defineStrategy, z } from 'presage-trading';

export default defineStrategy({
  name: 'leaks-memory',
  params: z.strictObject({}),
  setup() {
    const history: (readonly [Price, Qty])[][] = [];
    return {
      onBook({ market, isTouch }, view) {
        const book = view.book(market);
        for (const other of view.markets) history.push(view.book(other).levels('bid'), view.book(other).levels('ask'));
        if (!isTouch || book.bestBid === null || view.orders(market).length > 0) return;
        return [{ type: 'place', market, side: 'buy', price: book.bestBid, qty: contracts(1), postOnly: true }];
      },
    };
  },
});
