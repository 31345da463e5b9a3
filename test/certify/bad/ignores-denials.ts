// Bids half a cent wherever the grid allows it, gets a denial because it is outside the band, and bids again.
import { cellOf, contracts, defineStrategy, price, z } from 'presage-trading';

const HALF_A_CENT = price(50);

export default defineStrategy({
  name: 'ignores-denials',
  params: z.strictObject({}),
  setup: () => ({
    onBook({ market }, view) {
      if (cellOf(view.market(market).grid, HALF_A_CENT) < 0) return;
      return [{ type: 'place', market, side: 'buy', price: HALF_A_CENT, qty: contracts(1), postOnly: true }];
    },
  }),
});
