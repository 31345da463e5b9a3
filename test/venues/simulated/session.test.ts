// A real engine against the simulated venue: it opens, trades, survives what a tape throws at it, and agrees at the end.
import { describe, expect, it } from 'vitest';
import { cents } from '../../../src/domain/units.ts';
import { M0 } from '../../support/engine/builders.ts';
import { aStrategy, quoter } from '../../support/engine/world.ts';
import { SimWorld } from '../../support/simulated/sim-world.ts';

describe('an engine against the simulated venue', () => {
  it('comes to trade, and quotes', () => {
    const world = new SimWorld({ strategies: [aStrategy(quoter())] }).open(2000);
    expect(world.engine.session.phase).toBe('trading');
    world.level(M0, 'bid', { price: cents(44), change: 100 });
    world.run(200);
    expect(world.places().map(({ side, price }) => [side, price])).toEqual([
      ['buy', cents(40)],
      ['sell', cents(60)],
    ]);
  });
});
