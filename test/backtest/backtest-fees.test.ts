// Fees in a backtest: the engine's predictions equal the venue's charges, whatever the config and the tape say.
import { describe, expect, it } from 'vitest';
import { runBacktest } from '../../backtest/backtest-run.ts';
import { TickerTable, strategyName } from '../../src/domain/ids.ts';
import type { Micros, Money, Qty } from '../../src/domain/units.ts';
import type { Notice } from '../../src/execution/engine-notice.ts';
import { kalshiProfile } from '../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { tradeApiReplayParts } from '../../src/venues/trade-api/replay-parts.ts';
import quoter from '../../strategies/two-sided-quoter.ts';
import {
  type ActiveTapeOptions,
  aBacktestConfig,
  at,
  activeTape,
  backtestOptions,
} from '../support/tapes/active-tape.ts';

interface Outcome {
  readonly fills: readonly { readonly at: Micros | null; readonly fee: Money; readonly qty: Qty }[];
  readonly cash: Money;
}

/** Runs a quoter over a tape of a minute, and expects every prediction to equal the charge. */
async function checkedRun(tape: ActiveTapeOptions, fees: object = {}): Promise<Outcome> {
  const config = aBacktestConfig({ simulation: { fees } });
  const strategy = quoter.bind(strategyName('quoter'), { qtyContracts: 5, halfSpreadCents: 1, toleranceCents: 0 });
  const options = backtestOptions(activeTape(tape), [strategy], config);
  const alarms: string[] = [];
  const observe = (notice: Notice): void => {
    if (notice.type === 'alarm' && notice.code === 'fee-unexpected') alarms.push(notice.text);
  };
  // The venue whose fee plans the tape contains.
  const { capabilities } = tradeApiReplayParts({ profile: kalshiProfile, tickers: new TickerTable() });
  const { driver, imbalances } = await runBacktest({ ...options, capabilities, observe });
  const { charged, expected, fills } = driver.engine.risk.feesChecked;
  const { account } = driver.venue;
  expect({ alarms, imbalances, charged }).toEqual({ alarms: [], imbalances: [], charged: expected });
  expect(fills).toBe(account.fills.length);
  expect(fills).toBeGreaterThan(10);
  return { fills: account.fills.map(({ exchangeAt, fee, qty }) => ({ at: exchangeAt, fee, qty })), cash: account.cash };
}

const FREE = { feeType: 'free', feeMultiplierPercent: 100 };
const DOUBLED = { feeType: 'quadratic_with_maker_fees', feeMultiplierPercent: 200 };

describe('the fees of a backtest', () => {
  it('planned fee changes are charged and predicted from their exact time on', async () => {
    const { fills } = await checkedRun({
      feePlan: [
        { at: 20, terms: FREE },
        { at: 40, terms: DOUBLED },
      ],
    });
    /** Fees per hundredth of a contract. */
    const between = (from: number, to: number): readonly number[] =>
      fills.filter((fill) => (fill.at ?? 0) >= at(from) && (fill.at ?? 0) < at(to)).map(({ fee, qty }) => fee / qty);
    expect(Math.min(...between(0, 20))).toBeGreaterThan(0);
    expect(new Set(between(20, 40))).toEqual(new Set([0]));
    expect(Math.min(...between(40, 60))).toBeGreaterThan(1.5 * Math.min(...between(0, 20)));
  });

  it('an account that clears indirectly keeps a balance of whole cents', async () => {
    const { cash } = await checkedRun({}, { clearing: 'indirect' });
    expect(cash % 10_000).toBe(0);
  });

  it('fees are rounded by the steps of the config', async () => {
    const { fills } = await checkedRun({}, { rounding: [{ feeStep: 0.01, balanceStep: 0.01 }] });
    expect(fills.filter(({ fee }) => fee % 10_000 !== 0)).toEqual([]);
  });
});
