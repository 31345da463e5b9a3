// Fee changes of a whole series at a time, and fees waived until a time.
import { describe, expect, it } from 'vitest';
import { parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import { eventTicker, seriesTicker, ticker } from '../../../src/domain/ids.ts';
import { contracts, micros } from '../../../src/domain/units.ts';
import type { FeeTerms, Op } from '../../../src/exchange/machine/exchange-input.ts';
import { openExchange } from '../../../src/exchange/session/exchange-driver.ts';
import { restoreExchange } from '../../../src/exchange/machine/exchange-machine.ts';
import { memoryStore } from '../../../src/exchange/store/input-store.ts';
import { ExchangeHarness, definitionOf, seconds } from '../exchange-harness.ts';

const RAIN = seriesTicker('RAIN');
const GROUP = eventTicker('RAIN-26');
const DOUBLE: FeeTerms = { feeType: 'quadratic_with_maker_fees', feeMultiplierPercent: 200 };
const setSeriesFees = (fees: FeeTerms, second: number): Op => ({
  type: 'set-series-fees',
  seriesTicker: RAIN,
  fees,
  at: seconds(second),
});

/** Taker fee of one contract at half a dollar. */
function feeOf(harness: ExchangeHarness, name = 'A'): number {
  harness.placeOrder('bob', { ticker: ticker(name), side: 'sell', qty: contracts(1) });
  return harness.placeOrder('ann', { ticker: ticker(name), qty: contracts(1) }).takerFees;
}

describe('fees of a series', () => {
  it('change at once when their time has passed, and otherwise at their time', () => {
    const harness = new ExchangeHarness();
    const usual = feeOf(harness);
    harness.submit(setSeriesFees(DOUBLE, 10));
    expect(harness.exchange.nextDue()).toBe(seconds(10));
    harness.advance(9);
    expect(feeOf(harness)).toBe(usual);
    harness.advance(1);
    expect(feeOf(harness)).toBe(2 * usual);
    expect(harness.exchange.series(RAIN)).toMatchObject(DOUBLE);
    harness.submit(setSeriesFees({ feeType: 'free', feeMultiplierPercent: 100 }, 0));
    expect(feeOf(harness)).toBe(0);
    harness.exchange.audit();
  });

  it('do not affect an event group with terms of its own, until these are removed', () => {
    const harness = new ExchangeHarness();
    const usual = feeOf(harness);
    const own: FeeTerms = { feeType: 'quadratic', feeMultiplierPercent: 300 };
    harness.submit({ type: 'set-fees', eventTicker: GROUP, fees: own });
    harness.submit(setSeriesFees(DOUBLE, 0));
    expect(feeOf(harness)).toBe(3 * usual);
    harness.submit({ type: 'set-fees', eventTicker: GROUP, fees: null });
    expect(feeOf(harness)).toBe(2 * usual);
  });

  it('change the collateral of resting orders at their time', () => {
    const harness = new ExchangeHarness();
    harness.placeOrder('ann', { qty: contracts(100) });
    const before = harness.exchange.balance('ann')?.reserved ?? 0;
    harness.submit(setSeriesFees(DOUBLE, 5));
    expect(harness.exchange.balance('ann')?.reserved).toBe(before);
    harness.advance(5);
    expect(harness.exchange.balance('ann')?.reserved).toBe(before + 437_500);
    harness.exchange.audit();
  });

  it('are listed with those of its event groups, each with its own id', () => {
    const harness = new ExchangeHarness();
    harness.submit(setSeriesFees(DOUBLE, 10));
    harness.submit({ type: 'set-fees', eventTicker: GROUP, fees: DOUBLE });
    harness.submit({ type: 'set-fees', eventTicker: GROUP, fees: null });
    const changes = harness.exchange.feeChanges(RAIN);
    expect(changes.map(({ eventTicker: group, fees, at }) => [group, fees, at])).toEqual([
      [null, DOUBLE, seconds(10)],
      [GROUP, DOUBLE, harness.at],
      [GROUP, null, harness.at],
    ]);
    expect(new Set(changes.map(({ id }) => id)).size).toBe(3);
    expect(harness.exchange.feeChanges(seriesTicker('NONE'))).toEqual([]);
  });

  it('change on schedule after a restore from an image', () => {
    const harness = new ExchangeHarness();
    harness.submit(setSeriesFees(DOUBLE, 10));
    const copy = restoreExchange(
      7,
      JSON.parse(JSON.stringify(harness.exchange.image())) as ReturnType<typeof harness.exchange.image>,
    );
    expect(copy.feeChanges(RAIN)).toEqual(harness.exchange.feeChanges(RAIN));
    copy.step({ at: seconds(10), op: { type: 'tick' } });
    expect(copy.series(RAIN)).toMatchObject(DOUBLE);
  });

  it('are refused for an unknown series, and beyond their bounds', () => {
    const harness = new ExchangeHarness();
    const strange: Op = { type: 'set-series-fees', seriesTicker: seriesTicker('NONE'), fees: DOUBLE, at: seconds(0) };
    expect(harness.codeOf(strange)).toBe('invalid_parameters');
    expect(harness.codeOf(setSeriesFees({ ...DOUBLE, feeMultiplierPercent: 1001 }, 0))).toBe('invalid_parameters');
    // An invalid time.
    const never = { ...setSeriesFees(DOUBLE, 0), at: Number.NaN } as Op;
    expect(harness.codeOf(never)).toBe('invalid_parameters');
    expect(harness.exchange.feeChanges(RAIN)).toEqual([]);
  });
});

describe('a fee waiver', () => {
  it('charges nothing until it ends, in its own market only', () => {
    const markets = [definitionOf('A', { feesWaivedUntil: seconds(10) }), definitionOf('B')];
    const harness = new ExchangeHarness({ markets });
    const usual = feeOf(harness, 'B');
    expect(usual).toBeGreaterThan(0);
    expect(feeOf(harness)).toBe(0);
    harness.at = micros(seconds(10) - 1);
    expect(feeOf(harness)).toBe(0);
    harness.at = seconds(10);
    expect(feeOf(harness)).toBe(usual);
    harness.exchange.audit();
  });
});

describe('scheduled fees in a config', () => {
  const text = (changes: string): string => `
seed: 9
series:
  - { ticker: RAIN, title: Rain, category: Weather, feeChanges: [${changes}] }
eventGroups: [{ ticker: RAIN-26, series: RAIN, title: Rain }]
markets: [{ ticker: A, eventGroup: RAIN-26, title: Rain?, closesIn: 1h }]
flow: { enabled: false }
`;

  it('are set at the first start of the exchange, and not again when it restarts from its log', () => {
    const config = parseExchangeConfig(
      text('{ in: 10s, feeType: quadratic, feeMultiplier: 0.5 }, { at: 2027-01-01T00:00:00Z, feeType: free }'),
      'exchange.yaml',
    );
    const store = memoryStore(7);
    const clock = () => seconds(0);
    const planned = [
      { fees: { feeType: 'quadratic', feeMultiplierPercent: 50 }, at: seconds(10) },
      { fees: { feeType: 'free', feeMultiplierPercent: 100 }, at: micros(Date.UTC(2027, 0, 1) * 1000) },
    ];
    for (const _start of [1, 2]) {
      const session = openExchange(config, { store, clock });
      expect(session.exchange.feeChanges(RAIN)).toMatchObject(planned);
      expect(session.exchange.nextDue()).toBe(seconds(10));
      session.close();
    }
  });

  it.each(['{ feeType: free }', '{ in: 1s, at: 2027-01-01T00:00:00Z, feeType: free }'])(
    'must give their time in exactly one way: %s does not',
    (change) => {
      expect(() => parseExchangeConfig(text(change), 'exchange.yaml')).toThrow(
        'feeChanges[0]: expected either at or in',
      );
    },
  );
});
