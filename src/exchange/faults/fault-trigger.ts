// Decides when a rule applies: windows, counts, probabilities and bursts. Each rule has random numbers of its own. Must
// never draw for a request or message that does not fit the rule: unrelated traffic would change the outcome.
import type { FaultWhen } from '../../config/fault-config.ts';
import type { RandomStream } from '../flow/random-stream.ts';

/** Decides if one fault rule applies to each fitting request or message, in turn. */
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

  /**
   * True when the rule applies to a fitting request or message.
   * @param at Microseconds since the fault plan began.
   */
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
