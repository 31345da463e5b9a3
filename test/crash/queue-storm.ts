// Kills the parts of a study on a queue at random moments, and compares its table with that of an undisturbed run.
import { setTimeout as delay } from 'node:timers/promises';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { QueueFarm, type FarmProcess } from '../support/queue/queue-farm.ts';

export interface StormOptions {
  /** Kills that happen at least; the study goes on undisturbed after them. */
  readonly kills: number;
  readonly seed: number;
  readonly trials: number;
  readonly onKill?: (count: number, victim: Victim) => void;
}

const VICTIMS = ['redis', 'empty-redis', 'coordinator', 'worker-a', 'worker-b'] as const;
export type Victim = (typeof VICTIMS)[number];

export interface StormResult {
  readonly kills: Readonly<Record<Victim, number>>;
  /** Trials whose ends differ from the undisturbed run, or that are missing, or there twice. */
  readonly differences: readonly string[];
  readonly trials: number;
}

/** Milliseconds between two kills. */
const [PAUSE_MIN, PAUSE_MAX] = [500, 4000];

const studyLines = (trials: number): string[] => [
  'strategy: quoter',
  'sampler: random',
  'space: { qtyContracts: { int: [1, 9] }, halfSpreadCents: { float: [1, 4] } }',
  'objective: { maximize: profit }',
  'lag: 6',
  `budget: { trials: ${trials} }`,
];

/** Runs a study twice: undisturbed in one process, and on a queue whose parts are killed. */
export async function runQueueStorm(options: StormOptions): Promise<StormResult> {
  const farm = await QueueFarm.start();
  const file = farm.writeStudy('storm', studyLines(options.trials));
  try {
    const alone = farm.runAlone(file, 2);
    if ((await alone.exited) !== 0) throw new Error(`the undisturbed run failed: ${alone.text}`);
    return await rageAndCompare(farm, new Storm(farm, file), options);
  } finally {
    await farm.close();
  }
}

async function rageAndCompare(farm: QueueFarm, storm: Storm, options: StormOptions): Promise<StormResult> {
  try {
    const counts = await storm.rage(options);
    await storm.finish();
    const [expected, found] = [farm.tableOf('storm', { isAlone: true }), farm.tableOf('storm')];
    const differences = expected.flatMap((row, n) =>
      JSON.stringify(row) === JSON.stringify(found[n]) ? [] : [`trial ${n}: ${JSON.stringify(found[n] ?? null)}`],
    );
    if (found.length !== expected.length) differences.push(`${found.length} ends of ${expected.length} trials`);
    return { kills: counts, differences, trials: expected.length };
  } finally {
    await storm.close();
  }
}

type Part = Exclude<Victim, 'redis' | 'empty-redis'>;
const PARTS = ['coordinator', 'worker-a', 'worker-b'] as const;

/** Restarts of one part that ended by itself: more are a fault. */
const RESTARTS_MAX = 40;
const WATCH_MS = 200;

/** The parts of a study on a queue. A part that ends is started again, as a process manager does it. */
class Storm {
  readonly #farm: QueueFarm;
  readonly #file: string;
  readonly #processes = new Map<Part, FarmProcess>();
  #restarts = 0;

  constructor(farm: QueueFarm, file: string) {
    this.#farm = farm;
    this.#file = file;
    for (const part of PARTS) this.#start(part);
  }

  #start(part: Part): void {
    const started = part === 'coordinator' ? this.#farm.runStudy(this.#file) : this.#farm.startWorker(part);
    this.#processes.set(part, started);
  }

  get #isOver(): boolean {
    return this.#processes.get('coordinator')?.code === 0;
  }

  /** Starts parts again that ended because the server was away. */
  #watch(): void {
    for (const [part, { code, text }] of this.#processes) {
      if (code === undefined || (part === 'coordinator' && code === 0)) continue;
      this.#restarts += 1;
      if (this.#restarts > RESTARTS_MAX) throw new Error(`${part} ended ${RESTARTS_MAX} times, last: ${text}`);
      this.#start(part);
    }
  }

  /** Kills one part after the other, and starts each again at once. Returns early when the study ends. */
  async rage({ kills, seed, onKill }: Omit<StormOptions, 'trials'>): Promise<Record<Victim, number>> {
    const counts: Record<Victim, number> = { redis: 0, 'empty-redis': 0, coordinator: 0, 'worker-a': 0, 'worker-b': 0 };
    const random = xoroshiro128plus(seed);
    for (let count = 1; count <= kills && !this.#isOver; count++) {
      await delay(uniformInt(random, PAUSE_MIN, PAUSE_MAX));
      this.#watch();
      const victim = VICTIMS[uniformInt(random, 0, VICTIMS.length - 1)] ?? 'redis';
      counts[victim] += 1;
      onKill?.(count, victim);
      await this.#strike(victim);
    }
    return counts;
  }

  async #strike(victim: Victim): Promise<void> {
    if (victim === 'redis' || victim === 'empty-redis') {
      await this.#farm.redis.kill();
      return this.#farm.redis.restart({ isEmpty: victim === 'empty-redis' });
    }
    await this.#processes.get(victim)?.kill();
    if (!this.#isOver) this.#start(victim);
  }

  /** Waits for the end of the study. */
  async finish(): Promise<void> {
    while (!this.#isOver) {
      await delay(WATCH_MS);
      this.#watch();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#processes.values()].map((each) => each.kill()));
  }
}
