// Alerts wait here between the engine's turn and the queue. Must never grow beyond the bound: in a flood, acts are
// dropped and counted.
import type { AlertAct } from '../record/alert-record.ts';

/** Maximum number of acts that wait for the queue. */
export const RING_MAX = 1000;

/** Acts (conditions that were seen or have ended) until the queue takes them. */
export class ActRing {
  #acts: AlertAct[] = [];
  #dropped = 0;

  get isEmpty(): boolean {
    return this.#acts.length === 0;
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** Adds an act. A full buffer drops an act of severity `info`, or else the new one. */
  push(act: AlertAct): void {
    if (this.#acts.length >= RING_MAX) {
      this.#dropped += 1;
      const least = this.#acts.findIndex((each) => each.type === 'firing' && each.draft.severity === 'info');
      if (least < 0) return;
      this.#acts.splice(least, 1);
    }
    this.#acts.push(act);
  }

  takeActs(): readonly AlertAct[] {
    const acts = this.#acts;
    this.#acts = [];
    this.#dropped = 0;
    return acts;
  }
}
