// When a rule strikes: windows, counts, chances and bursts. Pure: the time is told to it, its chance is its own stream.
// Must never draw for what does not fit: another rule's traffic would change this one's fate.
import type { FaultWhen } from '../../../config/fault-config.ts';
import type { Chance } from '../../flow/chance.ts';

/** Decides for one rule, one thing that fits after another. */
export class Trigger {
  readonly #when: FaultWhen;
  readonly #chance: Chance;
  #seen = 0;
  #struck = 0;
  #holdsUntil = -Infinity;

  constructor(when: FaultWhen, chance: Chance) {
    this.#when = when;
    this.#chance = chance;
  }

  /** Whether what fits is struck, `at` microseconds since the plan began. */
  strikes(at: number): boolean {
    const { from = 0, until = Infinity, nth, times = Infinity, probability, for: lasting = 0 } = this.#when;
    if (at < from || at >= until) return false;
    if (at < this.#holdsUntil) return true;
    this.#seen++;
    const isDrawn = this.#chance.uniform() < probability;
    if (!isDrawn || this.#struck >= times || (nth !== undefined && this.#seen !== nth)) return false;
    this.#struck++;
    this.#holdsUntil = at + lasting;
    return true;
  }
}
