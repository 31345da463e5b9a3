// The text of a parity report: no sum can pass for another.
import { expect, it } from 'vitest';
import { render } from '../../src/cli/parity-command.ts';

it('shows the money that trades moved as cash, not as a result', () => {
  const none = { orders: 0, qty: 0, filledQty: 0 };
  const lines = render(
    {
      orders: { live: 1, simulated: 1, paired: 1 },
      filledQty: { live: 10_000, simulated: 10_000, same: 10_000 },
      resting: { live: none, simulated: none },
      agreement: 1,
      cash: { live: -49_490_600, simulated: -52_020_200 },
      differences: [],
      byCause: {},
    },
    [],
  );
  expect(lines).toContain('cash       session −$49.4906, backtest −$52.0202: paid and received for trades, with fees');
  expect(lines.join('\n')).not.toContain('trades     ');
});
