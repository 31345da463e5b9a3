// Staged sessions, each with one cause, and the sentence that names it: asked of the function and of the command line.
import type { MarketIndex } from '../../src/domain/ids.ts';
import { cents, contracts, dollars, micros } from '../../src/domain/units.ts';
import { M0, aMarket } from '../support/engine/builders.ts';
import type { StageOptions, StagedSession } from './staged-session.ts';

export interface StagedCase {
  readonly name: string;
  readonly options?: StageOptions;
  /** Brings the cause about. */
  readonly act: (session: StagedSession) => void;
  /** The question is about a moment before the end, by this time. */
  readonly agoMs?: number;
  /** The cause, in the first sentence. */
  readonly cause: RegExp;
  /** The check that fails. */
  readonly check: string;
  readonly timesMin?: number;
}

/** Moves the touch of the first market, so that strategies are called. */
export function moveTouch(session: StagedSession, change = 500): void {
  session.venue.changeLevel(0 as MarketIndex, 'bid', { price: cents(45), change });
  session.run(50);
}

function trade(session: StagedSession): void {
  session.startTrading();
  session.run(5000);
  for (let round = 0; round < 3; round++) moveTouch(session);
}

/** One order a minute may leave, and half of the budget is kept for cancels. The strategy moves its bid once. */
const tight = (delayMs: number): StageOptions => ({
  params: { mode: 'follow' },
  budgets: { trade: { count: 2, window: micros(60_000_000) }, cancelReserve: 0.5 },
  orders: { delayMax: micros(delayMs * 1000) },
});

function moveQuote(session: StagedSession): void {
  session.startTrading();
  session.run(1000);
  session.venue.changeLevel(M0, 'bid', { price: cents(46), change: 500 });
  session.run(3000);
}

const DENIALS: readonly (readonly [string, NonNullable<StageOptions['limits']>, RegExp])[] = [
  ['order quantity', { orderQtyMax: contracts(2) }, /order-qty-above-limit: order qty 5 is above orderQtyMax 2/],
  ['order cost', { orderCostMax: dollars(1) }, /order-cost-above-limit: order cost \$\d/],
  [
    'position',
    { positionQtyMax: contracts(3) },
    /position-above-limit: .*position could reach -?[\d−]*5, above positionQtyMax 3/,
  ],
  [
    'market cost',
    { marketCostMax: dollars(1) },
    /market-cost-above-limit: cost in the market could reach \$[\d.]+, above marketCostMax \$1/,
  ],
];

export const CASES: readonly StagedCase[] = [
  {
    name: 'a book that is suspect, since when and why',
    act(session) {
      session.startTrading();
      session.venue.script = { snapshots: () => false };
      session.run(2000);
      session.venue.emitGap([M0]);
      session.run(10);
    },
    cause: /because the book of M-0 was (suspect|rebuilding|empty) since .*: .*sequence/,
    check: 'book',
  },
  {
    name: 'the member of the selector that keeps the market out',
    options: { params: { spreadMaxCents: 3 } },
    act: trade,
    cause: /because maker did not have the market: its selector wants spreadMax 3¢, the market had 10¢/,
    check: 'selection',
  },
  ...DENIALS.map(([limit, limits, text]) => ({
    name: `the limit on ${limit}, with its figures`,
    options: { limits },
    act: trade,
    cause: new RegExp(`because its order to (buy|sell) 5 at \\d+¢ was denied: ${text.source}`),
    check: 'denial',
    timesMin: 3,
  })),
  {
    name: 'the rate budget that an order waits for',
    options: tight(30_000),
    act: moveQuote,
    agoMs: 3000,
    cause: /because its order to .* waited \d+ ms for the rate budget; lane new: 1 units needed, 0 of 1 available/,
    check: 'lane',
  },
  {
    name: 'a halt, its author and its reason',
    act(session) {
      trade(session);
      const order = { type: 'halt', scope: { type: 'account' }, by: 'operator', reason: 'the feed looks odd' } as const;
      session.step({ kind: 'operator', at: session.now, order });
      session.run(2000);
      moveTouch(session);
    },
    cause: /because the account was halted by the operator at 00:16:45\.200Z: the feed looks odd\.$/,
    check: 'halt',
  },
  {
    name: 'a market that closes within the guard',
    options: { markets: [aMarket(0, { closeAt: micros(1_010_000_000) })], limits: { closeGuardMs: 5000 } },
    act(session) {
      session.startTrading();
      session.run(6000);
      moveTouch(session);
    },
    cause: /because M-0 was closing: the market closes in \d+ ms, closeGuardMs is 5000/,
    check: 'status',
  },
  {
    name: 'a market that was settled',
    act(session) {
      session.startTrading();
      session.run(1000);
      session.venue.settleMarket(M0, cents(100));
      session.run(2000);
    },
    cause: /because maker did not have the market: the market is settled\.$/,
    check: 'selection',
  },
  {
    name: 'a strategy that was called and answered nothing',
    options: { params: { mode: 'silent' } },
    act: trade,
    cause: /because maker was called at .* with bid 45¢, ask 55¢ and answered nothing/,
    check: 'answer',
    timesMin: 3,
  },
  {
    name: 'an order that was not sent in time',
    options: tight(1000),
    act: moveQuote,
    agoMs: 1500,
    cause: /because its order to .* was not sent in time: it was dropped after \d+ ms \(too late to send\)/,
    check: 'lane',
  },
  {
    name: 'the refusal of the venue',
    act(session) {
      session.venue.script = { place: () => 'reject' };
      session.startTrading();
    },
    agoMs: 50,
    cause: /because the venue refused its order to .*: \S/,
    check: 'venue',
  },
];
