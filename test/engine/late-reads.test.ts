// A venue whose lists and look-ups lag behind its answers to writes: what they do not show yet is not doubted, and what
// they should show long since is.
import { describe, expect, it } from 'vitest';
import { fromMillis } from '../../src/domain/units.ts';
import { buy, once, print } from '../support/engine/intents.ts';
import { World, aStrategy } from '../support/engine/world.ts';

/** How far the venue's reads lag. */
const LAG_MS = 300;
/** When what is listed is compared for the first time, counted from the start. */
const COMPARED_MS = 3000;

/** A world whose lists and look-ups of orders tell of what was placed only after the lag. */
function lagging(): World {
  const world = new World({ strategies: [aStrategy(once([buy()]))] }).open();
  const isShown = ({ createdAt }: { readonly createdAt: number | null }, askedAt: number): boolean =>
    (createdAt ?? 0) <= askedAt - fromMillis(LAG_MS);
  world.venue.script.answers = (_, truth) => {
    if (truth.kind === 'orders') return { ...truth, rows: truth.rows.filter((row) => isShown(row, truth.askedAt)) };
    if (truth.kind !== 'order-found' || truth.order === null) return truth;
    return { ...truth, order: isShown(truth.order, truth.askedAt) ? truth.order : null };
  };
  return world;
}

const steps = (world: World): string[] => world.told('order').map(({ from, to, why }) => `${from} > ${to}: ${why}`);

/** An order that was accepted a moment before a list was asked for. */
function placedBeforeList(): World {
  const world = lagging();
  world.run(COMPARED_MS - 50 - LAG_MS / 2);
  print(world);
  return world;
}

describe('an order that was accepted a moment before a list was asked for', () => {
  it('is not doubted for being missing in it, nor withdrawn', () => {
    const world = placedBeforeList();
    world.run(10_000);
    expect(steps(world)).toEqual(['queued > in-flight: sent', 'in-flight > working: seen at the venue']);
    expect(world.commands('cancel')).toEqual([]);
    const looked = world.commands('read').filter(({ target }) => target.what === 'order');
    expect(looked).toEqual([]);
  });

  it('is asked about again, and ends when the venue truly has it no more', () => {
    const world = placedBeforeList();
    world.run(10);
    world.venue.forget(world.venue.resting()[0]!);
    world.run(1500);
    expect(steps(world).at(-1)).toBe('in-flight > working: seen at the venue');
    world.run(8000);
    expect(steps(world).slice(-2)).toEqual([
      'working > unknown: the venue knows no such order',
      'unknown > not-sent: the venue knows no such order',
    ]);
  });
});
