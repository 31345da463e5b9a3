// What a strategy does outside of its handlers is its own, too: its setup, its selector, what it saves and restores, and
// what it holds on to.
import { beforeAll, describe, expect, it } from 'vitest';
import { guardWallClock } from '../../backtest/wall-clock.ts';
import { type CheckName, EFFORTS, type Effort, type Verdict } from '../../src/certify/finding.ts';
import { certify } from '../../src/certify/suite.ts';
import { contracts, defineStrategy, z } from '../../src/index.ts';
import type { Handlers, Strategy } from '../../src/strategy/strategy.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const clock = performance.now.bind(performance);
/** Kept by another name before the guard, it would escape it. */
const clockOfWall = (): number => Date.now();
beforeAll(() => guardWallClock());

const SMALL: Effort = { ...EFFORTS.quick, streams: 1, seconds: 70, shrinkRuns: 20, shrinkMs: 60_000 };
const params = z.strictObject({});

function failures(strategy: Strategy, only: readonly CheckName[], effort = SMALL): readonly Verdict[] {
  const subject = { strategy, params: {}, limits: undefined };
  return certify({ subject, seed: 1, effort, only, clock }).verdicts.filter(({ isPassed }) => !isPassed);
}

/** Bids at the best price, one contract at a time. */
const bidder: Handlers = {
  onBook({ market, isTouch }, view) {
    const { bestBid } = view.book(market);
    if (!isTouch || bestBid === null || view.orders(market).length > 0) return;
    return [{ type: 'place', market, side: 'buy', price: bestBid, qty: contracts(1), postOnly: true }];
  },
};

describe('what is no handler', () => {
  it('is told of as isolation when setup asks for the clock, and nothing else is checked', () => {
    const setup = (): Handlers => ({ ...bidder, ...(clockOfWall() < 0 && {}) });
    const found = failures(defineStrategy({ name: 'late', params, setup }), ['isolation', 'throws']);
    expect(found).toMatchObject([
      { check: 'isolation', words: expect.stringContaining('its setup threw WallClockError') },
    ]);
  });

  it('is told of as loads when there can be but one instance', () => {
    let made = 0;
    const setup = (): Handlers => {
      if (made++ > 0) throw new Error('already running');
      return bidder;
    };
    const found = failures(defineStrategy({ name: 'only one', params, setup }), ['loads', 'throws']);
    expect(found).toMatchObject([{ check: 'loads', words: expect.stringContaining('already running') }]);
  });

  it('fails throws when the selector throws, and isolation when it looks at the clock', () => {
    const throwing = defineStrategy({
      name: 'picky',
      params,
      markets: () => ({ where: ({ strike }) => strike!.floor! > 0 }),
      setup: () => bidder,
    });
    expect(failures(throwing, ['isolation', 'throws'])).toMatchObject([
      { check: 'throws', words: expect.stringMatching(/^it was halted: its selector: TypeError/) },
    ]);
    const looking = defineStrategy({
      name: 'on time',
      params,
      markets: () => ({ where: () => clockOfWall() > 0 }),
      setup: () => bidder,
    });
    expect(failures(looking, ['isolation', 'throws'])).toMatchObject([{ check: 'isolation' }]);
  });

  it('fails isolation although the strategy catches what it is told', () => {
    const onBook: Handlers['onBook'] = (event, view) => {
      try {
        clockOfWall();
      } catch {
        return bidder.onBook?.(event, view);
      }
    };
    const found = failures(defineStrategy({ name: 'deaf', params, setup: () => ({ onBook }) }), [
      'isolation',
      'throws',
    ]);
    expect(found).toMatchObject([{ check: 'isolation', words: expect.stringContaining('Date.now was asked for') }]);
  });
});

describe('what is kept', () => {
  /** Counts its fills, and saves and restores the count so. */
  const counting = (save: (fills: string[]) => string[], restore: (saved: string[]) => string[]): Strategy =>
    defineStrategy({
      name: 'counting',
      params,
      saved: z.array(z.string()),
      setup() {
        let fills: string[] = [];
        return {
          ...bidder,
          onFill: ({ fill }, view) => void fills.push(view.market(fill.market).ticker),
          save: () => save(fills),
          restore: (saved) => void (fills = restore(saved)),
        };
      },
    });

  it('is named with what restore threw', () => {
    const throwing = counting(
      (fills) => [...fills, 'x'],
      () => {
        throw new Error('no such market');
      },
    );
    expect(failures(throwing, ['restart'])).toMatchObject([
      { check: 'restart', words: expect.stringContaining('restore threw Error: no such market') },
    ]);
  });

  it('fails restart when saving changes it', () => {
    const numbering = counting(
      (fills) => [String(fills.unshift('saved')), ...fills],
      (saved) => saved,
    );
    expect(failures(numbering, ['restart'])).toMatchObject([
      { check: 'restart', words: expect.stringMatching(/it saves \["\d+","saved",.* where it saved \["\d+","saved",/) },
    ]);
  });
});

describe('what is held on to', { timeout: 2 * PATIENCE_MS }, () => {
  const LONG: Effort = { ...SMALL, memorySeconds: 100 };
  /** Keeps something of each of the last prints. */
  const keeping = (lastMax: number): Strategy =>
    defineStrategy({
      name: 'keeping',
      params,
      setup() {
        const kept: number[][] = [];
        return {
          onPrint({ price }) {
            kept.push(Array.from({ length: 20 }, (_, at) => price + at + 0.5));
            if (kept.length > lastMax) kept.shift();
          },
        };
      },
    });

  it('fails memory when it has no end, however little it is', () => {
    const found = failures(keeping(Infinity), ['memory'], LONG);
    expect(found).toMatchObject([
      { check: 'memory', words: expect.stringMatching(/^it grows: .* after 3, 6, 12, 24 lengths of a stream$/) },
    ]);
  });

  it('may fill up', () => {
    expect(failures(keeping(900), ['memory'], LONG)).toEqual([]);
  });
});
