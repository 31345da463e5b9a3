// Long work on tapes that a signal stops. Must never leave a part of a file behind.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Micros } from '../../domain/units.ts';
import type { RowSource } from '../../tape/baked/tape-rows.ts';
import { firstStopSignal } from '../../app/process-events.ts';
import { progressBar } from '../output/progress-bar.ts';

/** Thrown into work that a signal stops. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** Aborts at the first SIGINT, SIGTERM or SIGHUP. */
export function stoppedBySignal(): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const { signal: ending, release } = firstStopSignal();
  void ending.then((name) => controller.abort(new Stopped(`stopped by ${name}: nothing was written`)));
  return { signal: controller.signal, release };
}

/**
 * Does work on tapes step by step, and shows how far it is by the tapes' own times.
 * @throws {Stopped} after a signal, once the work has removed its files.
 */
export async function doInSteps<T>(
  what: string,
  sources: readonly RowSource[],
  work: Generator<Micros, T>,
): Promise<T> {
  const from = Math.min(...sources.map(({ facts }) => facts.from));
  const to = Math.max(...sources.map(({ facts }) => facts.to));
  const stop = stoppedBySignal();
  const bar = progressBar(what);
  try {
    let step = work.next();
    while (step.done !== true) {
      bar.update(Math.max(0, step.value - from), to - from);
      await nextTurn();
      step = stop.signal.aborted ? work.throw(stop.signal.reason) : work.next();
    }
    return step.value;
  } finally {
    bar.close();
    stop.release();
  }
}
