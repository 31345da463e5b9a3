// Starts the compiler's process at its first use and stops it after the last one. Must never leave the process running,
// because a session that has compiled its strategies then runs for weeks.
import { stop } from 'esbuild';

/** Number of uses in progress. */
let uses = 0;

/** Uses the compiler, and stops its process when nothing else uses it. */
export async function withCompiler<T>(use: () => Promise<T>): Promise<T> {
  uses += 1;
  try {
    return await use();
  } finally {
    uses -= 1;
    if (uses === 0) await stop();
  }
}
