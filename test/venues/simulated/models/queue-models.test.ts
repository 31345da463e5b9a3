// The queue models by themselves.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { simulationSchema } from '../../../../src/config/simulation-config.ts';
import { logQueue, pessimistic, powerQueue, queueModel } from '../../../../src/venues/simulated/models/queue-models.ts';

const level = fc.integer({ min: 1, max: 1_000_000 }).chain((qty) =>
  fc.record({
    qty: fc.constant(qty),
    ahead: fc.integer({ min: 0, max: qty }),
    other: fc.integer({ min: 0, max: qty }),
    cut: fc.integer({ min: 1, max: qty }),
  }),
);
const models = [pessimistic, powerQueue(0.5), powerQueue(1), powerQueue(2.5), powerQueue(3), powerQueue(10), logQueue];

describe('every queue model', () => {
  it.each(models)(
    '$name moves an order up by whole hundredths, by no more than was canceled, and never back',
    (model) => {
      fc.assert(
        fc.property(level, ({ qty, ahead, cut }) => {
          const after = model.aheadAfterCancel(ahead, qty, cut);
          expect(Number.isInteger(after)).toBe(true);
          expect(after).toBeLessThanOrEqual(ahead);
          expect(after).toBeGreaterThanOrEqual(Math.max(0, ahead - cut));
        }),
      );
    },
  );

  it.each(models)('$name lets no later order pass, within what the level still holds', (model) => {
    fc.assert(
      fc.property(level, ({ qty, ahead, other, cut }) => {
        const after = (each: number): number => Math.min(qty - cut, model.aheadAfterCancel(each, qty, cut));
        expect(after(Math.min(ahead, other))).toBeLessThanOrEqual(after(Math.max(ahead, other)));
      }),
    );
  });

  it.each(models.filter(({ onlyPrints }) => !onlyPrints))(
    '$name takes everything from ahead of the last order in the queue',
    (model) => {
      fc.assert(
        fc.property(level, ({ qty, cut }) => {
          expect(model.aheadAfterCancel(qty, qty, cut)).toBe(qty - cut);
          expect(model.aheadAfterCancel(0, qty, cut)).toBe(0);
        }),
      );
    },
  );
});

describe('the formulas of the models', () => {
  it("the power model's share ahead of us is (ahead / level) to the power", () => {
    // 1000 − 800 · (1000 / 2000)³ = 900
    expect(powerQueue(3).aheadAfterCancel(1000, 2000, 800)).toBe(900);
    expect(powerQueue(1).aheadAfterCancel(1000, 2000, 800)).toBe(600);
  });

  it("the log model's share behind us is ln(1 + behind) / ln(1 + level), in contracts", () => {
    // 7 contracts behind of 63: 1 − ln 8 / ln 64 = 1/2.
    expect(logQueue.aheadAfterCancel(5600, 6300, 1000)).toBe(5100);
  });
});

describe('the queue model of a config', () => {
  it('the queue model is the pessimistic one by default', () => {
    expect(queueModel(simulationSchema.parse({}).queue)).toBe(pessimistic);
    expect(queueModel(simulationSchema.parse({ queue: { model: 'log' } }).queue)).toBe(logQueue);
    expect(queueModel(simulationSchema.parse({ queue: { model: 'power', power: 2 } }).queue).name).toBe('power 2');
  });
});
