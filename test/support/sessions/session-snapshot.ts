// A snapshot of a session for tests: two strategies in three markets, one of them settled. Every figure differs from
// every other figure, so that a test can recognize it on a screen.
import { strategyName } from '../../../src/domain/ids.ts';
import type { Qty } from '../../../src/domain/units.ts';
import { cents, contracts, dollars, micros, money, price, qty } from '../../../src/domain/units.ts';
import type { PositionLine } from '../../../src/report/account/account-summary.ts';
import type { MarketLine, SessionSnapshot } from '../../../src/report/account/session-snapshot.ts';
import { SessionTally } from '../../../src/runtime/session/session-tally.ts';
import { aFill, aHalt, aPlace } from '../engine/builders.ts';
import { Orders } from '../../../src/state/account/orders.ts';

const level = (at: number, size: Qty): MarketLine['bid'] => ({ price: price(at), qty: size });

const MARKET_LINES: readonly MarketLine[] = [
  {
    ticker: 'M-0',
    status: 'active',
    trust: 'live',
    bid: level(4400, contracts(12)),
    ask: level(4750, qty(250)),
    ownBid: level(4300, contracts(5)),
    ownAsk: null,
    position: contracts(-3),
  },
  {
    ticker: 'M-1',
    status: 'active',
    trust: 'suspect',
    bid: null,
    ask: level(9900, contracts(1)),
    ownBid: null,
    ownAsk: null,
    position: qty(0),
  },
  {
    ticker: 'M-2',
    status: 'finalized',
    trust: 'rebuilding',
    bid: null,
    ask: null,
    ownBid: null,
    ownAsk: null,
    position: qty(0),
  },
];

const POSITION: PositionLine = {
  ticker: 'M-0',
  status: 'active',
  qty: contracts(-3),
  cost: money(1_680_000),
  mark: price(4575),
  value: money(1_627_500),
  realized: money(250_000),
  unrealized: money(-52_500),
  fees: money(17_325),
};

/** Makes a tally of two strategies: one has traded, one is halted. */
export function aTally(): SessionTally {
  const maker = strategyName('maker');
  const tally = new SessionTally([maker, strategyName('taker')]);
  const orders = new Orders();
  const order = orders.addOrder(aPlace(), 'test');
  const intent = { type: 'place', market: order.market, side: 'buy', price: cents(40), qty: contracts(10) } as const;
  for (let i = 0; i < 7; i++)
    tally.countNotice({ type: 'approved', strategy: maker, intent, clientOrderId: order.clientOrderId });
  const position = { qty: contracts(4), cost: dollars(1.6), realized: money(0), fees: dollars(0.01) };
  tally.countNotice({ type: 'fill', order, fill: aFill({ qty: qty(350), fee: money(17_325) }), position });
  for (let i = 0; i < 2; i++)
    tally.countNotice({ type: 'denied', strategy: maker, intent, denial: { code: 'stopping' } });
  const stale = { code: 'book-stale', ageMs: 9000, bookAgeMsMax: 5000 } as const;
  tally.countNotice({ type: 'denied', strategy: maker, intent, denial: stale });
  const scope = { type: 'strategy', strategy: strategyName('taker') } as const;
  tally.countNotice({ type: 'halt', halt: aHalt({ scope, reason: 'TypeError: no such market' }), isCarried: false });
  tally.countNotice({ type: 'rate-limited', budget: 'trade', retryAfter: null });
  return tally;
}

/** Makes the session snapshot that the tests of the screen draw. */
export const aSnapshot = (over: Partial<SessionSnapshot> = {}): SessionSnapshot => ({
  at: micros(1_000_065_000_000),
  elapsedMs: 65_000,
  runMs: 65_000,
  phase: 'trading',
  halts: [],
  feed: { isUp: true, ageMs: 12, connections: 1, lagMs: 0, privateFault: null },
  clock: { offsetMs: null, boundMs: 0, loopLateMs: 0 },
  markets: MARKET_LINES,
  account: {
    isOpen: true,
    cash: money(998_302_675),
    pledged: money(2_150_000),
    available: money(996_152_675),
    positionsValue: money(1_627_500),
    equity: money(999_930_175),
    realized: money(250_000),
    unrealized: money(-52_500),
    fees: money(17_325),
    profit: money(180_175),
    positions: [POSITION],
    past: { markets: 0, realized: money(0), fees: money(0) },
  },
  fees: { fills: 1, charged: money(17_325), expected: money(17_300) },
  drift: { ageMs: 900, qty: qty(0), cash: money(0), isDrift: false },
  budgets: { read: { available: 17, capacity: 18 }, trade: { available: 4, capacity: 9 } },
  orders: { working: 1, waiting: 0, inFlight: 0 },
  strategies: aTally().strategies(),
  surprises: { 'feed-gap': 2 },
  ...over,
});
