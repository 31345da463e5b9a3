// The compiler's process: it begins by itself with the first use, and ends here with the last one.
// Must never be left running: a session that compiled its strategies goes on for weeks.
import { stop } from 'esbuild';

/** Uses that are not over. */
let uses = 0;

/** Uses the compiler, and ends its process when nothing else uses it. */
export async function withCompiler<T>(use: () => Promise<T>): Promise<T> {
  uses += 1;
  try {
    return await use();
  } finally {
    uses -= 1;
    if (uses === 0) await stop();
  }
}
