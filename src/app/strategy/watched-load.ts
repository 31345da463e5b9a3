// Watches strategies while they are loaded: an endless loop at the top level, in `params` or in `setup` ends the process. Must
// never watch a session that trades: there the watchdog cancels what a dead process leaves.
import { STUCK_MS, type StuckCodeOptions, watchStuckCode } from '../stuck-code.ts';

/** Exit code of every command that cannot load a strategy. */
const NOT_LOADED = 2;

/** @param options @default a minute, and a message on standard error */
export async function watchedLoad<Loaded>(
  load: () => Promise<Loaded>,
  options: StuckCodeOptions = { afterMs: STUCK_MS, onStuck: printStuck },
): Promise<Loaded> {
  const watch = watchStuckCode(options);
  try {
    return await load();
  } finally {
    watch.release();
  }
}

function printStuck(place: string): number {
  process.stderr.write(
    `presage: a strategy did not return within ${STUCK_MS / 1000} s${place} while it was loaded: the command has ended\n`,
  );
  return NOT_LOADED;
}
