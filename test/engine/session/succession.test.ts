// Strategy ledgers over restarts: restored once, with what traded and was paid out meanwhile, and with no more than the
// account's own figures confirm.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReadTarget } from '../../../src/domain/venue-command.ts';
import type { MarketIndex, StrategyName } from '../../../src/domain/ids.ts';
import { strategyName } from '../../../src/domain/ids.ts';
import type { PlaceIntent } from '../../../src/domain/intent.ts';
import { type SavedLedgers, NOTHING_RESTORED } from '../../../src/domain/operator-order.ts';
import type { Side } from '../../../src/domain/orders/order.ts';
import { FLAT } from '../../../src/domain/position.ts';
import { type Money, type Qty, cents, contracts, dollars, micros, qty } from '../../../src/domain/units.ts';
import { CAREFUL_POLICY } from '../../../src/execution/orders/order-policy.ts';
import type { BoundStrategy, Handlers } from '../../../src/strategy/strategy-definition.ts';
import { M0, M1, MAKER, aMarket } from '../../support/engine/builders.ts';
import type { ScriptedVenue } from '../../support/engine/scripted-venue.ts';
import { EngineHarness, type EngineHarnessOptions } from '../../support/engine/engine-harness.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const TAKER = strategyName('taker');
const NAMES = [MAKER, TAKER];
const MARKETS = [aMarket(0), aMarket(1)];

/** A resting order. */
const order = (market: MarketIndex, side: Side): PlaceIntent => ({
  type: 'place',
  market,
  side,
  price: cents(side === 'buy' ? 40 : 60),
  qty: contracts(5),
  postOnly: true,
});

/** The state that a session starts with. */
interface Found extends Pick<EngineHarnessOptions, 'venue' | 'engine'> {
  readonly books?: SavedLedgers | undefined;
}

/** A session on a venue that follows an earlier session. */
class Session {
  readonly harness: EngineHarness;
  readonly #wanted = new Map<StrategyName, PlaceIntent[]>(NAMES.map((name) => [name, []]));

  constructor(name: string, { venue, books, engine = {} }: Found = {}) {
    const strategies = NAMES.map((strategy) => this.#strategy(strategy));
    this.harness = new EngineHarness({ strategies, markets: MARKETS, engine, ...(venue && { venue }) });
    const carried = { ...NOTHING_RESTORED, ...(books && { books }) };
    this.harness.step({ kind: 'start', at: this.harness.now, session: name, carried });
    this.harness.venue.feedUp();
    this.harness.run(8000);
    expect(this.harness.engine.session.phase).toBe('trading');
  }

  #strategy(name: StrategyName): BoundStrategy {
    const handlers: Handlers = {
      onPrint: () => this.#wanted.get(name)!.splice(0),
    };
    return { name, selector: {}, handlers };
  }

  /** Lets a strategy place an order, and the venue trade some of it. */
  trade(name: StrategyName, intent: PlaceIntent, size: Qty): this {
    this.#wanted.get(name)!.push(intent);
    const print = { kind: 'print', exchangeAt: null, market: M0, tradeId: 'p' as never, side: 'buy' } as const;
    this.harness.venue.emitEvent({ ...print, price: cents(50), qty: contracts(1) });
    this.harness.run(100);
    const [resting] = this.harness.venue.resting(intent.market).filter(({ leaves }) => leaves === contracts(5));
    this.harness.venue.tradeOrder(resting!, size);
    return this;
  }

  /** The ledgers saved last. */
  kept(): SavedLedgers | undefined {
    return this.harness.noticesOf('books').at(-1)?.books;
  }

  own(name: StrategyName, market = M0): readonly [qty: Qty, cost: Money] {
    const { qty: held, cost } = this.harness.engine.state.strategyLedgers.ledgerOf(name).position(market);
    return [held, cost];
  }

  earned(name: StrategyName): Money {
    return this.harness.engine.state.strategyLedgers.ledgerOf(name).earned;
  }

  /** The process dies: messages in flight to it are lost. */
  die(): ScriptedVenue {
    const { venue } = this.harness;
    while (venue.takeNext() !== undefined);
    return venue;
  }
}

const isAny = (target: ReadTarget): boolean => target.what === 'orders' && target.status === 'any';

/** Leaves orders of earlier sessions as they are. */
const ADOPTING: EngineHarnessOptions['engine'] = {
  policy: { ...CAREFUL_POLICY, canShrink: true, unexpected: 'adopt' },
};

const begin = (): Session => new Session('a');
const after = (before: Session, books = before.kept()): Session => new Session('b', { venue: before.die(), books });

