// Queue positions as strategies receive them in the whole engine.
import { describe, expect, it } from 'vitest';
import type { ReadCommand } from '../../../src/domain/venue-command.ts';
import { cents, contracts, qty } from '../../../src/domain/units.ts';
import type { EngineOptions } from '../../../src/engine.ts';
import type { Handlers, QueueMoved } from '../../../src/strategy/strategy-definition.ts';
import { M0 } from '../../support/engine/builders.ts';
import { buy } from '../../support/engine/intents.ts';
import { EngineHarness, aStrategy } from '../../support/engine/engine-harness.ts';

const AT = cents(45);

/** A strategy with one bid at the touch, behind ten contracts, and its queue notices. */
function queued({ handlers = {}, engine = {} }: { handlers?: Handlers; engine?: Partial<EngineOptions> } = {}) {
  const moved: QueueMoved[] = [];
  let isPlaced = false;
  const harness = new EngineHarness({
    strategies: [
      aStrategy({
        onBook: () => (isPlaced ? undefined : [buy({ price: AT })]),
        onIntentOutcome: ({ kind }) => void (isPlaced ||= kind === 'approved'),
        onQueue: (event) => void moved.push(event),
        ...handlers,
      }),
    ],
    engine,
  }).startTrading();
  const trade = (size: number): void => {
    harness.venue.emitEvent({
      kind: 'print',
      exchangeAt: harness.now,
      market: M0,
      tradeId: 'p' as never,
      side: 'sell',
      price: AT,
      qty: contracts(size),
    });
    harness.venue.changeLevel(M0, 'bid', { price: AT, change: -size * 100 });
    harness.run(5);
  };
  const reports = (): (readonly [number, string])[] => moved.map(({ aheadQty, source }) => [aheadQty, source]);
  const queueReads = (): ReadCommand[] =>
    harness.commands('read').filter(({ target }) => target.what === 'queue-positions');
  return { harness, moved, reports, queueReads, trade };
}

describe('a queue position', () => {
  it('a queue position is reported when the order comes to rest, and with each print that moves it', () => {
    const { reports, moved, trade } = queued();
    expect(reports()).toEqual([[1000, 'reckoned']]);
    expect(moved[0]!.order).toMatchObject({ state: 'working', price: AT });
    trade(3);
    trade(2);
    expect(reports().slice(1)).toEqual([
      [700, 'reckoned'],
      [500, 'reckoned'],
    ]);
  });

  it('queue positions are checked every second, because orders ahead may be canceled', () => {
    const { harness, reports } = queued();
    harness.venue.changeLevel(M0, 'bid', { price: AT, change: -600 });
    harness.run(500);
    expect(reports()).toEqual([[1000, 'reckoned']]);
    harness.run(1000);
    expect(reports()).toEqual([
      [1000, 'reckoned'],
      [400, 'reckoned'],
    ]);
  });

  it('a queue position can be read without the callback, and wakes the engine no more often', () => {
    const seen: (number | null)[] = [];
    const quiet: Handlers = {
      onPrint: (_, view) => void seen.push(...view.orders(M0).map((order) => view.queueAhead(order))),
    };
    const { trade } = queued({ handlers: { ...quiet, onQueue: undefined as never } });
    trade(3);
    trade(4);
    expect(seen).toEqual([700, 300]);
  });

  it('queue positions are read from the venue only if it provides them and a strategy listens', () => {
    const deaf = { onQueue: undefined as never };
    for (const { harness, queueReads } of [
      queued(),
      queued({ handlers: deaf, engine: { canReadQueue: true } }),
      queued({ handlers: { onBook: () => undefined }, engine: { canReadQueue: true } }),
    ]) {
      harness.run(20_000);
      expect(queueReads()).toEqual([]);
    }
    const { harness, queueReads } = queued({ engine: { canReadQueue: true } });
    harness.run(20_000);
    expect(queueReads().length).toBeGreaterThanOrEqual(3);
    expect(queueReads().length).toBeLessThanOrEqual(5);
    expect(queueReads()[0]).toMatchObject({ lane: 'care', target: { tickers: ['M-0'] } });
  });

  it('the venue’s own queue position is used where it provides one, and later prints count from there', () => {
    const { harness, reports, trade } = queued({ engine: { canReadQueue: true } });
    harness.venue.script = {
      answers: (_, truth) =>
        truth.kind === 'queue-positions'
          ? { ...truth, rows: truth.rows.map((row) => ({ ...row, aheadQty: qty(600) })) }
          : truth,
    };
    harness.run(1500);
    expect(reports()).toEqual([
      [1000, 'reckoned'],
      [600, 'venue'],
    ]);
    trade(2);
    expect(reports().at(-1)).toEqual([400, 'reckoned']);
  });

  it('queue positions are not read again from a venue that refused', () => {
    const { harness, queueReads, reports } = queued({ engine: { canReadQueue: true } });
    harness.venue.script = { read: ({ target }) => (target.what === 'queue-positions' ? 'refuse' : 'do') };
    harness.run(30_000);
    expect(queueReads()).toHaveLength(1);
    expect(reports()).toEqual([[1000, 'reckoned']]);
  });

  it('a queue position is forgotten with its order', () => {
    const { harness, reports } = queued();
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 1000);
    harness.run(3000);
    expect(harness.engine.state.queueEstimates.size).toBe(0);
    expect(reports()).toHaveLength(1);
    harness.stop();
    expect(harness.engine.session.phase).toBe('stopped');
  });
});
