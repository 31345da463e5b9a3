// Orders at the simulated venue: what is granted, what is refused and with which code, and what the feed publishes.
import { describe, expect, it } from 'vitest';
import { clientOrderId } from '../../../../src/domain/ids.ts';
import { cents, contracts, dollars, micros, price, qty } from '../../../../src/domain/units.ts';
import { BEGIN, M0, after, tickerOf } from '../../../support/engine/builders.ts';
import { VenueBench, only, answerVerdict } from '../../../support/simulated/venue-bench.ts';
import { CAPABILITIES } from '../../../support/simulated/simulator-harness.ts';

const FIVE = contracts(5);

describe('a new order', () => {
  it('a new order is answered first, then accepted, and published on the feed', () => {
    const bench = new VenueBench();
    const answer = bench.place({ qty: FIVE });
    expect(answer).toEqual([
      { kind: 'answered', commandId: 1, ok: true, clockOffset: null, askedAt: BEGIN },
      {
        kind: 'order-accepted',
        exchangeAt: BEGIN,
        clientOrderId: 'c-1',
        venueOrderId: 'sim-1',
        filledQty: 0,
        leavesQty: 500,
        isFinished: false,
      },
    ]);
    expect(bench.takeEvents('order-updated').map(({ order }) => order)).toEqual([
      {
        venueOrderId: 'sim-1',
        clientOrderId: 'c-1',
        market: M0,
        side: 'buy',
        price: 4000,
        status: 'working',
        filledQty: 0,
        leavesQty: 500,
        createdAt: BEGIN,
        updatedAt: BEGIN,
        reason: null,
      },
    ]);
  });

  it('a new order takes what the book holds and rests with the remainder', () => {
    const bench = new VenueBench();
    const accepted = only(bench.place({ price: cents(55), qty: contracts(15) }), 'order-accepted');
    expect([accepted.filledQty, accepted.leavesQty, accepted.isFinished]).toEqual([1000, 500, false]);
    expect(bench.feed.map(({ kind }) => kind)).toEqual(['fill', 'order-updated', 'position-updated']);
    const [{ fill }] = [only(bench.feed, 'fill')];
    expect(fill).toMatchObject({ side: 'buy', price: 5500, qty: 1000, liquidity: 'taker', exchangeAt: BEGIN });
    expect(only(bench.feed, 'position-updated').position).toMatchObject({ market: M0, qty: 1000 });
    expect(only(bench.feed, 'order-updated').order).toMatchObject({ status: 'working', reason: 'Trade' });
  });

  it('an immediate order ends at once, with no more events than a live venue sends', () => {
    const bench = new VenueBench();
    const answer = bench.place({ price: cents(55), qty: contracts(15), timeInForce: 'ioc' });
    expect(only(answer, 'order-accepted')).toMatchObject({ filledQty: 1000, leavesQty: 0, isFinished: true });
    expect(only(bench.feed, 'order-updated').order).toMatchObject({
      status: 'canceled',
      filledQty: 1000,
      reason: null,
    });
  });

  it('a used client order id is refused, whatever happened to its order', () => {
    const bench = new VenueBench();
    bench.cancel(bench.placeAccepted({ clientOrderId: clientOrderId('mine') }));
    const again = bench.place({ clientOrderId: clientOrderId('mine') });
    expect(answerVerdict(again)).toBe('taken');
    expect(only(again, 'answered').ok).toBe(false);
    expect(only(again, 'order-unknown').reason).toBe('409 order_already_exists: order already exists');
  });

  it('a venue that does not check client order ids accepts one twice', () => {
    const bench = new VenueBench({ capabilities: { ...CAPABILITIES, dedupesClientIds: false } });
    bench.placeAccepted({ clientOrderId: clientOrderId('mine') });
    expect(answerVerdict(bench.place({ clientOrderId: clientOrderId('mine') }))).toBe('granted');
  });

  it('a killed order uses up its client order id, one refused otherwise does not', () => {
    const bench = new VenueBench();
    const kill = { price: cents(55), qty: contracts(15), timeInForce: 'fok' } as const;
    expect(answerVerdict(bench.place({ ...kill, clientOrderId: clientOrderId('k') }))).toBe(
      'fill_or_kill_insufficient_resting_volume',
    );
    expect(answerVerdict(bench.place({ clientOrderId: clientOrderId('k') }))).toBe('taken');
    expect(answerVerdict(bench.place({ price: price(4050), clientOrderId: clientOrderId('p') }))).toBe('invalid_price');
    expect(answerVerdict(bench.place({ clientOrderId: clientOrderId('p') }))).toBe('granted');
  });

  it.each([
    ['a price off the grid', { price: price(4050) }, 'invalid_price'],
    ['a quantity off the step', { qty: qty(150) }, 'invalid_order_size'],
    ['no quantity', { qty: qty(0) }, 'invalid_order_size'],
    ['more than any order may have', { qty: contracts(10_000_001) }, 'invalid_order_size'],
    ['an expiry that has passed', { timeInForce: 'gtd', expiresAt: BEGIN }, 'invalid_parameters'],
    ['no expiry where it needs one', { timeInForce: 'gtd', expiresAt: null }, 'invalid_parameters'],
    ['post only that would cross', { price: cents(55), postOnly: true }, 'invalid_order'],
    ['post only with an immediate order', { postOnly: true, timeInForce: 'ioc' }, 'invalid_order'],
    ['reduce only with nothing to reduce', { reduceOnly: true }, 'invalid_order'],
    ['an unknown market', { ticker: tickerOf(7) }, 'market_not_found'],
    ['more than the account has', { qty: contracts(2500) }, 'insufficient_balance'],
  ] as const)('a new order is refused with %s', (_, over, code) => {
    const bench = new VenueBench();
    const answer = bench.place(over);
    expect(answerVerdict(answer)).toBe(code);
    expect(only(answer, 'answered').ok).toBe(false);
    expect(bench.feed).toEqual([]);
    expect(bench.available).toBe(dollars(1000));
  });

  it.each([
    ['time in force', { timeInForce: ['gtc'] as const }, { timeInForce: 'ioc' as const }],
    ['post only', { canPostOnly: false }, { postOnly: true }],
    ['reduce only', { canReduceOnly: false }, { reduceOnly: true }],
  ])('a new order is refused where the venue does not support its %s', (_, capabilities, over) => {
    const bench = new VenueBench({ capabilities: { ...CAPABILITIES, ...capabilities } });
    expect(answerVerdict(bench.place(over))).toBe('invalid_parameters');
  });

  it('a new order is refused in a market that is not open, with the code for why', () => {
    const bench = new VenueBench();
    bench.applyTapeEvent({ kind: 'market-changed', exchangeAt: null, market: M0, status: 'inactive' });
    expect(answerVerdict(bench.place())).toBe('market_inactive');
    bench.applyTapeEvent({ kind: 'market-changed', exchangeAt: null, market: M0, status: 'closed' });
    expect(answerVerdict(bench.place())).toBe('market_already_closed');
  });

  it('a new order is refused while the venue pauses; a cancel passes only while it is active', () => {
    const bench = new VenueBench();
    const id = bench.placeAccepted();
    bench.applyTapeEvent({ kind: 'exchange-status', isActive: true, isTrading: false });
    expect(answerVerdict(bench.place())).toBe('trading_is_paused');
    bench.applyTapeEvent({ kind: 'exchange-status', isActive: false, isTrading: false });
    expect(answerVerdict(bench.place())).toBe('exchange_is_paused');
    expect(answerVerdict(bench.cancel(id))).toBe('cancel-lost');
    bench.applyTapeEvent({ kind: 'exchange-status', isActive: true, isTrading: false });
    expect(answerVerdict(bench.cancel(id))).toBe('granted');
  });

  it('an order expires at its time', () => {
    const bench = new VenueBench();
    bench.placeAccepted({ timeInForce: 'gtd', expiresAt: after(500) });
    expect(bench.venue.wakeAt()).toBe(after(500));
    bench.advanceTo(499);
    expect(bench.takeEvents('order-updated')).toHaveLength(1);
    bench.advanceTo(500);
    expect(bench.takeEvents('order-updated').map(({ order }) => [order.status, order.reason])).toEqual([
      ['canceled', 'ExpiryCancel'],
    ]);
    expect(bench.available).toBe(dollars(1000));
  });

  it('an order that would meet one of ours is canceled, and the feed says why', () => {
    const bench = new VenueBench();
    bench.placeAccepted({ side: 'sell', price: cents(50) });
    bench.feed.length = 0;
    const answer = bench.place({ price: cents(50) });
    expect(only(answer, 'order-accepted')).toMatchObject({ filledQty: 0, leavesQty: 0, isFinished: true });
    expect(only(bench.feed, 'order-updated').order.reason).toBe('SelfTradeCancel');
  });

  it('an order cancels the one it meets, where so configured', () => {
    const bench = new VenueBench({ simulation: { matching: { selfTrade: 'cancel-resting' } } });
    const resting = bench.placeAccepted({ side: 'sell', price: cents(50) });
    bench.feed.length = 0;
    expect(only(bench.place({ price: cents(50) }), 'order-accepted').leavesQty).toBe(1000);
    expect(
      bench.takeEvents('order-updated').map(({ order }) => [order.venueOrderId, order.status, order.reason]),
    ).toEqual([
      [resting, 'canceled', 'SelfTradeCancel'],
      ['sim-2', 'working', null],
    ]);
  });
});

