// The two halves of a trade, a print and a decrease of its level: when they belong together, and what a print takes back.
import { describe, expect, it } from 'vitest';
import { micros } from '../../../../src/domain/units.ts';
import { PrintPairing } from '../../../../src/venues/simulated/matching/print-pairing.ts';
import { powerQueue } from '../../../../src/venues/simulated/models/queue-models.ts';
import type { FillSimulatorOptions } from '../../../../src/venues/simulated/simulator-interfaces.ts';
import { FillBench } from './fill-bench.ts';

/** A time in milliseconds, and contracts: a change of the level, a print at it, or an order of ours that joins it. */
type Step = readonly [at: number, kind: 'change' | 'print' | 'join', contracts: number];

/** Reads steps such as `0 change -6, 100 print 6`. */
const stepsIn = (text: string): Step[] =>
  text.split(', ').map((step): Step => {
    const [at, kind, contracts] = step.split(' ');
    if (kind !== 'change' && kind !== 'print' && kind !== 'join') throw new Error(`expected a step, found ${step}`);
    return [Number(at), kind, Number(contracts)];
  });

/** Ten contracts, and an order of ours behind them. Returns the contracts ahead of each order after the steps. */
function aheadAfter(text: string, options: Partial<FillSimulatorOptions> = {}): (number | null)[] {
  const bench = new FillBench(options);
  bench.snapshot([[50, 10]], []);
  const steps = stepsIn(`0 join 20, ${text}`);
  for (const [at, kind, qty] of steps) {
    bench.now = micros(at * 1000);
    if (kind === 'change') bench.delta('bid', 50, qty);
    else if (kind === 'print') bench.print('sell', 50, qty);
    else bench.place({ side: 'buy', cents: 50, contracts: qty });
  }
  return steps.filter(([, kind]) => kind === 'join').map((_, index) => bench.ahead(`o${index + 1}`));
}

/** Another trader who joins and leaves behind us every 0.8 seconds. */
const flicker = (from: number, to: number): string => {
  const steps: string[] = [];
  for (let at = from; at < to; at += 800) steps.push(`${at} change 1`, `${at + 10} change -1`);
  return steps.join(', ');
};

describe('a print and the decreases before it', () => {
  it.each<[title: string, steps: string, ahead: number[]]>([
    ['a print takes back the whole advance of its decrease', '0 change -6, 100 print 6', [4]],
    [
      'a print takes back the part of an advance that it explains, and its rest is a cancellation',
      '0 change -6, 100 print 2, 2000 print 1',
      [3],
    ],
    ['a print at the end of the window takes back an advance', '0 change -6, 1000 print 2', [4]],
    ['a print after the window takes nothing back', '0 change -6, 1000.001 print 2', [2]],
    [
      'a print takes no old advance back on a level that never rests',
      `0 change -6, 100 change 10, ${flicker(200, 10_000)}, 10000 change -2, 10000 print 2`,
      [2],
    ],
    ['prints do not keep an old decrease open', '0 change -6, 100 change 10, 600 print 1, 1200 print 2', [2]],
    [
      'a print whose own decrease moved nothing takes nothing back, however new another decrease is',
      '0 change -6, 100 change 10, 200 change -2, 200 print 2',
      [2],
    ],
    [
      'a print larger than the latest decrease explains the one before it, too',
      '0 change -6, 100 change 10, 200 change -2, 200 print 8',
      [2],
    ],
    ['two prints explain two decreases, in either sequence', '0 change -4, 0 change -3, 100 print 4, 100 print 3', [3]],
    [
      'the print of a decrease before an order joined does not move it up, and that of a later one does',
      '0 change -4, 500 join 20, 600 change 5, 700 change -3, 800 print 3, 900 print 4',
      [3, 3],
    ],
    [
      'a print may explain a decrease before an order joined no longer than the window',
      '0 change -4, 900 join 20, 1500 print 4',
      [2, 2],
    ],
  ])('%s', (_, steps, ahead) => {
    expect(aheadAfter(steps)).toEqual(ahead);
    // With an explanation, each decrease takes another way through the level.
    expect(aheadAfter(steps, { onExplanation: () => undefined })).toEqual(ahead);
  });
});

describe('a decrease that moved no order', () => {
  const at = (bench: FillBench, ms: number): FillBench => Object.assign(bench, { now: micros(ms * 1000) });

  it('waits no longer after a snapshot: a print then moves up an order that joined since', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 10]], []);
    bench.place({ side: 'buy', cents: 50, contracts: 20 });
    at(bench, 100).delta('bid', 50, 1);
    at(bench, 200).delta('bid', 50, -1);
    at(bench, 300).snapshot([[50, 10]], []);
    at(bench, 400).place({ side: 'buy', cents: 50, contracts: 20 });
    at(bench, 500).print('sell', 50, 1);
    expect([bench.ahead('o1'), bench.ahead('o2')]).toEqual([9, 9]);
  });

  it('does not wait where no order of ours rested, although we took from the level', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 10]], []);
    bench.place({ side: 'sell', cents: 50, contracts: 3 });
    at(bench, 100).delta('bid', 50, -1);
    // The change of another level comes last.
    at(bench, 200).delta('bid', 40, 1);
    at(bench, 300).place({ side: 'buy', cents: 50, contracts: 20 });
    at(bench, 400).print('sell', 50, 1);
    expect(bench.ahead('o2')).toBe(5);
  });
});

describe('a decrease and the prints before it', () => {
  // Eight contracts of others are ahead of the order once this print has passed, and ten are behind it.
  const start = '0 change 10, 0 print 2';
  const byCancel = (ahead: number, level: number, cut: number): number =>
    powerQueue(1).aheadAfterCancel(ahead * 100, level * 100, cut * 100) / 100;

  it.each<[title: string, steps: string, ahead: number]>([
    ['a decrease of the same quantity is the trade', '1000 change -2', 8],
    ['a decrease after the window is a cancellation', '1001 change -2', byCancel(8, 20, 2)],
    ['the part of a larger decrease that no print explains is a cancellation', '500 change -5', byCancel(8, 18, 3)],
    ['a later print does not keep an old one open', '600 print 1, 1200 change -5', byCancel(7, 19, 4)],
    ['a print that belongs to one decrease explains no other', '100 change -2, 200 change -2', byCancel(8, 18, 2)],
  ])('%s', (_, steps, ahead) => {
    expect(aheadAfter(`${start}, ${steps}`, { queue: powerQueue(1) })).toEqual([ahead]);
  });
});

describe('a level with very many decreases within the window', () => {
  it('only the thousand latest decreases wait for a print', () => {
    const pairing = new PrintPairing<string>(1_000_000);
    for (let at = 0; at < 1500; at++) {
      pairing.awaitPrint(1, at);
      pairing.recordAdvance('o1', 1);
    }
    expect(pairing.pairPrint(1200, 2000)).toEqual(new Map([['o1', 1000]]));
    expect(pairing.pairDecrease(300, 2000)).toBe(100);
  });
});