describe('a session that follows another', () => {
  it('restores what each strategy held and had earned', () => {
    const before = begin();
    before.trade(MAKER, order(M0, 'buy'), contracts(5)).harness.run(2000);
    before.trade(TAKER, order(M0, 'sell'), contracts(5)).harness.run(2000);
    before.trade(TAKER, order(M1, 'buy'), contracts(3)).harness.run(2000);
    before.harness.stop();
    const next = after(before);
    expect(next.own(MAKER)).toEqual([contracts(5), dollars(2)]);
    expect(next.own(TAKER)).toEqual([contracts(-5), dollars(2)]);
    expect(next.own(TAKER, M1)).toEqual([contracts(3), dollars(1.2)]);
    expect(next.earned(MAKER)).toBe(before.earned(MAKER));
    expect(next.earned(MAKER)).toBeLessThan(0);
  });

  it('counts a fill once that the earlier session did not receive, although lists show it again', () => {
    const before = begin();
    before.trade(MAKER, order(M0, 'buy'), contracts(2)).harness.run(2000);
    before.trade(TAKER, order(M1, 'buy'), contracts(4));
    const next = after(before);
    expect(next.own(MAKER)).toEqual([contracts(2), dollars(0.8)]);
    expect(next.own(TAKER, M1)).toEqual([contracts(4), dollars(1.6)]);
    next.harness.run(30_000);
    expect(next.own(TAKER, M1)).toEqual([contracts(4), dollars(1.6)]);
    // The session after it.
    const last = new Session('c', { venue: next.die(), books: next.kept() });
    expect(last.own(MAKER)).toEqual([contracts(2), dollars(0.8)]);
    expect(last.own(TAKER, M1)).toEqual([contracts(4), dollars(1.6)]);
  });

  it('pays out what was settled meanwhile', () => {
    const before = begin();
    before.trade(MAKER, order(M0, 'buy'), contracts(5)).harness.run(2000);
    before.harness.stop();
    const lost = before.earned(MAKER);
    before.harness.venue.settleMarket(M0, cents(100));
    const next = after(before);
    expect(next.own(MAKER)).toEqual([0, 0]);
    expect(next.earned(MAKER)).toBe(lost + dollars(3));
  });

  it('pays out a settlement that the earlier session missed, too', () => {
    const before = begin();
    const lost = before.trade(TAKER, order(M1, 'buy'), contracts(2)).harness.run(2000) && before.earned(TAKER);
    before.trade(MAKER, order(M0, 'buy'), contracts(5));
    const kept = before.kept();
    const venue = before.die();
    venue.settleMarket(M0, cents(100));
    const next = new Session('b', { venue, books: kept });
    expect([next.own(MAKER), next.own(TAKER, M1)]).toEqual([
      [0, 0],
      [contracts(2), dollars(0.8)],
    ]);
    expect(next.earned(MAKER)).toBeGreaterThan(dollars(2.9));
    expect(next.earned(TAKER)).toBe(lost);
  });

  it("attributes a fill that names its order only by the venue's id", () => {
    const before = begin();
    before.trade(MAKER, order(M0, 'buy'), contracts(2)).harness.run(2000);
    const { venue } = before.harness;
    venue.tradeOrder(venue.resting(M0)[0]!, 100);
    venue.script.answers = (_, truth) =>
      truth.kind === 'fills' ? { ...truth, rows: truth.rows.map((row) => ({ ...row, clientOrderId: null })) } : truth;
    expect(after(before).own(MAKER)).toEqual([contracts(3), dollars(1.2)]);
  });

  it('attributes such a fill by the venue’s list of orders when no ledger names the order', () => {
    const before = begin();
    before.trade(MAKER, order(M0, 'buy'), contracts(2)).harness.run(2000);
    const books = before.kept();
    before.trade(TAKER, order(M1, 'buy'), contracts(5)).trade(MAKER, order(M1, 'sell'), contracts(4));
    const venue = before.die();
    venue.script.answers = (_, truth) =>
      truth.kind === 'fills' ? { ...truth, rows: truth.rows.map((row) => ({ ...row, clientOrderId: null })) } : truth;
    const next = new Session('b', { venue, books });
    expect(next.own(MAKER)).toEqual([contracts(2), dollars(0.8)]);
    expect(next.own(TAKER, M1)).toEqual([contracts(5), dollars(2)]);
    expect(next.own(MAKER, M1)).toEqual([contracts(-4), dollars(1.6)]);
  });

  it('counts nothing twice however far back it reads', () => {
    const engine = { lookbackMs: 600_000 };
    const before = new Session('a', { engine });
    before.trade(MAKER, order(M0, 'buy'), contracts(2)).harness.run(150_000);
    before.trade(MAKER, order(M0, 'sell'), contracts(1)).harness.run(2000);
    const next = new Session('b', { venue: before.die(), books: before.kept(), engine });
    expect(next.own(MAKER)).toEqual([contracts(1), dollars(0.4)]);
  });

  it('requests such a list once, and not when every fill can be attributed', () => {
    const before = begin();
    before.trade(MAKER, order(M0, 'buy'), contracts(2)).harness.run(2000);
    const orderLists = ({ harness }: Session): number =>
      harness.sent.filter(({ command }) => command.type === 'read' && isAny(command.target)).length;
    const books = before.kept();
    const { venue } = before.harness;
    venue.tradeOrder(venue.resting(M0)[0]!, 100);
    const next = new Session('b', { venue: before.die(), books });
    expect(orderLists(next)).toBe(0);
    const kept = next.kept();
    venue.tradeOrder(venue.foreignOrder(M0, 'sell', cents(60)), 100);
    venue.script.answers = (_, truth) =>
      truth.kind === 'fills' ? { ...truth, rows: truth.rows.map((row) => ({ ...row, clientOrderId: null })) } : truth;
    const last = new Session('c', { venue: next.die(), books: kept });
    expect(orderLists(last)).toBe(1);
  });

  it('attributes the orders that it leaves resting, and so does the session after it', () => {
    const before = begin();
    before.trade(MAKER, order(M0, 'buy'), contracts(2)).harness.run(2000);
    const second = new Session('b', { venue: before.die(), books: before.kept(), engine: ADOPTING });
    second.trade(TAKER, order(M1, 'buy'), contracts(1)).harness.run(2000);
    const { venue } = second.harness;
    const left = venue.resting(M0)[0]!;
    venue.tradeOrder(left, 100);
    second.harness.run(2000);
    expect(second.own(MAKER)).toEqual([contracts(3), dollars(1.2)]);
    const kept = second.kept();
    second.die();
    venue.tradeOrder(left, 100);
    const third = new Session('c', { venue, books: kept, engine: ADOPTING });
    expect(third.own(MAKER)).toEqual([contracts(4), dollars(1.6)]);
    venue.tradeOrder(left, 100);
    third.harness.run(2000);
    expect(third.own(MAKER)).toEqual([contracts(5), dollars(2)]);
  });

  it('counts the orders it leaves resting towards what their strategy may lose', () => {
    const before = begin();
    before.trade(MAKER, order(M0, 'buy'), contracts(2)).harness.run(2000);
    const engine = { ...ADOPTING, capital: new Map([[MAKER, dollars(3)]]) };
    const next = new Session('b', { venue: before.die(), books: before.kept(), engine });
    const { used } = next.harness.engine.risk.capitalOf(MAKER);
    expect(used).toBeGreaterThanOrEqual(dollars(2));
    expect(next.harness.engine.risk.capitalOf(TAKER).used).toBe(0);
  });

  it('gives no strategy what the account no longer holds', () => {
    const before = begin();
    before.trade(MAKER, order(M0, 'buy'), contracts(5)).harness.run(2000);
    before.harness.stop();
    const { venue } = before.harness;
    venue.tradeOrder(venue.foreignOrder(M0, 'sell', cents(60)), 500);
    const next = after(before);
    expect(venue.position(M0).qty).toBe(0);
    expect(next.own(MAKER)).toEqual([0, 0]);
  });

  it('gives a strategy nothing in a market where another party has bought meanwhile', () => {
    const before = begin();
    before.trade(MAKER, order(M0, 'buy'), contracts(5)).harness.run(2000);
    before.harness.stop();
    const { venue } = before.harness;
    venue.tradeOrder(venue.foreignOrder(M0, 'buy', cents(40)), 300);
    // Long before the next session: no list of fills shows it.
    venue.now = micros(venue.now + 60_000_000);
    const next = after(before);
    expect(venue.position(M0).qty).toBe(contracts(8));
    expect(next.own(MAKER)).toEqual([0, 0]);
  });

  it('gives no strategy what the account holds when no ledgers were saved', () => {
    const before = begin();
    before.trade(MAKER, order(M0, 'buy'), contracts(5)).harness.run(2000);
    before.harness.stop();
    const next = new Session('b', { venue: before.die() });
    expect(next.harness.engine.state.portfolio.position(M0).qty).toBe(contracts(5));
    expect(next.harness.engine.state.strategyLedgers.ledgerOf(MAKER).position(M0)).toEqual(FLAT);
  });
});

it('whenever a session dies, the next one knows what each strategy holds, to the last contract', () => {
  const aTrade = fc.record({
    who: fc.constantFrom(...NAMES),
    market: fc.constantFrom(M0, M1),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    size: fc.integer({ min: 1, max: 4 }),
    /** The time until the next trade. Milliseconds. */
    pause: fc.constantFrom(0, 30, 3000),
    dies: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(aTrade, { minLength: 1, maxLength: 8 }), (trades) => {
      const held = new Map<string, number>();
      let [session, count] = [begin(), 0];
      for (const { who, market, side, size, pause, dies } of trades) {
        session.trade(who, order(market, side), contracts(size));
        const key = `${who} ${market}`;
        held.set(key, (held.get(key) ?? 0) + (side === 'buy' ? size : -size) * 100);
        session.harness.run(pause);
        if (dies) session = new Session(`s${(count += 1)}`, { venue: session.die(), books: session.kept() });
      }
      session = new Session('end', { venue: session.die(), books: session.kept() });
      for (const who of NAMES)
        for (const market of [M0, M1]) expect(session.own(who, market)[0]).toBe(qty(held.get(`${who} ${market}`) ?? 0));
    }),
    { numRuns: runCount(25) },
  );
});
