// Denials of a run: counts of all of them, and an even sample of single ones for tables of the run.
import type { Denial } from '../../domain/denial.ts';
import type { Intent } from '../../domain/intent.ts';
import { EvenSample } from './even-sample.ts';
import type { DenialNote } from './run-record.ts';

/** One denied intent. */
export interface DeniedIntent {
  /** Time of the bot. */
  readonly at: number;
  readonly strategy: string;
  /** Ticker of the market; `null` for an intent without a market. */
  readonly ticker: string | null;
  readonly intent: Intent['type'];
  readonly denial: Denial;
}

/** Denials of one run. */
export class DeniedIntents {
  readonly #counts = new Map<string, { strategy: string; code: DenialNote['code']; count: number }>();
  readonly #sample: EvenSample<DeniedIntent>;

  constructor(keptMax: number) {
    this.#sample = new EvenSample(keptMax);
  }

  push(denied: DeniedIntent): void {
    const { strategy, denial } = denied;
    const key = `${denial.code} ${strategy}`;
    const known = this.#counts.get(key);
    if (known) known.count += 1;
    else this.#counts.set(key, { strategy, code: denial.code, count: 1 });
    this.#sample.push(denied);
  }

  notes(): DenialNote[] {
    return [...this.#counts.values()];
  }

  /** An even sample of the denials; all of them while there are few. */
  get items(): readonly DeniedIntent[] {
    return this.#sample.items;
  }
}
