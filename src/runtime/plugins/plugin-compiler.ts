// Starts the compiler's process at its first use, and stops it after the last use. Must never leave the process
// running: a session compiles its strategies once, and then runs for weeks.
import { stop } from 'esbuild';

let uses = 0;

/** Uses the compiler. Stops its process when nothing else uses it. */
export async function withCompiler<T>(use: () => Promise<T>): Promise<T> {
  uses += 1;
  try {
    return await use();
  } finally {
    uses -= 1;
    if (uses === 0) await stop();
  }
}
