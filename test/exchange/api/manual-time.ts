// A manual clock, and timers that run when it is advanced: in due order, and in the order of setting among equals. Must
// never run anything on its own.
import { type Micros, micros } from '../../../src/domain/units.ts';
import type { SetTimer } from '../../../src/exchange/session/exchange-driver.ts';
import { START } from '../exchange-harness.ts';

interface Due {
  readonly at: number;
  readonly run: () => void;
}

/** Manual time. */
export class ManualTime {
  now: Micros = START;
  #due: Due[] = [];

  readonly setTimer: SetTimer = (delayMs, run) => {
    const due: Due = { at: this.now + delayMs * 1000, run };
    this.#due.push(due);
    return () => {
      this.#due = this.#due.filter((each) => each !== due);
    };
  };

  advance(delayMs: number): void {
    const until = this.now + delayMs * 1000;
    for (;;) {
      const next = this.#due.reduce<Due | null>(
        (first, each) => (first === null || each.at < first.at ? each : first),
        null,
      );
      if (next === null || next.at > until) break;
      this.#due = this.#due.filter((each) => each !== next);
      this.now = micros(Math.max(this.now, next.at));
      next.run();
    }
    this.now = micros(until);
  }
}
