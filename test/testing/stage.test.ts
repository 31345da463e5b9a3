// The stage of `presage-trading/testing`: its calls act on a real engine, and the results can be read back.
import { cents, contracts, defineStrategy, price, z } from 'presage-trading';
import { type Stage, stage } from 'presage-trading/testing';
import { describe, expect, it } from 'vitest';
import quoter from '../../strategies/two-sided-quoter.ts';

/** Makes a stage with a book of 40 to 50 cents. */
const quoting = (): Stage =>
  stage(quoter, { params: { qtyContracts: 5 }, markets: ['RAIN'] }).book('RAIN', {
    bids: [[40, 100]],
    asks: [[50, 100]],
  });

const shown = (scene: Stage): string[] =>
  scene.orders('RAIN').map(({ side, price, qty, state }) => `${side} ${qty / 100} at ${price / 100} ${state}`);

describe('a stage', () => {
  it('shows a book to the strategy, and its quotes come to rest', () => {
    const scene = quoting();
    expect(shown(scene)).toEqual(['buy 5 at 43 working', 'sell 5 at 47 working']);
    expect(scene.intents.at(-1)).toMatchObject({
      from: 'onOthersBest',
      intent: { type: 'quote', bid: { price: cents(43) } },
    });
    expect(scene.denials).toEqual([]);
  });

  it("replaces a book, and leaves the strategy's orders to the strategy", () => {
    const scene = quoting().book('RAIN', { bids: [[60, 10]], asks: [[70, 10]] });
    expect(scene.view.book(scene.market('RAIN').index)).toMatchObject({ bestBid: cents(60), bestAsk: cents(70) });
    scene.advance(1000);
    expect(shown(scene)).toEqual(['buy 5 at 63 working', 'sell 5 at 67 working']);
  });

  it('loses a book and makes it live again, and the strategy learns of both', () => {
    const seen: string[] = [];
    const watcher = defineStrategy({
      name: 'watcher',
      params: z.strictObject({}),
      setup: () => ({
        onBook: ({ market }, view) => void seen.push(`book ${view.book(market).bestBid}`),
        onTrust: ({ trust, reason }) => void seen.push(`${trust}: ${reason}`),
      }),
    });
    const scene = stage(watcher, { markets: ['RAIN'] }).book('RAIN', { bids: [[40, 100]], asks: [] });
    seen.length = 0;
    scene.loseBook('RAIN');
    expect(seen).toEqual(['suspect: a gap in the feed']);
    expect(scene.view.book(scene.market('RAIN').index).trust).not.toBe('live');
    scene.book('RAIN', { bids: [[42, 10]], asks: [[50, 10]] });
    expect(seen.slice(1)).toEqual(['live: snapshot', 'book 4200']);
    scene.book('RAIN', { bids: [[42, 10]], asks: [[51, 10]] });
    expect(scene.view.book(scene.market('RAIN').index).bestAsk).toBe(cents(51));
  });

  it('quotes the prices of a market by the name of its grid', () => {
    const bidder = defineStrategy({
      name: 'bidder',
      params: z.strictObject({}),
      setup: () => ({
        onBook: ({ market }, view) => {
          const { bestBid } = view.book(market);
          if (bestBid === null || view.orders(market).length > 0) return undefined;
          return [{ type: 'place', market, side: 'buy', price: price(bestBid + 10), qty: contracts(1) }];
        },
      }),
    });
    const scene = stage(bidder, { markets: [{ ticker: 'RAIN', grid: 'deci_cent' }, 'SNOW'] });
    for (const ticker of ['RAIN', 'SNOW']) scene.book(ticker, { bids: [[40, 100]], asks: [[50, 100]] });
    expect(scene.orders('RAIN')[0]?.price).toBe(cents(40.1));
    expect(scene.orders('SNOW')).toEqual([]);
    expect(scene.denials.at(-1)?.denial.code).toBe('price-off-grid');
  });

  it('fills an order in part and whole, whatever is ahead of it', () => {
    const scene = quoting();
    const [bid] = scene.orders('RAIN');
    scene.fill(bid!, { contracts: 2 });
    expect(scene.position('RAIN')).toMatchObject({ qty: contracts(2), cost: 860_000 });
    scene.fill(bid!);
    expect(scene.position('RAIN').qty).toBe(contracts(5));
    expect(() => scene.fill(bid!)).toThrow(/resting order/);
  });

  it('pays a market out', () => {
    const scene = quoting();
    scene.fill(scene.orders('RAIN')[0]!).settle('RAIN', 'yes');
    expect(scene.position('RAIN')).toMatchObject({ qty: 0, realized: 2_850_000 });
    expect(scene.market('RAIN').status).toBe('finalized');
    expect(scene.orders()).toEqual([]);
  });

  it('reports denials with their figures', () => {
    const scene = stage(quoter, { params: { qtyContracts: 5 }, markets: ['RAIN'], limits: { orderQtyMax: 4 } });
    scene.book('RAIN', { bids: [[40, 100]], asks: [[50, 100]] });
    expect(scene.orders('RAIN')).toEqual([]);
    expect(scene.denials[0]?.why).toBe('order qty 5 is above orderQtyMax 4');
  });

  it('allots a strategy no more than its capital', () => {
    const scene = stage(quoter, { params: { qtyContracts: 5 }, markets: ['RAIN'], capital: 1 });
    scene.book('RAIN', { bids: [[40, 100]], asks: [[50, 100]] });
    expect(scene.orders('RAIN')).toEqual([]);
    expect(scene.denials[0]?.denial.code).toBe('strategy-capital');
  });

  it('lets time pass: timers fire and markets close', () => {
    const calls: string[] = [];
    const waiting = defineStrategy({
      name: 'waiting',
      params: z.strictObject({}),
      setup: () => ({
        onStart: (_event, view) => [{ type: 'timer', name: 'soon', at: (view.now + 2_000_000) as typeof view.now }],
        onTimer: ({ name }) => void calls.push(name),
        onMarket: ({ market }) => void calls.push(market.status),
      }),
    });
    const scene = stage(waiting, { markets: [{ ticker: 'RAIN', closesInMs: 10_000 }] });
    scene.advance(1500);
    expect(calls).toEqual(['active']);
    scene.advance(1000);
    expect(calls).toEqual(['active', 'soon']);
    scene.advance(20_000);
    expect(calls).toEqual(['active', 'soon', 'closed']);
  });

  it('shows prints, groups and their exclusiveness, and charges the chosen fees', () => {
    const seen: unknown[] = [];
    const taker = defineStrategy({
      name: 'taker',
      params: z.strictObject({}),
      setup: () => ({
        onPrint: ({ market, price, qty, side }, view) => {
          seen.push([price, qty, side, view.group(view.market(market).eventTicker)?.isExclusive]);
          return [{ type: 'place', market, side: 'buy', price: cents(50), qty: contracts(1), timeInForce: 'ioc' }];
        },
      }),
    });
    const markets = [
      { ticker: 'A', event: 'CITY' },
      { ticker: 'B', event: 'CITY' },
    ];
    const scene = stage(taker, { markets, exclusive: ['CITY'] }).book('A', { asks: [[50, 10]] });
    scene.print('A', { cents: 50, contracts: 3, taker: 'sell' });
    expect(seen).toEqual([[5000, 300, 'sell', true]]);
    expect(scene.position('A')).toMatchObject({ qty: contracts(1), fees: 17_500 });
    expect(scene.newIntents()).toHaveLength(1);
    expect(scene.newIntents()).toEqual([]);
  });

  it('restarts with the saved state, the same account and no resting orders', () => {
    const counting = defineStrategy({
      name: 'counting',
      params: z.strictObject({}),
      saved: z.strictObject({ fills: z.number() }),
      setup() {
        let fills = 0;
        return {
          onBook: ({ market }) => [{ type: 'quote', market, bid: { price: cents(40), qty: contracts(3) }, ask: null }],
          onFill: () => void (fills += 1),
          save: () => ({ fills }),
          restore: (saved) => void (fills = saved.fills),
        };
      },
    });
    const scene = stage(counting, { markets: ['RAIN'] }).book('RAIN', { bids: [[40, 1]], asks: [[50, 1]] });
    scene.fill(scene.orders()[0]!);
    expect(scene.saved).toEqual({ fills: 1 });
    scene.restart();
    expect(scene.position('RAIN').qty).toBe(contracts(3));
    scene.fill(scene.orders()[0]!);
    expect(scene.saved).toEqual({ fills: 2 });
  });

  it("keeps the strategy's positions over a restart", () => {
    const holder = defineStrategy({
      name: 'holder',
      params: z.strictObject({}),
      setup: () => ({
        onBook: ({ market }) => [{ type: 'quote', market, bid: { price: cents(40), qty: contracts(3) }, ask: null }],
      }),
    });
    const scene = stage(holder, { markets: ['RAIN'] }).book('RAIN', { bids: [[40, 1]], asks: [[50, 1]] });
    scene.fill(scene.orders()[0]!).restart();
    const { index } = scene.market('RAIN');
    expect(scene.view.own(index)).toEqual(scene.view.position(index));
    expect(scene.view.own(index).qty).toBe(contracts(3));
  });

  it('reports the halt of a strategy that throws, with its reason', () => {
    const thrower = defineStrategy({
      name: 'thrower',
      params: z.strictObject({}),
      setup: () => ({
        onPrint: () => {
          throw new Error('no such print');
        },
      }),
    });
    const scene = stage(thrower);
    expect(scene.halted).toBeNull();
    scene.print('MARKET', { cents: 40, contracts: 1, taker: 'buy' });
    expect(scene.halted).toContain('no such print');
  });

  it('lets no test pass because the strategy has thrown, until the halt is read', () => {
    const thrower = defineStrategy({
      name: 'thrower',
      params: z.strictObject({}),
      setup: () => ({
        onPrint: () => {
          throw new Error('no such print');
        },
      }),
    });
    const scene = stage(thrower).print('MARKET', { cents: 40, contracts: 1, taker: 'buy' });
    const message =
      /^expected a strategy without a fault, found it halted: Error: no such print \(stage\.test\.ts:\d+\)/;
    for (const read of [
      () => scene.orders(),
      () => scene.position('MARKET'),
      () => scene.intents,
      () => scene.newIntents(),
      () => scene.denials,
      () => scene.advance(1000),
      () => scene.restart(),
      () => scene.settle('MARKET', 'yes'),
      () => scene.book('MARKET', {}),
      () => scene.print('MARKET', { cents: 40, contracts: 1, taker: 'buy' }),
    ])
      expect(read).toThrow(message);
    expect(scene.halted).toContain('no such print');
    expect(scene.advance(1000).orders()).toEqual([]);
  });

  it('refuses parameters that do not fit, and unknown markets', () => {
    expect(() => stage(quoter, { params: { qtyContracts: 0 } })).toThrow(/qtyContracts/);
    expect(() => stage(quoter).book('NOWHERE', {})).toThrow(/market NOWHERE of the stage/);
  });

  it('decides the same every time', () => {
    const played = (): unknown => {
      const scene = quoting();
      scene
        .fill(scene.orders('RAIN')[0]!)
        .book('RAIN', { bids: [[30, 5]], asks: [[33, 5]] })
        .advance(5000);
      return scene.intents;
    };
    expect(played()).toEqual(played());
  });
});
