// The queue positions at one busy level, against a reference that keeps every decrease and print in lists.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Micros, type Qty, cents } from '../../../../src/domain/units.ts';
import { logQueue, pessimistic, powerQueue } from '../../../../src/venues/simulated/models/queue-models.ts';
import type { FillSimulatorOptions } from '../../../../src/venues/simulated/simulator-interfaces.ts';
import { FillBench } from './fill-bench.ts';
import { ReferenceLevel } from './reference-level.ts';

const WINDOW = 1_000_000;
const PRICE = cents(50);
/** Contracts of each order: no script fills one. */
const LARGE = 1_000_000;

interface Act {
  /** Microseconds since the last act. */
  readonly pause: number;
  readonly type: 'increase' | 'decrease' | 'print' | 'trade' | 'late trade' | 'join' | 'leave';
  readonly qty: number;
}

const pauses = fc.oneof(
  fc.constantFrom(0, 1, 400_000, WINDOW - 1, WINDOW, WINDOW + 1),
  fc.integer({ min: 0, max: WINDOW / 2 }),
);
const acts = fc.array(
  fc.record<Act>({
    pause: pauses,
    type: fc.constantFrom(
      ...(['increase', 'increase', 'decrease', 'decrease', 'print', 'trade', 'late trade', 'join', 'leave'] as const),
    ),
    qty: fc.integer({ min: 1, max: 900 }),
  }),
  { minLength: 1, maxLength: 120, size: 'max' },
);

/** One level in the simulator and in the reference. */
class Pair {
  readonly bench: FillBench;
  readonly reference: ReferenceLevel;
  readonly #resting: string[] = [];
  #joined = 0;

  constructor(options: Pick<FillSimulatorOptions, 'queue'> & Partial<FillSimulatorOptions>) {
    this.bench = new FillBench({ explainWindow: WINDOW, ...options });
    this.bench.snapshot([[50, 0]], []);
    this.reference = new ReferenceLevel(options.queue, WINDOW);
  }

  act({ pause, type, qty }: Act): void {
    this.reference.now += pause;
    this.bench.now = this.reference.now as Micros;
    const cut = Math.min(qty, this.reference.recorded);
    if (type === 'increase') this.#change(qty);
    else if (type === 'decrease') this.#change(-cut);
    else if (type === 'print') this.#print(qty);
    else if (type === 'trade') {
      this.#change(-cut);
      this.#print(cut);
    } else if (type === 'late trade') {
      this.#print(cut);
      this.#change(-cut);
    } else if (type === 'join') this.#join();
    else this.#leave(qty);
  }

  #change(qty: number): void {
    if (qty === 0) return;
    this.bench.matching.applyDelta({ market: this.bench.market, side: 'bid', price: PRICE, change: qty as Qty });
    this.reference.change(qty);
  }

  #print(qty: number): void {
    if (qty === 0) return;
    this.bench.matching.applyPrint({ market: this.bench.market, side: 'sell', price: PRICE, qty: qty as Qty });
    this.reference.print(qty);
  }

  #join(): void {
    this.#joined += 1;
    this.bench.place({ side: 'buy', cents: 50, contracts: LARGE });
    this.reference.join(`o${this.#joined}`);
    this.#resting.push(`o${this.#joined}`);
  }

  #leave(draw: number): void {
    const [id] = this.#resting.splice(draw % Math.max(1, this.#resting.length), 1);
    if (id === undefined) return;
    this.bench.matching.cancelOrder(id);
    this.reference.leave(id);
  }

  expectSame(): void {
    for (const id of this.#resting) expect(this.bench.matching.qtyAheadOf(id)).toBe(this.reference.ahead.get(id));
  }
}

describe('the queue positions at a level', () => {
  it('the positions are those of a list of all decreases and prints, whatever the queue model', () => {
    const queues = fc.constantFrom(pessimistic, powerQueue(1), powerQueue(3), logQueue);
    fc.assert(
      fc.property(acts, queues, fc.boolean(), (script, queue, isExplained) => {
        const pair = new Pair({ queue, ...(isExplained && { onExplanation: () => undefined }) });
        pair.act({ pause: 0, type: 'increase', qty: 900 });
        pair.act({ pause: 0, type: 'join', qty: 1 });
        for (const act of script) {
          pair.act(act);
          pair.expectSame();
        }
      }),
      { numRuns: 500 },
    );
  });
});
