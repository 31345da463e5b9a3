// Several strategies in one account, each with its own capital: each can lose only its own, the others go on, and
// realized losses remain over restarts.
import { describe, expect, it } from 'vitest';
import { type StrategyName, strategyName } from '../../../src/domain/ids.ts';
import { type SavedLedgers, NOTHING_RESTORED } from '../../../src/domain/operator-order.ts';
import { type Money, cents, contracts, dollars } from '../../../src/domain/units.ts';
import type { Capital } from '../../../src/state/view-sources.ts';
import type { BoundStrategy } from '../../../src/strategy/strategy-definition.ts';
import { M0, MAKER } from '../../support/engine/builders.ts';
import type { ScriptedVenue } from '../../support/engine/scripted-venue.ts';
import { EngineHarness } from '../../support/engine/engine-harness.ts';

const OTHER = strategyName('other');

interface Scene {
  readonly capital: ReadonlyMap<StrategyName, Money>;
  readonly seen: Map<StrategyName, Capital>;
  readonly venue?: ScriptedVenue;
  readonly books?: SavedLedgers;
}

/** Buys ten at 40 cents whenever the book moves, and records its capital. */
function buyer(name: StrategyName, seen: Scene['seen']): BoundStrategy {
  const buy = { type: 'place', market: M0, side: 'buy', price: cents(40), qty: contracts(10), postOnly: true } as const;
  const handlers: BoundStrategy['handlers'] = {
    onBook: (_, view) => void seen.set(name, view.capital),
    onPrint: (_, view) => (seen.set(name, view.capital), [buy]),
  };
  return { name, selector: {}, handlers };
}

function opened({ capital, seen, venue, books }: Scene): EngineHarness {
  const strategies = [MAKER, OTHER].map((name) => buyer(name, seen));
  const harness = new EngineHarness({ strategies, engine: { capital }, ...(venue && { venue }) });
  const carried = { ...NOTHING_RESTORED, ...(books && { books }) };
  harness.step({ kind: 'start', at: harness.now, session: venue ? 't' : 's', carried });
  harness.venue.feedUp();
  return harness.run(8000);
}

function ask(harness: EngineHarness): void {
  const print = { kind: 'print', exchangeAt: null, market: M0, tradeId: 'p' as never, side: 'buy' } as const;
  harness.venue.emitEvent({ ...print, price: cents(50), qty: contracts(1) });
  harness.run(100);
}

describe('a strategy with a capital', () => {
  it('a strategy is denied orders that could lose more than its capital, while the other strategy goes on', () => {
    const seen: Scene['seen'] = new Map();
    const harness = opened({ capital: new Map([[MAKER, dollars(10)]]), seen });
    for (let i = 0; i < 4; i++) ask(harness);
    const denied = harness.noticesOf('denied');
    expect(denied.map(({ strategy, denial }) => [strategy, denial.code])).toEqual([
      [MAKER, 'strategy-capital'],
      [MAKER, 'strategy-capital'],
    ]);
    expect(harness.places().filter(({ strategy }) => strategy === OTHER)).toHaveLength(4);
    const { allotted, used, free } = seen.get(MAKER)!;
    expect([allotted, free]).toEqual([dollars(10), dollars(10) - used]);
    expect(used).toBeGreaterThanOrEqual(dollars(8));
    expect(denied[0]?.denial).toMatchObject({ left: dollars(10), allotted: dollars(10) });
    expect(seen.get(OTHER)).toMatchObject({ allotted: null, free: null });
    expect(seen.get(OTHER)!.used).toBeGreaterThanOrEqual(dollars(12));
  });

  it("a strategy's realized losses count against its capital after a restart, too", () => {
    const seen: Scene['seen'] = new Map();
    const capital = new Map([[MAKER, dollars(10)]]);
    const harness = opened({ capital, seen });
    ask(harness);
    const own = harness.venue.resting().find(({ report }) => report.clientOrderId?.startsWith('s-0-'));
    harness.venue.tradeOrder(own!, contracts(10));
    harness.run(2000);
    harness.venue.settleMarket(M0, cents(0));
    harness.run(2000).stop();
    const { books } = harness.noticesOf('books').at(-1)!;
    while (harness.venue.takeNext() !== undefined);
    const next = opened({ capital, seen, venue: harness.venue, books });
    const lost = next.engine.state.strategyLedgers.ledgerOf(MAKER).earned;
    expect(lost).toBeLessThanOrEqual(dollars(-4));
    expect(next.engine.risk.capitalOf(MAKER)).toEqual({ allotted: dollars(10), used: 0, free: dollars(10) + lost });
  });
});
