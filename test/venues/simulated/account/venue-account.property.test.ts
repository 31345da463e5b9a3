// The account under random tapes and random orders: after every step no money has appeared or vanished, the published
// fills add up to the account's, and no more is reserved than there is. Everything is computed again from published
// events.
import * as fc from 'fast-check';
import { describe, it } from 'vitest';
import type { FillReport, OrderReport } from '../../../../src/domain/event.ts';
import { clientOrderId, eventTicker } from '../../../../src/domain/ids.ts';
import type { MarketStatus } from '../../../../src/domain/market.ts';
import { type Price, cents, dollars, qty } from '../../../../src/domain/units.ts';
import { after, aMarket, index, tickerOf } from '../../../support/engine/builders.ts';
import { VenueBench } from '../../../support/simulated/venue-bench.ts';
import { CAPABILITIES } from '../../../support/simulated/simulator-harness.ts';
import { runCount } from '../../../support/runner/property-runs.ts';
import { expectAtLeast, expectBe, expectEqual } from '../../../support/runner/quick-expectations.ts';

const MARKETS = 3;
const market = fc.integer({ min: 0, max: MARKETS - 1 });
const side = fc.constantFrom('buy' as const, 'sell' as const);
const centPrice = fc.integer({ min: 42, max: 58 });
const oneInSeven = fc.nat({ max: 6 }).map((n) => n === 3);
const size = fc.integer({ min: 1, max: 40 });
const pick = fc.nat({ max: 30 });

