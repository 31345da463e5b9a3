// A strategy's code outside of its handlers is checked, too: its setup, its selector, `save` and `restore`, and its
// memory.
import { beforeAll, describe, expect, it } from 'vitest';
import { guardWallClock } from '../../backtest/wall-clock-guard.ts';
import { type CheckName, EFFORTS, type Effort, type CheckVerdict } from '../../src/certify/check-verdict.ts';
import { certify } from '../../src/certify/check-suite.ts';
import { contracts, defineStrategy, z } from '../../src/index.ts';
import type { Handlers, Strategy } from '../../src/strategy/strategy-definition.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const clock = performance.now.bind(performance);
/** Wrapped in a function: a reference to `Date.now` taken before the guard would escape it. */
const clockOfWall = (): number => Date.now();
beforeAll(() => guardWallClock());

const SMALL: Effort = { ...EFFORTS.quick, streams: 1, seconds: 70, shrinkRuns: 20, shrinkMs: 60_000 };
const params = z.strictObject({});

function failures(strategy: Strategy, only: readonly CheckName[], effort = SMALL): readonly CheckVerdict[] {
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

describe('code outside of handlers', () => {
  it('fails isolation when setup reads the clock, and no other check runs', () => {
    const setup = (): Handlers => ({ ...bidder, ...(clockOfWall() < 0 && {}) });
    const failed = failures(defineStrategy({ name: 'late', params, setup }), ['isolation', 'throws']);
    expect(failed).toMatchObject([
      { check: 'isolation', words: expect.stringContaining('its setup threw WallClockError') },
    ]);
  });

  it('fails loads when only one instance can be made', () => {
    let instances = 0;
    const setup = (): Handlers => {
      if (instances++ > 0) throw new Error('already running');
      return bidder;
    };
    const failed = failures(defineStrategy({ name: 'only one', params, setup }), ['loads', 'throws']);
    expect(failed).toMatchObject([{ check: 'loads', words: expect.stringContaining('already running') }]);
  });

  it('fails throws when the selector throws, and isolation when it reads the clock', () => {
    const throwing = defineStrategy({
      name: 'picky',
      params,
      markets: () => ({ where: ({ strike }) => strike!.floor! > 0 }),
      setup: () => bidder,
    });
    expect(failures(throwing, ['isolation', 'throws'])).toMatchObject([
      { check: 'throws', words: expect.stringMatching(/^it was halted: its selector: TypeError/) },
    ]);
    const readingClock = defineStrategy({
      name: 'on time',
      params,
      markets: () => ({ where: () => clockOfWall() > 0 }),
      setup: () => bidder,
    });
    expect(failures(readingClock, ['isolation', 'throws'])).toMatchObject([{ check: 'isolation' }]);
  });

  it('fails isolation although the strategy catches the error', () => {
    const onBook: Handlers['onBook'] = (event, view) => {
      try {
        clockOfWall();
      } catch {
        return bidder.onBook?.(event, view);
      }
    };
    const failed = failures(defineStrategy({ name: 'deaf', params, setup: () => ({ onBook }) }), [
      'isolation',
      'throws',
    ]);
    expect(failed).toMatchObject([{ check: 'isolation', words: expect.stringContaining('Date.now was used') }]);
  });
});

describe('a saved state', () => {
  /** Counts its fills, and saves and restores the count with these functions. */
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

  it('fails restart with the error that restore threw', () => {
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

describe('memory', { timeout: 2 * PATIENCE_MS }, () => {
  const LONG: Effort = { ...SMALL, memorySeconds: 100 };
  /** Stores something of each of the last prints. */
  const keeping = (lastMax: number): Strategy =>
    defineStrategy({
      name: 'keeping',
      params,
      setup() {
        const stored: number[][] = [];
        return {
          onPrint({ price }) {
            stored.push(Array.from({ length: 20 }, (_, at) => price + at + 0.5));
            if (stored.length > lastMax) stored.shift();
          },
        };
      },
    });

  it('fails the check when it grows without bound, however slowly', () => {
    const failed = failures(keeping(Infinity), ['memory'], LONG);
    expect(failed).toMatchObject([
      { check: 'memory', words: expect.stringMatching(/^it grows: .* after 3, 6, 12, 24 lengths of a stream$/) },
    ]);
  });

  it('may fill up', () => {
    expect(failures(keeping(900), ['memory'], LONG)).toEqual([]);
  });
});
