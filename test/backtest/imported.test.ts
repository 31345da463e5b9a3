// A backtest over an imported tape: the settlement in the market definitions applies to the account, too.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strategyName } from '../../src/domain/ids.ts';
import type { EngineEvent } from '../../src/domain/event.ts';
import type { Notice } from '../../src/execution/engine-notice.ts';
import { EPOCH, type Micros, type Money, cents, qty } from '../../src/domain/units.ts';
import type { BoundStrategy } from '../../src/strategy/strategy-definition.ts';
import { captureWire } from '../../src/venues/trade-api/captures/capture-dialects.ts';
import { withImportedTape } from '../support/tapes/imported-tape.ts';
import { backtestOver } from '../support/tapes/active-tape.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-imported-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const micro = (time: string): number => Date.parse(`2026-08-06T${time}Z`) * 1000;

const MARKET = {
  ticker: 'RAIN-1',
  event_ticker: 'RAIN',
  status: 'finalized',
  open_time: '2026-08-06T03:45:00Z',
  close_time: '2026-08-06T04:00:00Z',
  settlement_timer_seconds: 1,
  can_close_early: true,
  result: 'yes',
};

/** Trades through the price of a resting order, and others until long after the close. */
const TRADES = ['ticker,ts,price,quantity,direction']
  .concat(['03:50:00', '03:50:10', '03:51:00', '16:00:00'].map((time) => `RAIN-1,2026-08-06T${time}Z,0.5,9,no`))
  .join('\n');

/** Bids for one contract, once. */
function aBidder(): BoundStrategy {
  let hasBid = false;
  return {
    name: strategyName('quoter'),
    selector: {},
    handlers: {
      onPrint: ({ market }) => {
        if (hasBid) return;
        hasBid = true;
        return [{ type: 'place', market, side: 'buy', price: cents(60), qty: qty(100), timeInForce: 'gtc' }];
      },
    },
  };
}

/** The payments of each YES held at the end, with their times. */
async function payments(market: object): Promise<readonly { readonly at: Micros; readonly paid: Money }[]> {
  const file = join(folder, 'trades.csv');
  writeFileSync(file, TRADES);
  const definitions = captureWire.readDefinitions([market], () => undefined);
  const paid: { readonly at: Micros; readonly paid: Money }[] = [];
  let at = EPOCH;
  const telling = (event: EngineEvent): void => void (at = event.at);
  const observe = (notice: Notice): void => {
    if (notice.type === 'settled') paid.push({ at, paid: notice.paid });
  };
  await withImportedTape({ format: 'trades-csv', files: [file], definitions, emptyBooks: true }, async (source) => {
    const { imbalances, unsettled } = await backtestOver(source, [aBidder()], {
      observe,
      observer: { beforeEvent: telling },
    });
    expect({ imbalances, unsettled }).toEqual({ imbalances: [], unsettled: [] });
  });
  return paid;
}

describe('a market whose definition has its settlement time', () => {
  it('the account is paid at the settlement time, hours after the close, and no sooner', async () => {
    const paid = await payments({ ...MARKET, settlement_ts: '2026-08-06T15:48:00.134979Z' });
    expect(paid).toEqual([{ at: micro('15:48:00.134') + 979, paid: 1_000_000 }]);
  });

  it('without a settlement time the account is paid one settlement timer after the close', async () => {
    expect(await payments(MARKET)).toEqual([{ at: micro('04:00:01'), paid: 1_000_000 }]);
  });
});
