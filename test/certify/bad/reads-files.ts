// Reads the future from the file of the tape.
import { existsSync, readFileSync } from 'node:fs';
import { contracts, defineStrategy, z } from 'presage-trading';

export default defineStrategy({
  name: 'reads-files',
  params: z.strictObject({ tape: z.string().default('tape.json') }),
  setup: ({ params }) => ({
    onBook({ market, isTouch }, view) {
      const { bestAsk } = view.book(market);
      if (!isTouch || bestAsk === null || !existsSync(params.tape)) return;
      if (!readFileSync(params.tape, 'utf8').includes('"yes"')) return;
      return [{ type: 'place', market, side: 'buy', price: bestAsk, qty: contracts(1), timeInForce: 'ioc' }];
    },
  }),
});
