// Under any sequence of operations no money is created or lost, no cash is reserved twice, and the same inputs give the
// same outputs.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FEE_RATES, type FeeType } from '../../../src/domain/fee-schedule.ts';
import { FLAT, type Position, afterSettlement, afterTrade } from '../../../src/domain/position.ts';
import { CENT_GRID, DECI_CENT_GRID } from '../../../src/domain/price-grid.ts';
import { contracts, price, qty } from '../../../src/domain/units.ts';
import type { FillView } from '../../../src/exchange/machine/exchange-output.ts';
import { createExchange } from '../../../src/exchange/machine/exchange-machine.ts';
import {
  ACCOUNTS,
  type Step,
  anyChange,
  anyGroupChange,
  anyOperation,
  anyPlace,
  opOf,
} from '../exchange-arbitraries.ts';
import { ExchangeHarness, definitionOf, seconds } from '../exchange-harness.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const FEE_TYPES = Object.keys(FEE_RATES) as FeeType[];

/** Prices across the whole grid; rounding matters most at its ends. */
const WIDE = [100, 200, 700, 3300, 5000, 5100, 9300, 9900].map(price);
const FINE = [10, 30, 990, 5010, 5020, 9970, 9990].map(price);

const stepsOn = (prices: readonly number[], unit: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      { weight: 24, arbitrary: anyPlace({ prices, reduceOnly: true, allIn: true, qtyMax: 9, unit, groups: true }) },
      { weight: 6, arbitrary: anyChange(prices, 9, unit) },
      { weight: 1, arbitrary: anyOperation },
      { weight: 1, arbitrary: anyGroupChange(20) },
    ),
    { minLength: 20, maxLength: 150, size: 'max' },
  );

const anySession = fc.oneof(
  fc.record({
    steps: stepsOn(WIDE, contracts(1)),
    market: fc.constant(definitionOf('A', { gridRanges: CENT_GRID.ranges, closeAt: seconds(900) })),
  }),
  fc.record({
    steps: stepsOn(FINE, 7),
    market: fc.constant(
      definitionOf('A', { gridRanges: DECI_CENT_GRID.ranges, qtyStep: qty(1), closeAt: seconds(900) }),
    ),
  }),
);
/** Little cash, so that it runs out. */
const anyCash = fc.constantFrom(1, 2, 4, 8, 1000);

describe('the ledger', () => {
  it('conserves money and never reserves more than there is, under any operations', () => {
    const session = fc.tuple(anySession, anyCash, fc.constantFrom(...FEE_TYPES), fc.constantFrom(0, 50, 100, 1000));
    fc.assert(
      fc.property(session, ([{ steps, market }, cash, feeType, feeMultiplierPercent]) => {
        const harness = new ExchangeHarness({ cash, markets: [market], series: { feeType, feeMultiplierPercent } });
        for (const step of steps) {
          const op = opOf(harness, step);
          if (op === null) continue;
          harness.step(op);
          harness.exchange.audit();
        }
        for (const { account } of harness.exchange.ledger().accounts)
          for (const fill of harness.exchange.fills(account)) expectReduced(harness, fill);
        const { accounts, house, locked, deposited } = harness.exchange.ledger();
        const held = accounts.reduce((sum, account) => sum + account.cash, 0);
        expect(held + house + locked).toBe(deposited);
        for (const account of accounts) expect(account.cash - account.reserved).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: runCount(400) },
    );
  });

  it('agrees with a sum over fills and settlements', () => {
    fc.assert(
      fc.property(anySession, anyCash, ({ steps, market }, cash) => {
        const harness = new ExchangeHarness({ cash, markets: [market] });
        for (const step of steps) {
          const op = opOf(harness, step);
          if (op !== null) harness.step(op);
        }
        const transfers = ACCOUNTS.flatMap((account) => harness.exchange.transfers(account));
        for (const { account, cash: held, deposited, fees } of harness.exchange.ledger().accounts) {
          let expected: number = deposited;
          for (const { account: from, to, amount } of transfers)
            expected += (to === account ? amount : 0) - (from === account ? amount : 0);
          let position = 0;
          for (const fill of harness.exchange.fills(account)) {
            // Pays for the outcome, then gets a dollar back for every pair that arises.
            const each = fill.side === 'buy' ? fill.price : 10_000 - fill.price;
            const against = fill.side === 'buy' ? -position : position;
            const pairs = Math.max(0, Math.min(fill.qty, against));
            expected += 10_000 * pairs - each * fill.qty - fill.fee;
            position += fill.side === 'buy' ? fill.qty : -fill.qty;
            expect(fill.positionAfter).toBe(position);
          }
          for (const settlement of harness.exchange.settlements(account)) expected += settlement.revenue;
          expect(held).toBe(expected);
          expect(harness.exchange.fills(account).reduce((sum, fill) => sum + fill.fee, 0)).toBe(fees);
        }
      }),
    );
  });
});

describe('positions on the exchange', () => {
  it("equal those that the project's own portfolio derives from the fills", () => {
    fc.assert(
      fc.property(anySession, anyCash, ({ steps, market }, cash) => {
        const harness = new ExchangeHarness({ cash, markets: [market] });
        for (const step of steps) {
          const op = opOf(harness, step);
          if (op !== null) harness.step(op);
        }
        for (const account of ACCOUNTS) {
          let derived: Position = FLAT;
          for (const fill of harness.exchange.fills(account)) derived = afterTrade(derived, fill);
          for (const { settlementValue } of harness.exchange.settlements(account))
            derived = afterSettlement(derived, settlementValue);
          const { qty, cost, realized, fees } = harness.exchange.position(account, market.ticker) ?? FLAT;
          expect({ qty, cost, realized, fees }).toEqual(derived);
        }
      }),
    );
  });
});

describe('a replay', () => {
  it('of the same inputs gives the same outputs and the same ledger', () => {
    fc.assert(
      fc.property(anySession, anyCash, ({ steps, market }, cash) => {
        const harness = new ExchangeHarness({ cash, markets: [market] });
        for (const step of steps) {
          const op = opOf(harness, step);
          if (op !== null) harness.step(op);
        }
        const again = createExchange(7);
        // As stored in the log: through JSON and back.
        const inputs: typeof harness.inputs = JSON.parse(JSON.stringify(harness.inputs));
        expect(inputs.map((input) => again.step(input))).toEqual(harness.results);
        expect(again.ledger()).toEqual(harness.exchange.ledger());
      }),
      { numRuns: runCount(50) },
    );
  });
});

/** A trade of a reduce-only order never opens or reverses a position. */
function expectReduced(
  harness: ExchangeHarness,
  { account, orderId, side, qty: traded, positionAfter }: FillView,
): void {
  if (harness.orderOf(account, orderId)?.reduceOnly !== true) return;
  const before = positionAfter - (side === 'buy' ? traded : -traded);
  expect(Math.abs(positionAfter)).toBe(Math.abs(before) - traded);
}
