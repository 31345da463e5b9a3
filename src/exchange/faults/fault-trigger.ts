// Decides when a rule applies: windows, counts, probabilities and bursts. Pure: time is an argument, and each rule has
// a random stream of its own. Must never draw for traffic that does not match: other rules' traffic would then change
// this rule's outcome.
import type { FaultWhen } from '../../config/fault-config.ts';
import type { RandomStream } from '../flow/random-stream.ts';

/** Decides for one rule whether it applies to each match in turn. */
export class FaultTrigger {
  readonly #when: FaultWhen;
  readonly #chance: RandomStream;
  #seen = 0;
  #applied = 0;
  #holdsUntil = -Infinity;

  constructor(when: FaultWhen, chance: RandomStream) {
    this.#when = when;
    this.#chance = chance;
  }

  /** True when the rule applies to a match, `at` microseconds since the plan began. */
  appliesAt(at: number): boolean {
    const { from = 0, until = Infinity, nth, times = Infinity, probability, for: lasting = 0 } = this.#when;
    if (at < from || at >= until) return false;
    if (at < this.#holdsUntil) return true;
    this.#seen++;
    const isDrawn = this.#chance.drawUniform() < probability;
    if (!isDrawn || this.#applied >= times || (nth !== undefined && this.#seen !== nth)) return false;
    this.#applied++;
    this.#holdsUntil = at + lasting;
    return true;
  }
}
