// Fees of a whole series, from a time on, and fees that are waived until one.
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

/** What one contract at half a dollar costs its taker in fees. */
function feeOf(hall: Hall, name = 'A'): number {
  hall.place('bob', { ticker: ticker(name), side: 'sell', qty: contracts(1) });
  return hall.place('ann', { ticker: ticker(name), qty: contracts(1) }).takerFees;
}

describe('fees of a series', () => {
  it('change at once where their time has come, and when it comes where it has not', () => {
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

  it('leave an event group alone that has terms of its own, until it has them no more', () => {
    const hall = new Hall();
    const usual = feeOf(hall);
    const own: FeeTerms = { feeType: 'quadratic', feeMultiplierPercent: 300 };
    hall.ask({ type: 'set-fees', eventTicker: GROUP, fees: own });
    hall.ask(setSeriesFees(DOUBLE, 0));
    expect(feeOf(hall)).toBe(3 * usual);
    hall.ask({ type: 'set-fees', eventTicker: GROUP, fees: null });
    expect(feeOf(hall)).toBe(2 * usual);
  });

  it('set aside what resting orders need under them, when their time comes', () => {
    const hall = new Hall();
    hall.place('ann', { qty: contracts(100) });
    const before = hall.exchange.balance('ann')?.reserved ?? 0;
    hall.ask(setSeriesFees(DOUBLE, 5));
    expect(hall.exchange.balance('ann')?.reserved).toBe(before);
    hall.wait(5);
    expect(hall.exchange.balance('ann')?.reserved).toBe(before + 437_500);
    hall.exchange.audit();
  });

  it('are listed with those of its event groups, each under a name of its own', () => {
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

  it('come though an image lies between', () => {
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

  it('are refused for a series that there is not, and beyond what may be charged', () => {
    const hall = new Hall();
    const strange: Op = { type: 'set-series-fees', seriesTicker: seriesTicker('NONE'), fees: DOUBLE, at: seconds(0) };
    expect(hall.codeOf(strange)).toBe('invalid_parameters');
    expect(hall.codeOf(setSeriesFees({ ...DOUBLE, feeMultiplierPercent: 1001 }, 0))).toBe('invalid_parameters');
    // A time that is none.
    const never = { ...setSeriesFees(DOUBLE, 0), at: Number.NaN } as Op;
    expect(hall.codeOf(never)).toBe('invalid_parameters');
    expect(hall.exchange.feeChanges(RAIN)).toEqual([]);
  });
});

describe('a waiver', () => {
  it('charges nothing until it ends, in the market that has it', () => {
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

describe('fees to come, in a config', () => {
  const text = (changes: string): string => `
seed: 9
series:
  - { ticker: RAIN, title: Rain, category: Weather, feeChanges: [${changes}] }
eventGroups: [{ ticker: RAIN-26, series: RAIN, title: Rain }]
markets: [{ ticker: A, eventGroup: RAIN-26, title: Rain?, closesIn: 1h }]
flow: { enabled: false }
`;

  it('are set when the exchange first starts, and not again when it starts on its log', () => {
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
    'say when they come in one way: %s does not',
    (change) => {
      expect(() => parseExchangeConfig(text(change), 'exchange.yaml')).toThrow(
        'feeChanges[0]: expected either at or in',
      );
    },
  );
});
