// Counts its own fills in the position that it is given, which is the engine's.
import { type Position, type Qty, contracts, defineStrategy, z } from 'presage-trading';

/** A type without `readonly`, as a strategy in JavaScript has none. */
type Writable = { -readonly [Member in keyof Position]: Position[Member] };

export default defineStrategy({
  name: 'writes-to-view',
  params: z.strictObject({}),
  setup: () => ({
    onBook({ market, isTouch }, view) {
      const { bestBid } = view.book(market);
      if (!isTouch || bestBid === null || view.orders(market).length > 0) return;
      const held: Writable = view.position(market);
      held.qty = (held.qty + 0) as Qty;
      return [{ type: 'place', market, side: 'buy', price: bestBid, qty: contracts(1), postOnly: true }];
    },
  }),
});
