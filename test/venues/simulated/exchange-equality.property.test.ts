// The simulated venue against the local exchange: with the same orders, the same other traders and the same market
// life, both must give the same answers, private events, fees and payments. They share no code but the domain's.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOrderId } from '../../../src/domain/ids.ts';
import type { MarketStatus } from '../../../src/domain/market.ts';
import type { Side } from '../../../src/domain/orders/order.ts';
import { type Price, cents, contracts, micros, price, qty } from '../../../src/domain/units.ts';
import type { Op } from '../../../src/exchange/machine/exchange-input.ts';
import type { Answer, OrderView, StepResult } from '../../../src/exchange/machine/exchange-output.ts';
import type { VenueEvent } from '../../../src/venues/simulated/simulator-interfaces.ts';
import { ExchangeHarness, placeOp } from '../../exchange/exchange-harness.ts';
import { BEGIN, M0, aMarket } from '../../support/engine/builders.ts';
import { VenueBench } from '../../support/simulated/venue-bench.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const NO_ORDER = '00000000-0000-4000-8000-000000000000';
/** One order of another trader at each level: taking from it is one trade at both venues. */
const BIDS = [40, 38, 35] as const;
const ASKS = [60, 62, 66] as const;
const DEPTH = 8;

const side = fc.constantFrom('buy' as const, 'sell' as const);
const centPrice = fc.oneof(fc.integer({ min: 33, max: 68 }), fc.integer({ min: 41, max: 59 }));
const size = fc.integer({ min: 1, max: 12 });
const pick = fc.nat({ max: 6 });
const oneInTen = fc.nat({ max: 9 }).map((n) => n === 4);
const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      type: fc.constant('place' as const),
      side,
      price: fc.oneof({ weight: 9, arbitrary: centPrice.map((at) => at * 100) }, fc.constant(4050)),
      qty: fc.oneof({ weight: 9, arbitrary: size.map((n) => n * 100) }, fc.constantFrom(0, 150)),
      timeInForce: fc.constantFrom(
        'gtc' as const,
        'gtc' as const,
        'gtc' as const,
        'ioc' as const,
        'fok' as const,
        'gtd' as const,
      ),
      postOnly: oneInTen,
      reduceOnly: oneInTen,
      isNamedAgain: oneInTen,
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('cancel' as const), pick }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('decrease' as const),
      pick,
      qty: fc.nat({ max: 10 }).map((n) => n * 100),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('amend' as const), pick, price: centPrice, qty: size }) },
  // Other traders trade with what rests between their own prices, where only we rest.
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('stranger' as const),
      side,
      price: fc.constantFrom(41, 44, 50, 56, 59),
      qty: size,
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('fees' as const), percent: fc.constantFrom(0, 50, 250) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('halt' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('pause' as const), isActive: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

/** The outcome of a request, in the words of both venues. */
interface Verdict {
  readonly code: string;
  readonly price?: number;
  readonly filledQty?: number;
  readonly leavesQty?: number;
  readonly reducedBy?: number;
}

function exchangeVerdict(answer: Answer): Verdict {
  if (answer.type === 'refused')
    return { code: answer.refusal.code === 'invalid_UUID' ? 'not_found' : answer.refusal.code };
  if (answer.type === 'canceled') return { code: 'ok', reducedBy: answer.reducedBy, filledQty: answer.order.filledQty };
  if (answer.type !== 'order') throw new Error(`the exchange answered ${answer.type}`);
  const { price: at, filledQty, leavesQty } = answer.order;
  return { code: 'ok', price: at, filledQty, leavesQty };
}

/** @param priceOf an accepted order's price, which its answer does not repeat. */
function venueVerdict(answer: readonly VenueEvent[], priceOf: number): Verdict {
  const [first, second] = answer;
  if (first?.kind !== 'answered' || second === undefined) throw new Error('no answer');
  switch (second.kind) {
    case 'order-accepted':
      expect(second.isFinished).toBe(second.leavesQty === 0);
      return { code: 'ok', price: priceOf, filledQty: second.filledQty, leavesQty: second.leavesQty };
    case 'amend-accepted':
      return { code: 'ok', price: second.price ?? -1, filledQty: second.filledQty ?? -1, leavesQty: second.leavesQty };
    case 'cancel-accepted':
      return { code: 'ok', reducedBy: second.reducedBy, filledQty: second.filledQty ?? -1 };
    case 'order-unknown':
      return { code: 'order_already_exists' };
    case 'cancel-lost':
      // A temporary refusal: the cancel is sent again.
      return { code: 'exchange_is_paused' };
    case 'order-rejected':
    case 'cancel-refused':
    case 'amend-refused':
      return { code: second.code };
    default:
      throw new Error(`the venue answered ${second.kind}`);
  }
}

const STATUS = { resting: 'working', executed: 'filled', canceled: 'canceled' } as const;
const SILENT = new Set(['UserCancel', 'RemainderCancel']);

const orderLine = ({ clientOrderId: name, status, side: way, ...order }: OrderView) => {
  const { price: at, filledQty, leavesQty, lastUpdateReason } = order;
  const reason = lastUpdateReason !== null && SILENT.has(lastUpdateReason) ? null : lastUpdateReason;
  return { name, status: STATUS[status], side: way, price: at, filledQty, leavesQty, reason };
};

/** The exchange's events for the account `ann`. */
function exchangeEvents({ facts }: StepResult): unknown[] {
  return facts.flatMap((fact): unknown[] => {
    if (fact.type === 'order' && fact.account === 'ann') return [orderLine(fact.order)];
    if (fact.type !== 'fill' || fact.account !== 'ann') return [];
    const { clientOrderId: name, side: way, price: at, qty: traded, fee, liquidity } = fact.fill;
    return [{ name, side: way, price: at, qty: traded, fee, liquidity }];
  });
}

/** The simulated venue's events for us. */
function venueEvents(events: readonly VenueEvent[]): unknown[] {
  return events.flatMap((event): unknown[] => {
    if (event.kind === 'order-updated') {
      const { clientOrderId: name, status, side: way, price: at, filledQty, leavesQty, reason } = event.order;
      return [{ name, status, side: way, price: at, filledQty, leavesQty, reason }];
    }
    if (event.kind !== 'fill') return [];
    const { clientOrderId: name, side: way, price: at, qty: traded, fee, liquidity } = event.fill;
    return [{ name, side: way, price: at, qty: traded, fee, liquidity }];
  });
}

const sorted = (events: readonly unknown[]): string[] => events.map((each) => JSON.stringify(each)).sort();

/** Both venues, and the orders of each by the same names. */
class TwoVenues {
  readonly hall = new ExchangeHarness({ accounts: ['ann', 'bob'], cash: 1_000_000 });
  readonly bench = new VenueBench({ openingCash: (1_000_000 * 1_000_000) as never, markets: [aMarket(0)] });
  readonly names: string[] = [];
  readonly #theirs = new Map<string, string>();
  readonly #ours = new Map<string, string>();
  #seconds = 0;
  #names = 0;
  fills = 0;

  constructor() {
    this.bench.venue.matching.applySnapshot(M0, [], []);
    this.#openBook();
  }

  /** The other trader places an order at each price. */
  #openBook(): void {
    for (const [way, prices] of [
      ['buy', BIDS],
      ['sell', ASKS],
    ] as const)
      for (const at of prices)
        this.#tape(this.hall.step(placeOp('bob', { side: way, price: cents(at), qty: contracts(DEPTH) })));
  }

  /** Applies what the other trader's orders did to the book, as a tape without us shows it. */
  #tape({ facts }: StepResult): void {
    for (const fact of facts)
      if (fact.type === 'book-delta' && fact.owner.account === 'bob')
        this.bench.venue.matching.applyDelta({ market: M0, side: fact.side, price: fact.price, change: fact.change });
  }

  take(what: Step): void {
    switch (what.type) {
      case 'place':
        return this.#place(what);
      case 'cancel':
        this.#both({ type: 'cancel', account: 'ann', orderId: this.#theirId(what.pick) }, () =>
          this.bench.cancel(this.#ourId(what.pick)),
        );
        return;
      case 'decrease':
        this.#both(
          { type: 'decrease', account: 'ann', orderId: this.#theirId(what.pick), by: { reduceTo: what.qty } },
          () => this.bench.decrease(this.#ourId(what.pick), what.qty),
        );
        return;
      case 'amend':
        return this.#amend(what);
      case 'stranger':
        return this.#stranger(what);
      case 'wait':
        this.#seconds += what.seconds;
        this.#expectSameEvents(this.hall.advance(what.seconds), () => this.bench.advanceTo(this.#seconds * 1000));
        return;
      case 'fees': {
        const fees = { feeType: 'quadratic_with_maker_fees', feeMultiplierPercent: what.percent } as const;
        const eventTicker = 'RAIN-26' as never;
        return this.#expectSameEvents(this.hall.step({ type: 'set-fees', eventTicker, fees }), () =>
          this.bench.applyTapeEvent({ kind: 'fees-changed', eventTicker: 'EVENT' as never, fees }),
        );
      }
      case 'pause':
        return this.#pause(what.isActive);
      case 'halt':
        this.life({ type: 'halt', ticker: 'A' as never }, { status: 'inactive' });
        this.#both(placeOp('ann', { clientOrderId: 'halted' }), () =>
          this.bench.place({ price: cents(50), clientOrderId: clientOrderId('halted') }),
        );
        this.life({ type: 'resume', ticker: 'A' as never }, { status: 'active' });
        return this.#openBook();
    }
  }

  /** Pauses the exchange and sends requests all the same. */
  #pause(isActive: boolean): void {
    const set = (status: { isActive: boolean; isTrading: boolean }): void =>
      this.#expectSameEvents(this.hall.step({ type: 'set-exchange', ...status }), () =>
        this.bench.applyTapeEvent({ kind: 'exchange-status', ...status }),
      );
    set({ isActive, isTrading: false });
    this.take({ type: 'amend', pick: 0, price: 50, qty: 3 });
    this.take({ type: 'decrease', pick: 1, qty: 100 });
    this.take({ type: 'cancel', pick: 2 });
    this.#both(placeOp('ann', { clientOrderId: 'paused' }), () =>
      this.bench.place({ price: cents(50), clientOrderId: clientOrderId('paused') }),
    );
    set({ isActive: true, isTrading: true });
  }

  #place(what: Extract<Step, { type: 'place' }>): void {
    if (this.#isOurs(what.side, what.price)) return;
    const { side: way, timeInForce, postOnly } = what;
    const again = this.names[this.names.length - 1];
    const name = what.isNamedAgain && again !== undefined ? again : `n-${(this.#names += 1)}`;
    // Two reduce-only orders would be reduced in a different order.
    const reduceOnly = what.reduceOnly && !this.#rests((order) => order.reduceOnly);
    const lapses = timeInForce === 'gtd' ? 3 : null;
    const theirs = {
      clientOrderId: name,
      side: way,
      price: what.price as Price,
      qty: qty(what.qty),
      timeInForce,
      postOnly,
    };
    const expiresAt = lapses === null ? null : micros(this.hall.at + lapses * 1_000_000);
    const answer = this.#both(placeOp('ann', { ...theirs, reduceOnly, expiresAt }), () =>
      this.bench.place({
        ...theirs,
        price: price(what.price),
        reduceOnly,
        clientOrderId: clientOrderId(name),
        expiresAt: lapses === null ? null : micros(BEGIN + (this.#seconds + lapses) * 1_000_000),
      }),
    );
    if (answer.type !== 'order') return;
    this.names.push(name);
    this.#theirs.set(name, answer.order.orderId);
    const accepted = this.bench.answers.at(-1)?.find((event) => event.kind === 'order-accepted');
    if (accepted?.kind === 'order-accepted') this.#ours.set(name, accepted.venueOrderId);
  }

  /**
   * True when we have an order at a price. The fill simulator assumes that others' quantity, which a print that met us
   * left there, is ahead of the next order; the exchange knows that there is none.
   */
  #isOurs(way: Side, at: number): boolean {
    return this.#rests((order) => order.side === way && order.price === at);
  }

  #rests(isWanted: (order: OrderView) => boolean): boolean {
    return this.hall.exchange.restingOrders('ann').some(isWanted);
  }

  #amend(what: Extract<Step, { type: 'amend' }>): void {
    const orderId = this.#theirId(what.pick);
    const order = this.hall.exchange.order('ann', orderId);
    const terms = { price: cents(what.price), qty: contracts(what.qty) };
    if (order !== undefined && order.price !== terms.price && this.#isOurs(order.side, terms.price)) return;
    this.#both({ type: 'amend', account: 'ann', amendment: { orderId, ...terms } }, () =>
      this.bench.amend(this.#ourId(what.pick), { side: order?.side ?? 'buy', ...terms }),
    );
  }

  /** The other trader takes from us: the tape has a print for each trade, and nothing else. */
  #stranger({ side: way, price: at, qty: wanted }: Extract<Step, { type: 'stranger' }>): void {
    // The exchange reduces reduce-only orders once the taker is done, the venue after each print.
    if (this.#rests((order) => order.reduceOnly) && this.hall.exchange.restingOrders('ann').length > 1) return;
    const order = { side: way, price: cents(at), qty: contracts(wanted), timeInForce: 'ioc' } as const;
    const result = this.hall.step(placeOp('bob', order));
    this.#expectSameEvents(result, () => {
      for (const fact of result.facts) {
        if (fact.type !== 'print') continue;
        const { takerSide, price: printed, qty: traded } = fact.print;
        this.bench.venue.matching.applyPrint({ market: M0, side: takerSide, price: printed, qty: traded });
      }
    });
  }

  /** Applies a change of the market's life to both venues. */
  life(op: Op, change: { status: MarketStatus; result?: 'scalar'; settlementValue?: Price }): void {
    const result = this.hall.step(op);
    this.#tape(result);
    this.#expectSameEvents(result, () =>
      this.bench.applyTapeEvent({ kind: 'market-changed', exchangeAt: null, market: M0, ...change }),
    );
  }

  #both(op: Op, request: () => VenueEvent[]): Answer {
    const result = this.hall.step(op);
    this.#expectSameEvents(result, () => {
      const priceOf = result.answer.type === 'order' ? result.answer.order.price : -1;
      expect(venueVerdict(request(), priceOf)).toEqual(exchangeVerdict(result.answer));
    });
    return result.answer;
  }

  /** Expects both venues to publish the same events in the same order. */
  #expectSameEvents(result: StepResult, act: () => void): void {
    this.bench.feed.length = 0;
    act();
    const [ours, theirs] = [venueEvents(this.bench.feed), exchangeEvents(result)];
    // Orders canceled all at once have no order that matters.
    const isUnordered = result.answer.type === 'done';
    expect(isUnordered ? sorted(ours) : ours).toEqual(isUnordered ? sorted(theirs) : theirs);
    this.fills += this.bench.feed.filter(({ kind }) => kind === 'fill').length;
  }

  #theirId(pick: number): string {
    return this.#theirs.get(this.#nameOf(pick)) ?? NO_ORDER;
  }

  #ourId(pick: number): string {
    return this.#ours.get(this.#nameOf(pick)) ?? NO_ORDER;
  }

  #nameOf(pick: number): string {
    return this.names[this.names.length - 1 - pick] ?? '';
  }

  check(): void {
    const [balance, position] = [this.hall.exchange.balance('ann'), this.hall.exchange.position('ann', 'A' as never)];
    const { account } = this.bench.venue;
    expect(account.cash).toBe(balance?.cash);
    expect(account.feesPaid).toBe(balance?.fees);
    expect(account.positionOf(M0)).toBe(position?.qty ?? 0);
    // No less is reserved than at the exchange.
    expect(account.available).toBeLessThanOrEqual(balance?.available ?? 0);
  }
}

describe('the simulated venue', () => {
  it('answers, publishes, charges and pays as the local exchange does', () => {
    let fills = 0;
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }),
        fc.nat({ max: 10_000 }),
        (steps, value) => {
          const venues = new TwoVenues();
          for (const what of steps) {
            venues.take(what);
            venues.check();
          }
          const settlementValue = value as Price;
          const ticker = 'A' as never;
          venues.life({ type: 'close', ticker }, { status: 'closed' });
          const outcome = { result: 'scalar', settlementValue } as const;
          venues.life({ type: 'determine', ticker, ...outcome }, { status: 'determined', ...outcome });
          venues.life({ type: 'settle', ticker }, { status: 'finalized' });
          venues.check();
          fills += venues.fills;
        },
      ),
      { numRuns: runCount(150), unbiased: true },
    );
    expect(fills).toBeGreaterThan(150);
  });
});
