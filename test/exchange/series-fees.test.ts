// Fee changes of a whole series at a time, and fees waived until a time.
import { describe, expect, it } from 'vitest';
import { parseExchangeConfig } from '../../src/config/exchange-config.ts';
import { eventTicker, seriesTicker, ticker } from '../../src/domain/ids.ts';
import { contracts, micros } from '../../src/domain/units.ts';
import type { FeeTerms, Op } from '../../src/exchange/input.ts';
import { openExchange } from '../../src/exchange/driver.ts';
import { restoreExchange } from '../../src/exchange/machine.ts';
import { memoryStore } from '../../src/exchange/store.ts';
import { Hall, definitionOf, seconds } from './hall.ts';

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
function feeOf(hall: Hall, name = 'A'): number {
  hall.place('bob', { ticker: ticker(name), side: 'sell', qty: contracts(1) });
  return hall.place('ann', { ticker: ticker(name), qty: contracts(1) }).takerFees;
}

describe('fees of a series', () => {
  it('change at once when their time has passed, and otherwise at their time', () => {
    const hall = new Hall();
    const usual = feeOf(hall);
    hall.ask(setSeriesFees(DOUBLE, 10));
    expect(hall.exchange.nextDue()).toBe(seconds(10));
    hall.wait(9);
    expect(feeOf(hall)).toBe(usual);
    hall.wait(1);
    expect(feeOf(hall)).toBe(2 * usual);
    expect(hall.exchange.series(RAIN)).toMatchObject(DOUBLE);
    hall.ask(setSeriesFees({ feeType: 'free', feeMultiplierPercent: 100 }, 0));
    expect(feeOf(hall)).toBe(0);
    hall.exchange.audit();
  });

  it('do not affect an event group with terms of its own, until these are removed', () => {
    const hall = new Hall();
    const usual = feeOf(hall);
    const own: FeeTerms = { feeType: 'quadratic', feeMultiplierPercent: 300 };
    hall.ask({ type: 'set-fees', eventTicker: GROUP, fees: own });
    hall.ask(setSeriesFees(DOUBLE, 0));
    expect(feeOf(hall)).toBe(3 * usual);
    hall.ask({ type: 'set-fees', eventTicker: GROUP, fees: null });
    expect(feeOf(hall)).toBe(2 * usual);
  });

  it('change the collateral of resting orders at their time', () => {
    const hall = new Hall();
    hall.place('ann', { qty: contracts(100) });
    const before = hall.exchange.balance('ann')?.reserved ?? 0;
    hall.ask(setSeriesFees(DOUBLE, 5));
    expect(hall.exchange.balance('ann')?.reserved).toBe(before);
    hall.wait(5);
    expect(hall.exchange.balance('ann')?.reserved).toBe(before + 437_500);
    hall.exchange.audit();
  });

  it('are listed with those of its event groups, each with its own id', () => {
    const hall = new Hall();
    hall.ask(setSeriesFees(DOUBLE, 10));
    hall.ask({ type: 'set-fees', eventTicker: GROUP, fees: DOUBLE });
    hall.ask({ type: 'set-fees', eventTicker: GROUP, fees: null });
    const changes = hall.exchange.feeChanges(RAIN);
    expect(changes.map(({ eventTicker: group, fees, at }) => [group, fees, at])).toEqual([
      [null, DOUBLE, seconds(10)],
      [GROUP, DOUBLE, hall.at],
      [GROUP, null, hall.at],
    ]);
    expect(new Set(changes.map(({ id }) => id)).size).toBe(3);
    expect(hall.exchange.feeChanges(seriesTicker('NONE'))).toEqual([]);
  });

  it('change on schedule after a restore from an image', () => {
    const hall = new Hall();
    hall.ask(setSeriesFees(DOUBLE, 10));
    const copy = restoreExchange(
      7,
      JSON.parse(JSON.stringify(hall.exchange.image())) as ReturnType<typeof hall.exchange.image>,
    );
    expect(copy.feeChanges(RAIN)).toEqual(hall.exchange.feeChanges(RAIN));
    copy.step({ at: seconds(10), op: { type: 'tick' } });
    expect(copy.series(RAIN)).toMatchObject(DOUBLE);
  });

  it('are refused for an unknown series, and beyond their bounds', () => {
    const hall = new Hall();
    const strange: Op = { type: 'set-series-fees', seriesTicker: seriesTicker('NONE'), fees: DOUBLE, at: seconds(0) };
    expect(hall.codeOf(strange)).toBe('invalid_parameters');
    expect(hall.codeOf(setSeriesFees({ ...DOUBLE, feeMultiplierPercent: 1001 }, 0))).toBe('invalid_parameters');
    // An invalid time.
    const never = { ...setSeriesFees(DOUBLE, 0), at: Number.NaN } as Op;
    expect(hall.codeOf(never)).toBe('invalid_parameters');
    expect(hall.exchange.feeChanges(RAIN)).toEqual([]);
  });
});

describe('a fee waiver', () => {
  it('charges nothing until it ends, in its own market only', () => {
    const markets = [definitionOf('A', { feesWaivedUntil: seconds(10) }), definitionOf('B')];
    const hall = new Hall({ markets });
    const usual = feeOf(hall, 'B');
    expect(usual).toBeGreaterThan(0);
    expect(feeOf(hall)).toBe(0);
    hall.at = micros(seconds(10) - 1);
    expect(feeOf(hall)).toBe(0);
    hall.at = seconds(10);
    expect(feeOf(hall)).toBe(usual);
    hall.exchange.audit();
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