describe('a resting order', () => {
  it('a resting order fills by prints once the quantity ahead is served', () => {
    const bench = new VenueBench();
    bench.placeAccepted({ price: cents(45), qty: FIVE });
    bench.feed.length = 0;
    bench.addPrint('sell', [45, 12]);
    expect(bench.feed.map(({ kind }) => kind)).toEqual(['fill', 'order-updated', 'position-updated']);
    expect(only(bench.feed, 'fill').fill).toMatchObject({ qty: 200, liquidity: 'maker', price: 4500 });
    expect(only(bench.feed, 'order-updated').order).toMatchObject({
      status: 'working',
      leavesQty: 300,
      filledQty: 200,
    });
    bench.feed.length = 0;
    bench.addPrint('sell', [44, 100]);
    expect(only(bench.feed, 'order-updated').order).toMatchObject({ status: 'filled', leavesQty: 0, reason: 'Trade' });
    expect(bench.venue.account.positionOf(M0)).toBe(500);
  });

  it('a resting order is canceled once, and then not found', () => {
    const bench = new VenueBench();
    const id = bench.placeAccepted({ price: cents(45), qty: FIVE });
    bench.addPrint('sell', [45, 12]);
    bench.feed.length = 0;
    const answer = bench.cancel(id);
    expect(only(answer, 'cancel-accepted')).toMatchObject({ reducedBy: 300, filledQty: 200 });
    expect(only(bench.feed, 'order-updated').order).toMatchObject({ status: 'canceled', reason: null, filledQty: 200 });
    expect(answerVerdict(bench.cancel(id))).toBe('not_found');
    expect(answerVerdict(bench.cancel('nobody'))).toBe('not_found');
    expect(bench.read({ what: 'order', venueOrderId: 'nobody' as never })[1]).toMatchObject({ order: null });
  });

  it('a resting order shrinks in place, and is canceled when reduced to zero', () => {
    const bench = new VenueBench();
    const id = bench.placeAccepted({ price: cents(45) });
    expect(only(bench.decrease(id, 400), 'amend-accepted')).toMatchObject({
      price: 4500,
      filledQty: 0,
      leavesQty: 400,
    });
    expect(bench.venue.matching.qtyAheadOf(id as never)).toBe(1000);
    expect(answerVerdict(bench.decrease(id, 500))).toBe('invalid_order_size');
    expect(answerVerdict(bench.decrease(id, 150))).toBe('invalid_order_size');
    expect(only(bench.decrease(id, 0), 'amend-accepted').leavesQty).toBe(0);
    expect(answerVerdict(bench.decrease(id, 0))).toBe('not_found');
    expect(bench.available).toBe(dollars(1000));
  });

  it('a resting order takes new terms, and may trade at once', () => {
    const bench = new VenueBench();
    const id = bench.placeAccepted({ price: cents(40) });
    const moved = bench.amend(id, { side: 'buy', price: cents(45), qty: contracts(8) });
    expect(only(moved, 'amend-accepted')).toMatchObject({ price: 4500, filledQty: 0, leavesQty: 800 });
    bench.feed.length = 0;
    const crossed = bench.amend(id, { side: 'buy', price: cents(55), qty: contracts(12) });
    expect(only(crossed, 'amend-accepted')).toMatchObject({ price: 5500, filledQty: 1000, leavesQty: 200 });
    expect(only(bench.feed, 'fill').fill).toMatchObject({ qty: 1000, liquidity: 'taker' });
    const done = bench.amend(id, { side: 'buy', price: cents(55), qty: contracts(10) });
    expect(only(done, 'amend-accepted')).toMatchObject({ filledQty: 1000, leavesQty: 0 });
  });

  it('a resting order keeps its old terms when the new ones are refused', () => {
    const bench = new VenueBench();
    const id = bench.placeAccepted({ price: cents(40), postOnly: true });
    const terms = { side: 'buy', price: cents(40), qty: contracts(10) } as const;
    const { available } = bench;
    expect(answerVerdict(bench.amend(id, { ...terms, price: cents(55) }))).toBe('invalid_order');
    expect(answerVerdict(bench.amend(id, { ...terms, price: price(4050) }))).toBe('invalid_price');
    expect(answerVerdict(bench.amend(id, { ...terms, side: 'sell' }))).toBe('invalid_parameters');
    expect(answerVerdict(bench.amend(id, { ...terms, qty: contracts(5000) }))).toBe('insufficient_balance');
    expect(answerVerdict(bench.amend('nobody', terms))).toBe('not_found');
    expect(bench.available).toBe(available);
    expect(bench.read({ what: 'orders', status: 'working', since: null })[1]).toMatchObject({
      rows: [{ venueOrderId: id, price: 4000, leavesQty: 1000 }],
    });
  });

  it('a reduce-only order is reduced when another order reduces the position', () => {
    const bench = new VenueBench();
    bench.placeAccepted({ price: cents(55), timeInForce: 'ioc' });
    const close = bench.placeAccepted({ side: 'sell', price: cents(60), reduceOnly: true, qty: contracts(30) });
    expect(bench.read({ what: 'order', venueOrderId: close as never })[1]).toMatchObject({
      order: { leavesQty: 1000 },
    });
    bench.feed.length = 0;
    bench.placeAccepted({ side: 'sell', price: cents(45), qty: contracts(4), timeInForce: 'ioc' });
    const cut = bench.takeEvents('order-updated').find(({ order }) => order.venueOrderId === close);
    expect(cut?.order).toMatchObject({ status: 'working', leavesQty: 600, reason: 'ReduceOnlyCancel' });
  });

  it('a reduce-only order is reduced at once when a print changes the position', () => {
    const bench = new VenueBench();
    bench.placeAccepted({ price: cents(55), timeInForce: 'ioc' });
    bench.placeAccepted({ side: 'sell', price: cents(60) });
    const close = bench.placeAccepted({ side: 'sell', price: cents(70), reduceOnly: true });
    bench.addPrint('buy', [60, 4]);
    expect(bench.read({ what: 'order', venueOrderId: close as never })[1]).toMatchObject({ order: { leavesQty: 600 } });
  });
});

