// A selector by the time left, beside a feed that loses nothing, as in a backtest: the engine wakes when a market may
// join or leave, and not every second.
import { describe, expect, it } from 'vitest';
import { must } from '../../../src/base/assert.ts';
import { fromSeconds } from '../../../src/domain/units.ts';
import type { BoundStrategy } from '../../../src/strategy/strategy-definition.ts';
import { BEGIN, aMarket } from '../../support/engine/builders.ts';
import { aStrategy } from '../../support/engine/engine-harness.ts';
import { SimulatorHarness } from '../../support/simulated/simulator-harness.ts';

const SECOND = 1_000_000;
const FROM_CLOSE = 60 * SECOND;
const FROM_LEAVE = 10 * SECOND;
const closeAt = fromSeconds(BEGIN / SECOND + 1800);

/** Records the times at which the market joins and leaves. */
class Visits {
  readonly joined: number[] = [];
  readonly left: number[] = [];
  readonly strategy: BoundStrategy = {
    ...aStrategy({
      onMarket: ({ before }, { now }) => void (before === null && this.joined.push(now)),
      onLeave: (_event, { now }) => void this.left.push(now),
    }),
    selector: { timeLeftMsMax: 60_000, timeLeftMsMin: 10_000 },
  };
}

/** Microseconds by which a join or a leave may be late: the engine wakes once, when it has surely happened. */
const LATE_MAX = 4;

describe('a selector by the time left, beside a lossless feed', () => {
  it('wakes the engine once when a market joins and once when it leaves, at the time of either', () => {
    const visits = new Visits();
    const harness = new SimulatorHarness({ markets: [aMarket(0, { closeAt })], strategies: [visits.strategy] });
    harness.startTrading(5000);
    const wakeAt = harness.engine.wakeAt() ?? 0;
    expect(wakeAt).toBeGreaterThanOrEqual(closeAt - FROM_CLOSE);
    harness.run((closeAt - harness.now) / 1000);
    const joined = visits.joined.map((at) => at - (closeAt - FROM_CLOSE));
    const left = visits.left.map((at) => at - (closeAt - FROM_LEAVE));
    expect([joined.length, left.length]).toEqual([1, 1]);
    for (const late of [...joined, ...left]) {
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThanOrEqual(LATE_MAX);
    }
  });

  it('does not wake the engine for a strategy that is halted, until it is resumed', () => {
    const visits = new Visits();
    const harness = new SimulatorHarness({ markets: [aMarket(0, { closeAt })], strategies: [visits.strategy] });
    harness.startTrading(5000);
    const { strategyRunner } = harness.engine;
    const [running] = strategyRunner.allStrategies();
    strategyRunner.haltStrategy(must(running, 'strategy'), 'a test');
    expect(strategyRunner.upkeepDueAt()).toBe(Infinity);
    strategyRunner.resumeStrategy(visits.strategy.name);
    expect(strategyRunner.upkeepDueAt()).toBeLessThan(closeAt);
  });
});
