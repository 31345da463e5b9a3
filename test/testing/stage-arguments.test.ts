// Wrong arguments of a stage. Test runners strip types, so each is refused when the test runs: passed over in silence,
// the test would prove nothing.
import { AssertionFault, contracts, defineStrategy, fileText, fromSeconds, later, z } from 'presage-trading';
import { type Stage, stage } from 'presage-trading/testing';
import { describe, expect, it } from 'vitest';
import quoter from '../../strategies/two-sided-quoter.ts';

const quoting = (): Stage => stage(quoter, { markets: ['RAIN'] }).book('RAIN', { bids: [[40, 10]], asks: [[50, 10]] });

/** Passes an argument of any shape, as a test without a type check does. */
const unchecked = (value: unknown): never => value as never;

describe('a stage refuses', () => {
  it.each<[string, object, string]>([
    ['no market', { markets: [] }, 'markets: expected at least one market, found none'],
    ['a market twice', { markets: ['A', { ticker: 'A' }] }, 'markets: expected each ticker once, found A twice'],
    ['an unknown option', { limit: {} }, 'found limit (did you mean limits?)'],
    ['an unknown member of a market', { markets: [{ ticker: 'A', closeInMs: 5 }] }, '(did you mean closesInMs?)'],
    [
      'a market that closed',
      { markets: [{ ticker: 'A', closesInMs: 0 }] },
      'closesInMs of A: expected a number above 0',
    ],
    ['markets that are no list', { markets: 'RAIN' }, 'markets: expected a list of markets, found "RAIN"'],
    ['a market without a ticker', { markets: [5] }, 'markets: expected tickers, or markets with a ticker, found 5'],
    ['an unknown fee type', { fees: 'none' }, 'fees: expected one of quadratic, '],
    ['an exclusive group that is none', { exclusive: ['RAIN'] }, 'exclusive: expected one of EVENT, found RAIN'],
  ])('%s', (_, options, message) => {
    expect(() => stage(quoter, unchecked(options))).toThrow(message);
  });

  it('parameters that do not fit, each with its name, what was expected and found', () => {
    expect(() => stage(quoter, { params: { qtyContract: 5, halfSpreadCents: 'wide' } })).toThrow(
      new AssertionFault(
        [
          'params.halfSpreadCents: expected a number, found "wide"',
          'params.qtyContract: expected the parameter qtyContracts, not qtyContract, found 5',
        ].join('\n'),
      ),
    );
    expect(() => stage(quoter, { params: unchecked([]) })).toThrow(
      'params: expected a mapping of fields, found a list of 0',
    );
  });

  it('a parameter that is a file without its text', () => {
    const params = z.strictObject({ table: fileText() });
    const reader = defineStrategy({ name: 'reader', params, setup: () => ({}) });
    expect(() => stage(reader)).toThrow('params.table: expected a text, found nothing');
  });

  it('limits that do not fit', () => {
    expect(() => stage(quoter, { limits: { positionQtyMax: 'few', orderQtyMx: 1 } })).toThrow(
      new AssertionFault(
        [
          'limits.positionQtyMax: expected a number of contracts such as 10 or 0.01, found "few"',
          'limits.orderQtyMx: expected the limit orderQtyMax, not orderQtyMx, found 1',
        ].join('\n'),
      ),
    );
  });

  it('a capital that is no amount', () => {
    expect(() => stage(quoter, { capital: unchecked('all') })).toThrow(
      'capital: expected dollars such as 1000 or 0.25, found "all"',
    );
  });

  it('what is no strategy', () => {
    expect(() => stage(unchecked({}))).toThrow('strategy: expected what defineStrategy returns, found {}');
    expect(() => stage(unchecked(undefined))).toThrow('found nothing');
  });

  it.each<[string, (scene: Stage) => unknown, string]>([
    ['a misspelt side', (scene) => scene.book('RAIN', unchecked({ bid: [[40, 1]] })), 'found bid (did you mean bids?)'],
    [
      'a price twice',
      (scene) =>
        scene.book('RAIN', {
          bids: [
            [40, 1],
            [40, 2],
          ],
        }),
      'bids: expected each price once, found 40',
    ],
    [
      'less than nothing',
      (scene) => scene.book('RAIN', { asks: [[60, -1]] }),
      'asks at 60 cents: expected contracts, not below 0',
    ],
    [
      'a price that the market does not have',
      (scene) => scene.book('RAIN', { bids: [[30.5, 10]] }),
      'bids: expected a price in cents that the grid of the market has, found 30.5',
    ],
    ['a price of nothing', (scene) => scene.book('RAIN', { bids: [[0, 10]] }), 'bids: expected a price in cents that'],
    [
      'a price of a dollar',
      (scene) => scene.book('RAIN', { asks: [[100, 1]] }),
      'asks: expected a price in cents that',
    ],
    [
      'a crossed book',
      (scene) => scene.book('RAIN', { bids: [[50, 10]], asks: [[45, 10]] }),
      'book: expected every bid below every ask, found a bid of 50 and an ask of 45 cents',
    ],
    [
      'a level that is no list',
      (scene) => scene.book('RAIN', unchecked({ bids: [40, 10] })),
      'bids: expected levels as [cents, contracts], found 40',
    ],
    [
      'no levels',
      (scene) => scene.book('RAIN', unchecked(undefined)),
      'book: expected bids, asks in an object, found nothing',
    ],
    [
      'a print at no price of the market',
      (scene) => scene.print('RAIN', { cents: 0, contracts: 1, taker: 'sell' }),
      'cents: expected a price in cents that the grid of the market has, found 0',
    ],
    [
      'a print without a taker',
      (scene) => scene.print('RAIN', unchecked({ cents: 40, contracts: 1 })),
      'taker: expected one of buy, sell, found nothing',
    ],
    [
      'a fill of more than is left',
      (scene) => scene.fill(scene.orders()[0]!, { contracts: 50 }),
      'contracts: expected at most 5, which is left of the order, found 50',
    ],
    [
      'a print of nothing',
      (scene) => scene.print('RAIN', { cents: 40, contracts: 0, taker: 'buy' }),
      'contracts: expected a number above 0, found 0',
    ],
    [
      'a taker of an outcome',
      (scene) => scene.print('RAIN', unchecked({ cents: 40, contracts: 1, taker: 'yes' })),
      'taker: expected one of buy, sell, found yes',
    ],
    [
      'a misspelt fill',
      (scene) => scene.fill(scene.orders()[0]!, unchecked({ contract: 1 })),
      'found contract (did you mean contracts?)',
    ],
    [
      'a fill of nothing',
      (scene) => scene.fill(scene.orders()[0]!, { contracts: 0 }),
      'contracts: expected a number above 0',
    ],
    [
      'a fill of no order',
      (scene) => scene.fill(scene.orders()[9]!),
      'fill: expected an order of the strategy, found nothing',
    ],
    [
      'another result',
      (scene) => scene.settle('RAIN', unchecked('maybe')),
      'settle: expected yes, no or 0 to 100 cents, found "maybe"',
    ],
    [
      'a payout above a dollar',
      (scene) => scene.settle('RAIN', 101),
      'settle: expected yes, no or 0 to 100 cents, found 101',
    ],
    [
      'a second result',
      (scene) => scene.settle('RAIN', 'yes').settle('RAIN', 'no'),
      'settle: RAIN is finalized already',
    ],
    ['time that goes back', (scene) => scene.advance(-1), 'advance: expected milliseconds, not below 0, found -1'],
    [
      'time that is no number',
      (scene) => scene.advance(Number.NaN),
      'advance: expected milliseconds, not below 0, found NaN',
    ],
  ])('%s', (_, act, message) => {
    const scene = quoting();
    const before = scene.now;
    expect(() => act(scene)).toThrow(message);
    expect(scene.position('RAIN').qty).toBe(contracts(0));
    if (!message.includes('finalized')) expect(scene.now).toBe(before);
  });
});

/** Sets a timer again whenever it is due. */
const ticking = (seconds: number, onTick: () => void) =>
  defineStrategy({
    name: 'ticking',
    params: z.strictObject({}),
    setup: () => ({
      onStart: (_event, view) => [{ type: 'timer', name: 'tick', at: later(view.now, fromSeconds(seconds)) }],
      onTimer(_event, view) {
        onTick();
        return [{ type: 'timer', name: 'tick', at: later(view.now, fromSeconds(seconds)) }];
      },
    }),
  });

describe('advance', () => {
  it('runs every timer of a long time', () => {
    let ticks = 0;
    stage(
      ticking(1, () => (ticks += 1)),
      { markets: [{ ticker: 'RAIN', closesInMs: 1e9 }] },
    ).advance(6 * 3_600_000);
    expect(ticks).toBe(6 * 3600);
  });

  it('refuses a strategy that asks to be called again at once without end', () => {
    expect(() => stage(ticking(0, () => {})).advance(60_000)).toThrow(/^expected at most 10000 wakes in a second/);
  });
});
