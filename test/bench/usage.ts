// Memory and processor time of this process: the memory that is still used after a forced collection, and the share of one
// core. Must never be read while ticks are measured: a collection takes milliseconds.
import type { Figures } from './scenario.ts';

const BYTES_PER_MEGABYTE = 1_000_000;

/**
 * Returns the memory that this process still uses after a forced collection, in megabytes: the heap and what it refers to.
 * @throws {Error} when the process was started without `--expose-gc`.
 */
export function usedMegabytes(): number {
  if (globalThis.gc === undefined) throw new Error('the process was started without --expose-gc');
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / BYTES_PER_MEGABYTE;
}

/** Measures the share of one core that this process uses. */
export class CoreShare {
  readonly #begunAt = performance.now();
  readonly #before = process.cpuUsage();

  /** Processor time since the start over the time since then, in percent of one core. */
  percent(): number {
    const { user, system } = process.cpuUsage(this.#before);
    return (user + system) / 10 / (performance.now() - this.#begunAt);
  }
}

/** Memory and processor time of the bot, from the first tick to the last. */
export class BotUsage {
  #begun: { readonly megabytes: number; readonly share: CoreShare } | null = null;

  begin(): void {
    const megabytes = usedMegabytes();
    this.#begun = { megabytes, share: new CoreShare() };
  }

  /** Figures since the start: megabytes, and percent of one core. */
  figures(): Figures {
    if (this.#begun === null) throw new Error('the measurement has not begun');
    const botCpu = this.#begun.share.percent();
    const botMemoryEnd = usedMegabytes();
    const botMemoryStart = this.#begun.megabytes;
    return { botCpu, botMemoryStart, botMemoryEnd, botMemoryGrowth: botMemoryEnd - botMemoryStart };
  }
}
