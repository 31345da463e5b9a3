// What one strategy keeps over a restart: given back to it at the start, asked of it while it runs, told when it changed.
// Must never let anything be kept that could not be given back.
import type { ZodType } from 'zod';
import type { StrategyView } from '../state/view.ts';
import { describeThrown } from './fault-place.ts';
import { describeMisfit } from './fault-text.ts';
import type { BoundKeeping } from './strategy.ts';

/** Characters of JSON that one strategy may keep. */
const SAVED_LENGTH_MAX = 1_000_000;

/** What keeping came to: what is new, nothing new, or why it cannot be kept. */
export type Kept =
  | { readonly type: 'changed'; readonly json: string }
  | { readonly type: 'same' }
  | { readonly type: 'fault'; readonly reason: string };

const SAME: Kept = { type: 'same' };

/** One strategy's state, as it was told last. */
export class Keeper {
  readonly #keeping: BoundKeeping;
  #json: string | null = null;
  /** What was kept could not be given back: what the strategy is now must not take its place. */
  #isLost = false;
  /** Whether the strategy was asked anything since it was last looked at. */
  isAsked = false;

  constructor(keeping: BoundKeeping) {
    this.#keeping = keeping;
  }

  /** Gives back what was kept. Why it could not be given back, or `null`. */
  restore(saved: unknown, view: StrategyView): string | null {
    this.isAsked = true;
    try {
      this.#keeping.restore(saved, view);
      return null;
    } catch (fault) {
      this.#isLost = true;
      return `what it kept cannot be given back: ${describeThrown(fault)}`;
    }
  }

  /** Asks what is to be kept. */
  look(): Kept {
    this.isAsked = false;
    if (this.#isLost) return SAME;
    try {
      // What is not JSON at all, such as a function, has no text.
      const json: string | undefined = JSON.stringify(this.#keeping.save());
      if (json === this.#json) return SAME;
      const reason = json === undefined ? 'expected JSON, found none' : whyNotKept(json, this.#keeping.schema);
      if (reason !== null) return { type: 'fault', reason: `its state cannot be kept: ${reason}` };
      this.#json = json;
      return { type: 'changed', json };
    } catch (fault) {
      return { type: 'fault', reason: `its state cannot be kept: ${describeThrown(fault)}` };
    }
  }
}

/** Why a text could not be given back one day; `null` when it could. */
function whyNotKept(json: string, schema: ZodType): string | null {
  if (json.length > SAVED_LENGTH_MAX)
    return `expected at most ${SAVED_LENGTH_MAX} characters of JSON, found ${json.length}`;
  const parsed = schema.safeParse(JSON.parse(json));
  return parsed.success ? null : `it would not come back as it is: ${describeMisfit(parsed.error)}`;
}
