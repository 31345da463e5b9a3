// Random faults and operator commands over a whole session: a quoter that is called when the best price of others has
// moved answers every event with the commands of one that is called at every change of a book.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../src/domain/event.ts';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import type { Intent } from '../../../src/domain/intent.ts';
import type { Order } from '../../../src/domain/orders/order.ts';
import { type Price, cents, contracts, dollars, qty } from '../../../src/domain/units.ts';
import { CAREFUL_POLICY } from '../../../src/execution/orders/order-policy.ts';
import type { StrategyView } from '../../../src/state/strategy-view.ts';
import { aMarket, index, wideLimits } from '../../support/engine/builders.ts';
import { EngineHarness, aStrategy } from '../../support/engine/engine-harness.ts';
import { MARKETS, type Storm, aStormWithOperator, runStorm } from '../../support/engine/storm.ts';
import { runCount } from '../../support/runner/property-runs.ts';

type HandlerName = 'onBook' | 'onOthersBest';

/** Terms of the quoter and of the session. */
interface Terms {
  /** Distance of each quote from the best price of others, in ten-thousandths of a dollar. Below 0, it improves the price. */
  readonly away: number;
  readonly count: number;
  readonly tolerance: number;
  readonly style: 'quote' | 'orders';
  readonly canMove: boolean;
  readonly unexpected: 'cancel' | 'adopt';
  /** After a fill, what the quoter does in every market until the next change there. */
  readonly afterFill: 'nothing' | 'no-quote' | 'cancel' | 'decrease';
  /** Time of an answer and of a message of the feed. Microseconds. */
  readonly delay: number;
  /** Limits that deny many orders. */
  readonly isLimited: boolean;
}

const terms: fc.Arbitrary<Terms> = fc.record({
  away: fc.constantFrom(-100, 0, 100, 300),
  count: fc.constantFrom(2, 5, 30),
  tolerance: fc.constantFrom(0, 100),
  style: fc.constantFrom('quote', 'orders'),
  canMove: fc.boolean(),
  unexpected: fc.constantFrom('cancel', 'adopt'),
  afterFill: fc.constantFrom('nothing', 'no-quote', 'cancel', 'decrease'),
  delay: fc.constantFrom(1000, 30_000),
  isLimited: fc.boolean(),
});

/** Keeps one order on a side with the intents for single orders, decreased after each fill. */
function intentsFor(order: Order | undefined, wanted: Extract<Intent, { type: 'place' }>, tolerance: number): Intent[] {
  if (order === undefined) return [wanted];
  const { clientOrderId, filledQty } = order;
  if (Math.abs(order.price - wanted.price) > tolerance) return [{ type: 'cancel', clientOrderId }];
  if (filledQty > 0 && order.qty > contracts(1)) return [{ type: 'decrease', clientOrderId, leavesQty: contracts(1) }];
  return [];
}

/** An answer that depends on the best prices of others, the position and the own orders, and on nothing else. */
function answerFor(market: MarketIndex, view: StrategyView, drawn: Terms): Intent[] {
  const { away, count, tolerance, style } = drawn;
  const best = { bid: view.othersBest(market, 'bid'), ask: view.othersBest(market, 'ask') };
  if (best.bid === null || best.ask === null) return [{ type: 'quote', market, bid: null, ask: null }];
  const lean = Math.sign(view.position(market).qty) * 100;
  const open = view.orders(market);
  const size = contracts(open.length > 2 ? 1 : count);
  const [bid, ask] = [(best.bid - away - lean) as Price, (best.ask + away - lean) as Price];
  const terms = { priceTolerance: tolerance, qtyTolerance: size - 100 };
  if (style === 'quote')
    return [{ type: 'quote', market, bid: { price: bid, qty: size }, ask: { price: ask, qty: size }, ...terms }];
  return (['buy', 'sell'] as const).flatMap((side) => {
    const place = {
      type: 'place',
      market,
      side,
      price: side === 'buy' ? bid : ask,
      qty: size,
      postOnly: true,
    } as const;
    return intentsFor(
      open.find((order) => order.side === side),
      place,
      tolerance,
    );
  });
}

