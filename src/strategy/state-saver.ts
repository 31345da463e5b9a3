// The saved state of one strategy: restored at the start, and reported after each change. Must never save a state that
// could not be restored.
import type { StrategyView } from '../state/strategy-view.ts';
import { describeThrown } from './fault-place.ts';
import { describeMisfit } from './fault-text.ts';
import { firstDifference } from './state-difference.ts';
import type { BoundPersistence } from './strategy-definition.ts';

/** Longest saved state of one strategy, in characters of JSON. */
const SAVED_LENGTH_MAX = 1_000_000;

/** The result of saving: a new state, no change, or a fault. */
export type SaveResult =
  | { readonly type: 'changed'; readonly json: string }
  | { readonly type: 'same' }
  | { readonly type: 'fault'; readonly reason: string };

const SAME: SaveResult = { type: 'same' };

/** The state of one strategy as it was last saved. */
export class StateSaver {
  readonly #keeping: BoundPersistence;
  #json: string | null = null;
  /** True: the saved state could not be restored, and the present state must not replace it. */
  #isUnrestorable = false;
  /** True: the strategy was called after its state was last read. */
  wasCalled = false;

  constructor(keeping: BoundPersistence) {
    this.#keeping = keeping;
  }

  /** Restores the saved state. Returns `null`, or the reason of a failure. */
  restore(saved: unknown, view: StrategyView): string | null {
    this.wasCalled = true;
    try {
      this.#keeping.restore(saved, view);
      return null;
    } catch (fault) {
      this.#isUnrestorable = true;
      return `its saved state cannot be restored: ${describeThrown(fault)}`;
    }
  }

  readState(): SaveResult {
    this.wasCalled = false;
    if (this.#isUnrestorable) return SAME;
    try {
      // `JSON.stringify` returns `undefined` for a value that JSON does not have, such as a function.
      const state = this.#keeping.save();
      const json: string | undefined = JSON.stringify(state);
      if (json === this.#json) return SAME;
      const reason = json === undefined ? 'expected JSON, found none' : this.#faultOf(state, json);
      if (reason !== null) return { type: 'fault', reason: `its state cannot be saved: ${reason}` };
      this.#json = json;
      return { type: 'changed', json };
    } catch (fault) {
      return { type: 'fault', reason: `its state cannot be saved: ${describeThrown(fault)}` };
    }
  }

  #faultOf(state: unknown, json: string): string | null {
    if (json.length > SAVED_LENGTH_MAX)
      return `expected at most ${SAVED_LENGTH_MAX} characters of JSON, found ${json.length}`;
    const parsed = this.#keeping.schema.safeParse(JSON.parse(json));
    const misfit = parsed.success ? firstDifference(state, parsed.data) : describeMisfit(parsed.error);
    return misfit === null ? null : `it would not be restored unchanged: ${misfit}`;
  }
}
