// Reads the levels of a side as if there always were some.
import { contracts, defineStrategy, z } from 'presage-trading';

export default defineStrategy({
  name: 'throws',
  params: z.strictObject({}),
  setup: () => ({
    onBook({ market, isTouch }, view) {
      if (!isTouch || view.orders(market).length > 0) return;
      const [best] = view.book(market).levels('bid', 1);
      const [price] = best as NonNullable<typeof best>;
      return [{ type: 'place', market, side: 'buy', price, qty: contracts(1), postOnly: true }];
    },
  }),
});
