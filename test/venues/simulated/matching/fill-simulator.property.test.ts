// The fill simulator against a brute-force reference, and its invariants.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Side } from '../../../../src/domain/orders/order.ts';
import {
  AHEAD_UNKNOWN,
  type Execution,
  type FillSimulatorOptions,
} from '../../../../src/venues/simulated/simulator-interfaces.ts';
import { logQueue, pessimistic, powerQueue } from '../../../../src/venues/simulated/models/queue-models.ts';
import { ReferenceFills } from './reference-fills.ts';
import { type Act, ALL_ROW_ORDERS, MANY, Run, bids, interrupted, script, others } from './market-script.ts';
import { MARKET } from './script-tape.ts';
import { expectAtLeast, expectAtMost, expectBe, expectEqual } from '../../../support/runner/quick-expectations.ts';

const RUNS = 300;
type SelfTrade = FillSimulatorOptions['selfTrade'];
const seenCount = (ahead: number | null): number | null => (ahead === Number.POSITIVE_INFINITY ? AHEAD_UNKNOWN : ahead);

/** Expects a run and its reference to agree on fills and queue positions. */
function expectSame(run: Run, reference: ReferenceFills): void {
  expectEqual(Object.fromEntries(run.filled()), Object.fromEntries(reference.filled));
  for (const { id } of run.placed) expectBe(run.matching.qtyAheadOf(id), seenCount(reference.ahead(id)));
}

