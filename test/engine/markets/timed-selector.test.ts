// A selector by the time left, beside a feed that loses nothing, as in a backtest: the engine wakes when a market may
// join or leave, and not every second.
import { describe, expect, it } from 'vitest';
import { fromSeconds } from '../../../src/domain/units.ts';
import type { BoundStrategy } from '../../../src/strategy/strategy-definition.ts';
import { BEGIN, aMarket } from '../../support/engine/builders.ts';
import { aStrategy } from '../../support/engine/engine-harness.ts';
import { SimulatorHarness } from '../../support/simulated/simulator-harness.ts';

const SECOND = 1_000_000;
const FROM_CLOSE = 60 * SECOND;
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

describe('a selector by the time left, beside a lossless feed', () => {
  it('wakes the engine when a market joins and when it leaves, within a second', () => {
    const visits = new Visits();
    const harness = new SimulatorHarness({ markets: [aMarket(0, { closeAt })], strategies: [visits.strategy] });
    harness.startTrading(5000);
    const wakeAt = harness.engine.wakeAt() ?? 0;
    expect(Math.abs(wakeAt - (closeAt - FROM_CLOSE))).toBeLessThan(SECOND);
    harness.run((closeAt - harness.now) / 1000);
    expect(visits.joined).toHaveLength(1);
    expect(closeAt - (visits.joined[0] ?? 0)).toBeGreaterThan(FROM_CLOSE - SECOND);
    expect(closeAt - (visits.joined[0] ?? 0)).toBeLessThanOrEqual(FROM_CLOSE);
    expect(visits.left).toHaveLength(1);
    expect(closeAt - (visits.left[0] ?? 0)).toBeGreaterThan(9 * SECOND);
    expect(closeAt - (visits.left[0] ?? 0)).toBeLessThan(10 * SECOND);
  });
});