const step = fc.oneof(
  { weight: 14, arbitrary: fc.record({ type: fc.constant('print' as const), market, side, price: centPrice, size }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('level' as const), market, side, price: centPrice, size }) },
  {
    weight: 14,
    arbitrary: fc.record({
      type: fc.constant('place' as const),
      market,
      side,
      price: centPrice,
      size,
      timeInForce: fc.constantFrom('gtc' as const, 'gtc' as const, 'gtd' as const, 'ioc' as const, 'fok' as const),
      postOnly: oneInSeven,
      reduceOnly: oneInSeven,
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('cancel' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('decrease' as const), pick, size: fc.nat({ max: 20 }) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('amend' as const), pick, price: centPrice, size }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 300 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('gap' as const), market }) },
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant('book' as const), market, bid: fc.integer({ min: 42, max: 54 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('fees' as const), percent: fc.nat({ max: 300 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('life' as const),
      market,
      status: fc.constantFrom<MarketStatus>('inactive', 'active', 'closed', 'determined', 'disputed', 'finalized'),
      value: fc.integer({ min: 0, max: 10_000 }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

/** A bench that keeps every order and fill from the feed. */
class Ledger {
  readonly bench: VenueBench;
  readonly orders = new Map<string, OrderReport>();
  readonly fills: FillReport[] = [];
  ms = 0;

  constructor() {
    const limits = { model: 'rolling-window', count: 100_000, windowMs: 1000 } as const;
    this.bench = new VenueBench({
      markets: [0, 1, 2].map((number) => aMarket(number, { closeAt: after(4000 + number) })),
      openingCash: dollars(60),
      capabilities: { ...CAPABILITIES, limits: { read: limits, trade: limits } },
    });
  }

  readFeed(): void {
    for (const event of this.bench.feed.splice(0)) {
      if (event.kind === 'order-updated') this.orders.set(event.order.venueOrderId, event.order);
      if (event.kind === 'fill') this.fills.push(event.fill);
    }
  }

  idOf(pick: number): string {
    const ids = [...this.orders.keys()];
    return ids[pick % Math.max(1, ids.length)] ?? 'nobody';
  }
}

type Played = { bench: VenueBench; idOf: (pick: number) => string; ms: number };

function apply({ bench, ...ledger }: Played, happening: Step): number {
  const { matching } = bench.venue;
  switch (happening.type) {
    case 'print':
      bench.addPrint(happening.side, [happening.price, happening.size], index(happening.market));
      break;
    case 'level': {
      const bookSide = happening.side === 'buy' ? 'bid' : 'ask';
      matching.applyDelta({
        market: index(happening.market),
        side: bookSide,
        price: cents(happening.price),
        change: qty(happening.size * 100),
      });
      break;
    }
    case 'place': {
      const { size: contracts, price, market: number, type: _, ...terms } = happening;
      const expiresAt = happening.timeInForce === 'gtd' ? after(ledger.ms + 500) : null;
      const ids = {
        market: index(number),
        ticker: tickerOf(number),
        clientOrderId: clientOrderId(`c-${bench.nextCommandId()}`),
      };
      bench.place({ ...terms, ...ids, expiresAt, price: cents(price), qty: qty(contracts * 100) });
      break;
    }
    case 'cancel':
      bench.cancel(ledger.idOf(happening.pick));
      break;
    case 'decrease':
      bench.decrease(ledger.idOf(happening.pick), happening.size * 100);
      break;
    case 'amend':
      for (const each of ['buy', 'sell'] as const)
        bench.amend(ledger.idOf(happening.pick), {
          side: each,
          price: cents(happening.price),
          qty: qty(happening.size * 100),
        });
      break;
    case 'gap':
      bench.applyTapeEvent({ kind: 'feed-gap', markets: [index(happening.market)], reason: 'gap' });
      break;
    case 'book':
      bench.setBook(index(happening.market), [[happening.bid, 10]], [[happening.bid + 5, 10]]);
      break;
    case 'fees': {
      const fees = { feeMultiplierPercent: happening.percent };
      bench.applyTapeEvent({ kind: 'fees-changed', eventTicker: eventTicker('EVENT'), fees });
      break;
    }
    case 'life': {
      const isKnown = ['determined', 'disputed', 'finalized'].includes(happening.status);
      const outcome = isKnown ? { result: 'scalar' as const, settlementValue: happening.value as Price } : {};
      const { status } = happening;
      bench.applyTapeEvent({
        kind: 'market-changed',
        exchangeAt: null,
        market: index(happening.market),
        status,
        ...outcome,
      });
      break;
    }
    case 'wait':
      return ledger.ms + happening.ms;
  }
  return ledger.ms;
}

/** Checks every rule of the account from published events alone. */
function check({ bench, fills, orders }: Ledger): void {
  const { account, matching } = bench.venue;
  expectBe(account.cash, account.openingCash + account.traded - account.feesPaid + account.settled);
  account.assertConserved();
  expectAtLeast(account.cash, 0);
  expectEqual(account.fills, fills);
  expectBe(
    account.feesPaid,
    fills.reduce((sum, { fee }) => sum + fee, 0),
  );
  const filled = new Map<string, number>();
  for (const { venueOrderId, qty: traded } of fills) filled.set(venueOrderId, (filled.get(venueOrderId) ?? 0) + traded);
  for (const order of orders.values()) {
    expectBe(order.filledQty, filled.get(order.venueOrderId) ?? 0);
    expectBe(order.status === 'working', order.leavesQty > 0);
    expectBe(matching.qtyAheadOf(order.venueOrderId) !== null, order.status === 'working');
  }
}

describe('the account', () => {
  it('conserves every millionth of a dollar, and publishes all that moves it', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 40, maxLength: 160 }), (steps) => {
        const ledger = new Ledger();
        for (const happening of steps) {
          ledger.ms = apply({ bench: ledger.bench, idOf: (pick) => ledger.idOf(pick), ms: ledger.ms }, happening);
          ledger.bench.advanceTo(ledger.ms);
          ledger.readFeed();
          check(ledger);
        }
        finish(ledger);
      }),
      { numRuns: runCount(150), unbiased: true },
    );
  });
});

/** Settles everything: then no position is open, and every dollar is accounted for. */
function finish(ledger: Ledger): void {
  const { bench } = ledger;
  const { account } = bench.venue;
  const held = [0, 1, 2].map((number) => account.positionOf(index(number)));
  const { settled } = account;
  for (let number = 0; number < MARKETS; number++) {
    const outcome = { status: 'finalized', result: 'scalar', settlementValue: 2500 as Price } as const;
    bench.applyTapeEvent({ kind: 'market-changed', exchangeAt: null, market: index(number), ...outcome });
  }
  ledger.readFeed();
  check(ledger);
  const paid = held.reduce((sum, each) => sum + (each > 0 ? each * 2500 : -each * 7500), 0);
  expectBe(account.settled - settled, paid);
  expectEqual(bench.venue.unsettled(), []);
  expectBe(account.available, account.cash);
}
