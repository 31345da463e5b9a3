// Waits: their length, their saved state, and the denials that are a reason to wait.
import { describe, expect, it } from 'vitest';
import type { IntentOutcome } from '../../src/domain/event.ts';
import { strategyName } from '../../src/domain/ids.ts';
import { cents, contracts, fromSeconds } from '../../src/domain/units.ts';
import { Waits, deniedMarket, waitsState } from '../../src/kit/waits.ts';
import { M1 } from '../support/engine/builders.ts';

const at = fromSeconds;

describe('a wait', () => {
  it('lasts as long as it was started for, and each key waits by itself', () => {
    const waits = new Waits();
    waits.begin('A', at(10), 1500);
    expect([10, 11.4999, 11.5, 12].map((now) => waits.isWaiting('A', at(now)))).toEqual([true, true, false, false]);
    expect(waits.isWaiting('B', at(10))).toBe(false);
  });

  it('is replaced by a later one, longer or shorter', () => {
    const waits = new Waits();
    waits.begin('A', at(10), 5000);
    waits.begin('A', at(10), 1000);
    expect(waits.isWaiting('A', at(12))).toBe(false);
  });

  it('continues from its saved state', () => {
    const waits = new Waits();
    waits.begin('A', at(10), 5000);
    const again = new Waits();
    again.restore(waitsState.parse(JSON.parse(JSON.stringify(waits.state))));
    expect([again.isWaiting('A', at(14)), again.isWaiting('A', at(15))]).toEqual([true, false]);
    expect(again.state).toEqual(waits.state);
  });

  it('is removed when it is over, however many there are', () => {
    const waits = new Waits();
    for (let number = 0; number < 10_000; number++) waits.begin(`M-${number}`, at(number), 10_000);
    expect(Object.keys(waits.state).length).toBeLessThan(100);
    expect(waits.isWaiting('M-9995', at(10_000))).toBe(true);
  });
});

describe('the market of a denial', () => {
  const place = { type: 'place', market: M1, side: 'buy', price: cents(40), qty: contracts(1) } as const;
  const denied = { kind: 'denied', at: at(1), strategy: strategyName('s') } as const;

  it.each<[string, IntentOutcome, number | null]>([
    ['is that of the denied order', { ...denied, intent: place, denial: { code: 'no-reference' } }, M1],
    [
      'is null before trading has begun',
      { ...denied, intent: place, denial: { code: 'not-ready', reason: 'loading' } },
      null,
    ],
    [
      'is null for a denied cancel',
      { ...denied, intent: { type: 'cancel-all' }, denial: { code: 'no-reference' } },
      null,
    ],
    ['is null for an approval', { ...denied, kind: 'approved', intent: place, clientOrderId: 'a' as never }, null],
  ])('%s', (_name, outcome, market) => {
    expect(deniedMarket(outcome)).toBe(market);
  });
});