describe('the fill simulator under the pessimistic queue', () => {
  it('fills and queues like a list of all orders where cancellations come from behind us, with its book shared or not', () => {
    let sharedCount = 0;
    fc.assert(
      fc.property(script(), fc.constantFrom<SelfTrade[]>('cancel-incoming', 'cancel-resting'), (acts, selfTrade) => {
        const reference = new ReferenceFills('from the back', selfTrade);
        const run = new Run(reference, { selfTrade });
        for (const act of acts) {
          run.act(act);
          expectSame(run, reference);
        }
        sharedCount += run.sharedCount;
      }),
      { numRuns: RUNS },
    );
    expect(sharedCount).toBeGreaterThan(RUNS / 4);
  });

  it('matches a print with the right decrease when an order arrives between them', () => {
    fc.assert(
      fc.property(fc.array(others(), MANY), interrupted, script(), (before, trade, after) => {
        const reference = new ReferenceFills();
        const run = new Run(reference);
        for (const act of before) run.act(act);
        fc.pre(run.matching.isBookKnown(MARKET) && run.interrupt(trade));
        expectSame(run, reference);
        for (const act of after) {
          run.act(act);
          expectSame(run, reference);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('never fills sooner or more than the reference, in whatever order and however quickly a feed records events', () => {
    fc.assert(
      fc.property(bids, fc.array(others(ALL_ROW_ORDERS), MANY), (placed, acts) => {
        const reference = new ReferenceFills();
        const run = new Run(reference, { pause: 1 });
        for (const act of intoTrading(placed, acts)) {
          run.act(act);
          const filled = run.filled();
          for (const { id } of run.placed) expectAtMost(filled.get(id) ?? 0, reference.filled.get(id) ?? 0);
        }
      }),
      { numRuns: RUNS },
    );
  });
});

describe('the fill simulator', () => {
  it('behaves the same whether its book is shared or not, whatever the queue model and the time between events', () => {
    const drawn = [
      script(ALL_ROW_ORDERS),
      fc.constantFrom(pessimistic, logQueue, powerQueue(2)),
      fc.constantFrom<SelfTrade[]>('cancel-incoming', 'cancel-resting'),
      fc.boolean(),
      fc.nat(3),
    ] as const;
    let sharedCount = 0;
    fc.assert(
      fc.property(...drawn, (acts, queue, selfTrade, fillWhenCrossed, pause) => {
        const options = { queue, selfTrade, fillWhenCrossed, pause: pause * 400_000 };
        const [unshared, shared] = [new Run(null, options), new Run(null, options)];
        for (const act of acts) {
          shared.act(act);
          if (act.type !== 'share') unshared.act(act);
          else unshared.pass();
          expectEqual(shared.executions, unshared.executions);
          for (const { id } of unshared.placed)
            expectBe(shared.matching.qtyAheadOf(id), unshared.matching.qtyAheadOf(id));
        }
        expect([shared.placed, shared.matching.levelsOf(MARKET), shared.matching.faultCount]).toEqual([
          unshared.placed,
          unshared.matching.levelsOf(MARKET),
          unshared.matching.faultCount,
        ]);
        sharedCount += shared.sharedCount;
      }),
      { numRuns: RUNS },
    );
    expect(sharedCount).toBeGreaterThan(RUNS / 4);
  });

  it('uses no print, and no quantity of a level, twice', () => {
    fc.assert(
      fc.property(script(ALL_ROW_ORDERS), fc.constantFrom(pessimistic, logQueue), fc.nat(3), (acts, queue, pause) => {
        const run = new Run(null, { queue, pause: pause * 400_000 });
        const books = new Offers(run);
        for (const act of acts) {
          run.act(act);
          books.expectFair();
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('fills an order at its own price, never beyond its quantity, first come first', () => {
    fc.assert(
      fc.property(script(ALL_ROW_ORDERS), (acts) => {
        const run = new Run(null, { pause: 300_000 });
        for (const act of acts) {
          const before = queues(run);
          const seenCount = run.executions.length;
          run.act(act);
          expectInTurn(before, run.executions.slice(seenCount));
        }
        expectWithinTerms(run);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('any queue model', () => {
  it('fills no later than the pessimistic one, and no sooner than if every cancellation were ahead of us', () => {
    const queues = [powerQueue(1), powerQueue(2.5), powerQueue(3), logQueue];
    fc.assert(
      fc.property(bids, fc.array(others(), MANY), fc.constantFrom(...queues), fc.boolean(), (...drawn) => {
        const [placed, acts, queue, fillWhenCrossed] = drawn;
        const worst = new Run(null, { fillWhenCrossed });
        const best = new ReferenceFills('from the front');
        const run = new Run(best, { queue, fillWhenCrossed });
        for (const act of intoTrading(placed, acts)) {
          run.act(act);
          worst.act(act);
          const [worstFills, filled] = [worst.filled(), run.filled()];
          for (const { id } of run.placed) {
            expectAtLeast(filled.get(id) ?? 0, worstFills.get(id) ?? 0);
            if (fillWhenCrossed) expectAtMost(filled.get(id) ?? 0, best.filled.get(id) ?? 0);
          }
        }
      }),
      { numRuns: RUNS },
    );
  });
});

/** The tape's offers at each level so far, and the quantity that each print may still fill. */
class Offers {
  readonly #run: Run;
  readonly #offered = new Map<string, number>();
  #seenCount = 0;

  constructor(run: Run) {
    this.#run = run;
    run.onRow = (row) => {
      if (row.type === 'print') this.#expectPrint(row.qty);
      else if (row.change > 0) this.#offer(`${row.side} ${row.price}`, row.change);
    };
  }

  #offer(level: string, qty: number): void {
    this.#offered.set(level, (this.#offered.get(level) ?? 0) + qty);
  }

  /** Expects the executions since the last print to be no more than the print. */
  #expectPrint(qty: number): void {
    const byPrint = this.#run.executions
      .slice(this.#seenCount)
      .filter(({ evidence }) => evidence === 'print' || evidence === 'print-through');
    expectAtMost(total(byPrint), qty);
    this.#seenCount = this.#run.executions.length;
  }

  /** Expects everything that we took on arrival or by crossing to have been offered. */
  expectFair(): void {
    const offered = [...this.#offered.values()].reduce((sum, each) => sum + each, 0);
    const crossed = total(this.#run.executions.filter(({ evidence }) => evidence === 'crossed'));
    const taken = new Map<string, number>();
    for (const { placed, side } of this.#run.placed)
      for (const { price, qty } of placed.type === 'taken' ? placed.executions : [])
        taken.set(keyOf(side, price), (taken.get(keyOf(side, price)) ?? 0) + qty);
    for (const [level, qty] of taken) expectAtMost(qty, this.#offered.get(level) ?? 0);
    expectAtMost(
      [...taken.values()].reduce((sum, each) => sum + each, crossed),
      offered,
    );
  }
}

/** The level that an order of a side takes from. */
const keyOf = (side: Side, price: number): string => `${side === 'buy' ? 'ask' : 'bid'} ${price}`;
const total = (executions: readonly Execution[]): number => executions.reduce((sum, { qty }) => sum + qty, 0);

/** Our resting orders by price, in queue order. */
function queues(run: Run): Map<string, string[]> {
  const byPrice = new Map<string, string[]>();
  for (const [id, terms] of run.resting()) {
    const level = `${terms.side} ${terms.price}`;
    byPrice.set(level, [...(byPrice.get(level) ?? []), id]);
  }
  return byPrice;
}

/** Expects every filled order to have been first at its price, or behind orders that were filled too. */
function expectInTurn(before: ReadonlyMap<string, readonly string[]>, executions: readonly Execution[]): void {
  const filled = new Set(executions.map(({ orderId }) => orderId));
  for (const queue of before.values()) {
    const last = queue.findLastIndex((id) => filled.has(id));
    for (const id of queue.slice(0, Math.max(0, last))) expect(filled).toContain(id);
  }
}

function expectWithinTerms(run: Run): void {
  const filled = run.filled();
  for (const [id, requested] of run.requested()) expectAtMost(filled.get(id) ?? 0, requested);
  for (const { price, orderId } of run.executions) expect(run.pricesOf(orderId)).toContain(price);
  for (const { placed, side, price } of run.placed)
    for (const execution of placed.type === 'taken' ? placed.executions : [])
      expectBe(side === 'buy' ? execution.price <= price : execution.price >= price, true);
}

/** Puts orders of ours into a market that has been trading for a while. */
const intoTrading = (placed: readonly Act[], acts: readonly Act[]): Act[] => {
  const started = acts.slice(0, Math.floor(acts.length / 4));
  return [...started, ...placed, ...acts.slice(started.length)];
};
