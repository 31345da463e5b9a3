// The place of a thrown error: the author's own line, whatever calls of this program or of a package lie between.
import { describe, expect, it } from 'vitest';
import { addStrategyPackage, describeThrown, isByAuthor, placesOf, thrownAt } from '../../src/strategy/fault-place.ts';
import { price } from '../../src/index.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

/** Makes an error that was thrown at these places, innermost first. */
function thrown(...places: readonly string[]): Error {
  const fault = new RangeError('too far');
  fault.stack = ['RangeError: too far', ...places.map((place) => `    at ${place}`)].join('\n');
  return fault;
}

describe('the place of a thrown error', () => {
  it.each([
    ['Object.onBook (file:///home/me/my%20bots/first.ts:12:5)', ' (first.ts:12)'],
    ['Object.onBook (/home/me/src/first.ts:12:5)', ' (first.ts:12)'],
    ['file:///home/me/first.mjs:3:1', ' (first.mjs:3)'],
    ['file:///home/100%/first.mjs:3:1', ' (first.mjs:3)'],
    ['async Promise.all (index 0)', ''],
    ['node:internal/process/task_queues:95:5', ''],
    [`Roster.ask (file://${ROOT}src/strategy/strategy-runner.ts:250:17)`, ''],
    [`Roster.ask (file://${ROOT}dist/src/strategy/strategy-runner.js:250:17)`, ''],
    [`Driver.advance (${ROOT}backtest/replay-driver.ts:1:1)`, ''],
    ['parse (/home/me/node_modules/presage-trading/src/strategy/define-strategy.ts:52:9)', ''],
    ['quote (/home/me/node_modules/presage-trading/strategies/two-sided-quoter.ts:40:3)', ' (two-sided-quoter.ts:40)'],
    [`quote (${ROOT}strategies/two-sided-quoter.ts:40:3)`, ' (two-sided-quoter.ts:40)'],
  ])('%s', (frame, place) => {
    expect(thrownAt(thrown(frame))).toBe(place);
  });

  it('is the author’s line, not that of a package it uses or of this program', () => {
    const own = 'setup (/home/me/bot.ts:7:3)';
    const frames = [`price (${ROOT}src/domain/units.ts:9:9)`, 'parse (/home/me/node_modules/zod/v4/core.js:1:1)', own];
    expect(thrownAt(thrown(...frames))).toBe(' (bot.ts:7)');
    expect(thrownAt(thrown(...frames.slice(0, 2)))).toBe(' (core.js:1)');
  });

  it('has a file of an author, which is neither this program nor a package', () => {
    const inPackage = 'parse (/home/me/node_modules/csv-parse/lib/sync.js:9:1)';
    const program = `Driver.advance (${ROOT}backtest/replay-driver.ts:1:1)`;
    expect(isByAuthor(thrown(inPackage, program))).toBe(false);
    expect(isByAuthor(thrown(inPackage, 'onBook (/home/me/bot.ts:7:3)', program))).toBe(true);
    expect(isByAuthor('a text')).toBe(false);
  });

  it.each(['packed', '@me/packed'])('has a file of an author where the strategy is the package %s', (name) => {
    const modules = '/home/me/node_modules';
    const frames = [`log (${modules}/helper/index.js:9:1)`, `onBook (${modules}/${name}/lib/quotes.js:7:3)`];
    expect(isByAuthor(thrown(...frames))).toBe(false);
    addStrategyPackage(`${modules}/${name}/index.js`);
    expect(isByAuthor(thrown(...frames))).toBe(true);
    expect(isByAuthor(thrown(frames[0] ?? ''))).toBe(false);
    expect(thrownAt(thrown(...frames))).toBe(' (quotes.js:7)');
  });

  it('is the calling line where this program’s own function refuses an argument', () => {
    try {
      price(0.5);
      expect.unreachable();
    } catch (fault) {
      expect(describeThrown(fault)).toMatch(/^AssertionFault: .* \(fault-place\.test\.ts:\d+\)$/);
    }
  });

  it('is left out where there is no stack', () => {
    expect(describeThrown('a text')).toBe('a text');
    expect(describeThrown(Object.assign(new Error('no stack'), { stack: undefined }))).toBe('Error: no stack');
    expect(placesOf('')).toEqual([]);
  });

  it('is left out for an error whose stack or message throws', () => {
    const silent = new Proxy(new Error('no'), { get: () => price(0.5) });
    expect(describeThrown(silent)).toBe('a value that cannot be shown as text');
  });
});