/** The answer to a fill: it differs from the answer to the next change of a book. */
function retreat(view: StrategyView, afterFill: Terms['afterFill']): Intent[] {
  if (afterFill === 'nothing') return [];
  if (afterFill === 'no-quote') return view.markets.map((market) => ({ type: 'quote', market, bid: null, ask: null }));
  const open = view.markets.flatMap((market) => view.orders(market));
  if (afterFill === 'cancel') return open.map(({ clientOrderId }) => ({ type: 'cancel', clientOrderId }));
  return open.map(({ clientOrderId }) => ({ type: 'decrease', clientOrderId, leavesQty: contracts(1) }));
}

/** Takes two contracts at every sixtieth change, buying and selling in turn. */
function taker() {
  let count = 0;
  return aStrategy(
    {
      onBook({ market }, view) {
        count += 1;
        const isBuy = count % 2 === 0;
        const price = isBuy ? view.book(market).bestAsk : view.book(market).bestBid;
        if (count % 60 !== 0 || price === null) return undefined;
        return [{ type: 'place', market, side: isBuy ? 'buy' : 'sell', price, qty: contracts(2), timeInForce: 'ioc' }];
      },
    },
    'taker',
  );
}

const TIGHT = wideLimits({ positionQtyMax: contracts(20), marketCostMax: dollars(15), accountCostMax: dollars(30) });

function harnessOf(name: HandlerName, drawn: Terms, onCall: () => void): EngineHarness {
  const quoter = aStrategy(
    {
      [name]: ({ market }: { market: MarketIndex }, view: StrategyView) => {
        onCall();
        return answerFor(market, view, drawn);
      },
      onFill: (_event, view) => retreat(view, drawn.afterFill),
    },
    'quoter',
  );
  const { canMove, unexpected, isLimited, delay } = drawn;
  const harness = new EngineHarness({
    strategies: [quoter, taker(), aStrategy({ onOthersBest: () => undefined }, 'idle')],
    markets: Array.from({ length: MARKETS }, (_, i) => aMarket(i)),
    engine: {
      limits: isLimited ? TIGHT : wideLimits(),
      policy: { ...CAREFUL_POLICY, canShrink: true, canMove, unexpected, onDrift: 'alarm' },
    },
  });
  harness.venue.answerDelay = delay;
  harness.venue.feedDelay = delay;
  return harness;
}

/** An event, and the commands that the engine gave for it. */
interface Step {
  readonly event: EngineEvent;
  readonly commands: string;
}

/** A level far from the best price appears and disappears in every live book. */
function flicker(harness: EngineHarness, step: EngineHarness['step']): void {
  for (let market = 0; market < MARKETS; market++)
    for (const change of [qty(100), qty(-100)]) {
      if (!harness.engine.state.books.isLive(index(market))) continue;
      const level = { market: index(market), side: 'bid', price: cents(2), change } as const;
      step({ kind: 'book-delta', at: harness.now, exchangeAt: null, ...level });
    }
}

/** Runs a storm. The books flicker after every event, so that the quoter has a chance to answer it. */
function recordStorm(harness: EngineHarness, storm: Storm): readonly Step[] {
  const steps: Step[] = [];
  const step = harness.engine.step.bind(harness.engine);
  harness.engine.step = (event) => {
    const commands = step(event);
    steps.push({ event: { ...event }, commands: JSON.stringify(commands) });
    return commands;
  };
  const stepHarness = harness.step.bind(harness);
  harness.step = (given) => {
    stepHarness(given);
    flicker(harness, stepHarness);
  };
  harness.startTrading();
  runStorm(harness, storm);
  return steps;
}

describe('under random faults, a quoter that follows the best price of others', () => {
  it('answers every event with the commands of one that sees every change of a book', () => {
    const calls = { onBook: 0, onOthersBest: 0 };
    const seen = { place: 0, amend: 0, decrease: 0, cancel: 0 };
    fc.assert(
      fc.property(aStormWithOperator(['quoter', 'taker', 'idle']), terms, (storm, drawn) => {
        const every = harnessOf('onBook', drawn, () => (calls.onBook += 1));
        const steps = recordStorm(every, storm);
        const selective = harnessOf('onOthersBest', drawn, () => (calls.onOthersBest += 1)).engine;
        for (const { event, commands } of steps) {
          const given = JSON.stringify(selective.step(event));
          if (given !== commands) expect({ event, given }).toEqual({ event, given: commands });
        }
        for (const type of ['place', 'amend', 'decrease', 'cancel'] as const) seen[type] += every.commands(type).length;
      }),
      { numRuns: runCount(100) },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
    expect(calls.onOthersBest).toBeLessThan(calls.onBook);
  });
});
