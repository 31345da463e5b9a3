// Random faults over a whole session: no order on a book that is not live, none sent twice, no more at risk than the
// limits allow, the same commands from the same events, and no drift once the faults are over.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../src/domain/event.ts';
import type { Position } from '../../../src/domain/position.ts';
import { cents, contracts, dollars } from '../../../src/domain/units.ts';
import { CAREFUL_POLICY } from '../../../src/execution/orders/order-policy.ts';
import { aMarket, index, wideLimits } from '../../support/engine/builders.ts';
import { MARKETS, type Storm, aStorm, endFaults, runStorm } from '../../support/engine/storm.ts';
import { EngineHarness, aQuote, aStrategy, follower } from '../../support/engine/engine-harness.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const LIMITS = wideLimits({ positionQtyMax: contracts(20), marketCostMax: dollars(15), accountCostMax: dollars(30) });

const harness = (canMove: boolean): EngineHarness =>
  new EngineHarness({
    strategies: [
      follower(),
      aStrategy(
        { onBook: ({ market }) => [aQuote({ market, ask: null, bid: { price: cents(38), qty: contracts(3) } })] },
        'second',
      ),
    ],
    markets: Array.from({ length: MARKETS }, (_, i) => aMarket(i)),
    engine: { limits: LIMITS, policy: { ...CAREFUL_POLICY, canShrink: true, canMove } },
  });

function survive(storm: Storm, canMove: boolean): EngineHarness {
  const survivor = harness(canMove).startTrading();
  runStorm(survivor, storm);
  return survivor;
}

/**
 * The part of a position that does not depend on the order in which its fills arrived; the split into realized profit
 * and cost does.
 */
const essence = ({ qty, fees, realized, cost }: Position): unknown => ({ qty, fees, worth: realized - cost });

describe.each([
  { moves: 'a cancel and a new order', canMove: false },
  { moves: 'an amend', canMove: true },
])('under random faults, with quotes moved by $moves,', ({ canMove }) => {
  it('no order leaves for a book that is not live, and the venue takes none twice', () => {
    let places = 0;
    fc.assert(
      fc.property(aStorm, (storm) => {
        const { sent, venue } = survive(storm, canMove);
        const dead = sent.filter(({ command, wasLive }) => command.type === 'place' && !wasLive);
        expect(dead).toEqual([]);
        for (const { command } of sent)
          if (command.type === 'place') expect(venue.countOf(command.clientOrderId)).toBeLessThanOrEqual(1);
        places += sent.filter(({ command }) => command.type === 'place').length;
      }),
      { numRuns: runCount(30) },
    );
    expect(places).toBeGreaterThan(300);
  });

  it('what the venue holds and has reserved for us stays within the limits at every moment', () => {
    fc.assert(
      fc.property(aStorm, (storm) => {
        // Orders of other parties do not count against our limits.
        const own = { ...storm, gusts: storm.gusts.filter(({ type }) => type !== 'foreign') };
        const survivor = harness(canMove).startTrading();
        const check = (): void => {
          for (let market = 0; market < MARKETS; market++) {
            const held = survivor.venue.position(index(market)).qty;
            expect(Math.abs(held)).toBeLessThanOrEqual(LIMITS.positionQtyMax);
            const resting = survivor.venue.resting(index(market)).filter(({ report }) => report.side === 'buy');
            const reach = held + resting.reduce((sum, { leaves }) => sum + leaves, 0);
            expect(reach).toBeLessThanOrEqual(LIMITS.positionQtyMax);
          }
        };
        const take = survivor.venue.acceptCommand.bind(survivor.venue);
        survivor.venue.acceptCommand = (command) => {
          take(command);
          check();
        };
        runStorm(survivor, own);
      }),
      { numRuns: runCount(30) },
    );
  });

  it('the venue and the engine agree on every cent once the faults are over, and nothing rests after the stop', () => {
    let [fills, amends] = [0, 0];
    fc.assert(
      fc.property(aStorm, (storm) => {
        const survivor = survive(storm, canMove);
        endFaults(survivor);
        const healed = survivor.notices.length;
        expect(survivor.engine.session.phase).toBe('trading');
        survivor.stop();
        expect(survivor.engine.session.phase).toBe('stopped');
        expect(survivor.venue.resting()).toEqual([]);
        expect(survivor.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
        const { portfolio, orders } = survivor.engine.state;
        expect(portfolio.cash).toBe(survivor.venue.cash);
        for (let market = 0; market < MARKETS; market++)
          expect(essence(portfolio.position(index(market)))).toEqual(essence(survivor.venue.position(index(market))));
        expect(orders.openCount).toBe(0);
        // Trades and settlements while the feed is down are rightly reported as differences.
        const alarms = survivor.notices.slice(healed).filter(({ type }) => type.endsWith('-drift'));
        expect(alarms).toEqual([]);
        fills += portfolio.fillCount;
        amends += survivor.commands('amend').length;
      }),
      { numRuns: runCount(150) },
    );
    expect(fills).toBeGreaterThan(100);
    expect(amends > 100).toBe(canMove);
  });

  it('two engines with the same events give the same commands', () => {
    fc.assert(
      fc.property(aStorm, (storm) => {
        const events: EngineEvent[] = [];
        const commands: string[] = [];
        const first = harness(canMove);
        const step = first.engine.step.bind(first.engine);
        first.engine.step = (event) => {
          events.push({ ...event });
          const out = step(event);
          commands.push(JSON.stringify(out));
          return out;
        };
        first.startTrading();
        runStorm(first, storm);
        const second = harness(canMove).engine;
        const replayed = events.map((event) => JSON.stringify(second.step(event)));
        expect(replayed).toEqual(commands);
      }),
      { numRuns: runCount(12) },
    );
  });
});