describe('cash', () => {
  it('cash is reserved for resting orders, with the fee they may be charged', () => {
    const bench = new VenueBench();
    bench.placeAccepted({ price: cents(40), qty: contracts(10) });
    // 10 contracts at 40 cents; 0.0175 x 10 x 0.4 x 0.6 = 4.2 cents; 101 millionths of rounding a contract.
    expect(bench.available).toBe(1_000_000_000 - 4_000_000 - 42_000 - 1010);
    expect(bench.venue.account.cash).toBe(1_000_000_000);
  });

  it('an order that closes a position reserves only its fee', () => {
    const bench = new VenueBench();
    bench.placeAccepted({ price: cents(55), timeInForce: 'ioc' });
    const { available } = bench;
    bench.placeAccepted({ side: 'sell', price: cents(60) });
    expect(available - bench.available).toBe(42_000 + 1010);
  });

  it('cash is released when an order is canceled', () => {
    const bench = new VenueBench();
    const id = bench.placeAccepted({ price: cents(40) });
    bench.cancel(id);
    expect(bench.available).toBe(bench.venue.account.cash);
  });
});

describe('the time in an answer', () => {
  it('an answer carries the time when the request left, or by default when it was created', () => {
    const bench = new VenueBench();
    bench.advanceTo(100);
    bench.read({ what: 'balance' });
    expect(bench.answers.at(-1)![1]).toMatchObject({ kind: 'balance', askedAt: after(100) });
    const command = { id: 9, createdAt: after(10), validUntil: null, type: 'read', lane: 'read' } as const;
    bench.sendCommand({ ...command, target: { what: 'balance' }, cursor: null }, micros(BEGIN + 40_000));
    expect(bench.answers.at(-1)!.map((event) => 'askedAt' in event && event.askedAt)).toEqual([after(40), after(40)]);
  });
});
