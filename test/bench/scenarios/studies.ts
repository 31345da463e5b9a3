// The trials of a study: on threads of one process, in independent processes, and on workers of a queue. Every way runs the same
// trials of the shipped quoter over the same tape, once each is warm.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runBacktestOnce } from '../../../src/app/backtest/backtest-session.ts';
import { openTapeAt } from '../../../src/app/tape-place.ts';
import { loadBundled } from '../../../src/runtime/plugins/strategy-loader.ts';
import type { RowSource } from '../../../src/tape/baked/tape-rows.ts';
import { must } from '../../../src/base/assert.ts';
import { BakedWriter } from '../../../src/tape/baked/baked-writer.ts';
import { importerNamed } from '../../../src/tape/import/import-formats.ts';
import { captureWire } from '../../../src/venues/trade-api/captures/capture-dialects.ts';
import { readDefinitions } from '../../../src/cli/tape/import-definitions.ts';
import { readStudyFile } from '../../../src/research/study/study-file.ts';
import { type StudyPlan, type TrialSetup, planStudy } from '../../../src/research/study/study-plan.ts';
import { TrialPool } from '../../../src/research/workers/trial-pool.ts';
import { TrialRunner, type TrialTask } from '../../../src/research/workers/trial-run.ts';
import { builtModule, ROOT } from '../../e2e/presage.ts';
import { QueueFarm } from '../../support/queue/queue-farm.ts';
import { REDIS_MISSING } from '../../support/queue/redis-server.ts';
import { startCompanion } from '../companion.ts';
import { inFolder } from '../recording.ts';
import type { Figures, Scenario } from '../scenario.ts';

type Tape = 'sample' | 'gold' | 'small';

/** Trials of each way. The first few of each thread mostly compile code, so there are many more. */
const TRIALS: Readonly<Record<Tape, number>> = { small: 1, sample: 24, gold: 80 };
const CORES = 2;
const TRIAL_MS = 600_000;
const MB = 1e6;
const GOLD = join(ROOT, '../shared/data/kalshi-gold-2026-08');

/** Makes a study ready, with its trials. `null` when its tape is not here. */
async function studyOver(
  tape: Tape,
  folder: string,
): Promise<{ readonly plan: StudyPlan; readonly tasks: TrialTask[] } | null> {
  if (tape === 'gold' && !existsSync(GOLD)) return null;
  const config =
    tape === 'gold'
      ? await goldConfig(folder)
      : join(ROOT, 'config', tape === 'sample' ? 'sample-30.yaml' : 'backtest.yaml');
  const file = join(folder, 'study.yaml');
  const lines = ['study: bench', `config: ${config}`, 'strategy: quoter', 'space: { qtyContracts: { int: [1, 20] } }'];
  writeFileSync(file, [...lines, 'objective: { maximize: profit }', 'budget: { trials: 1 }', ''].join('\n'));
  const plan = await planStudy({ ...readStudyFile(file), folder });
  const tasks = Array.from({ length: TRIALS[tape] }, (_, n): TrialTask => {
    const params = { qtyContracts: (n % 8) + 1, halfSpreadCents: 1 + (n % 4) / 2 };
    return { n, hash: plan.hashOf(params), params };
  });
  return { plan, tasks };
}

/** Imports the gold windows into one tape, and writes a config of the shipped quoter over them. */
async function goldConfig(folder: string): Promise<string> {
  const events = join(GOLD, 'events');
  const files = readdirSync(events, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  const { definitions } = readDefinitions([join(GOLD, 'metadata')], captureWire);
  const writer = new BakedWriter(join(folder, 'gold.arrow'));
  const importer = must(importerNamed('feed-jsonl'), 'feed-jsonl');
  await importer.importFiles({ files: paths, writer, wire: captureWire, venue: 'service', definitions });
  const file = join(folder, 'gold.yaml');
  const quoter = join(ROOT, 'strategies/two-sided-quoter.ts');
  const selected = `markets:\n  series: [KXGOLD15M]\nstrategies:\n  - name: quoter\n    file: ${quoter}\n`;
  const config = readFileSync(join(ROOT, 'config/backtest.yaml'), 'utf8')
    .replace(/^tape: .*$/m, 'tape: gold.arrow')
    .replace(/^markets:[\s\S]*?^strategies:[\s\S]*?^limits:/m, `${selected}\nlimits:`)
    .replace(/^report:[\s\S]*/m, '');
  writeFileSync(file, config);
  return file;
}

const never = new AbortController().signal;

/** Trials a second of a warm pool of threads. */
async function poolFigures(
  { plan, tasks }: { readonly plan: StudyPlan; readonly tasks: readonly TrialTask[] },
  workers: number,
): Promise<Figures> {
  const pool = new TrialPool({ setup: plan.setup, workers, trialMs: TRIAL_MS });
  try {
    await Promise.all(tasks.slice(0, workers).map((task) => pool.runTrial(task, never)));
    const begun = performance.now();
    await Promise.all(tasks.map((task) => pool.runTrial(task, never)));
    return { trialsPerSecond: (tasks.length * 1000) / (performance.now() - begun) };
  } finally {
    await pool.close();
  }
}

/** Trials a second of as many independent processes as there are cores. */
async function processFigures({
  plan,
  tasks,
}: {
  readonly plan: StudyPlan;
  readonly tasks: readonly TrialTask[];
}): Promise<Figures> {
  const processes = await Promise.all(Array.from({ length: CORES }, () => startCompanion<string>('study-process')));
  try {
    const shares = processes.map((_, core) => tasks.filter(({ n }) => n % CORES === core));
    await Promise.all(processes.map((each, core) => each.ask({ setup: plan.setup, tasks: shares[core] ?? [] })));
    const begun = performance.now();
    await Promise.all(processes.map((each) => each.ask('begin')));
    return { trialsPerSecond: (tasks.length * 1000) / (performance.now() - begun) };
  } finally {
    for (const each of processes) each.stop();
  }
}

const overTape =
  (tape: Tape, act: (study: NonNullable<Awaited<ReturnType<typeof studyOver>>>) => Promise<Figures>) => () =>
    inFolder(async (folder): Promise<Figures> => {
      const study = await studyOver(tape, folder);
      return study === null ? {} : act(study);
    });

const scenariosOver = (tape: 'sample' | 'gold', what: string): Scenario[] => [
  {
    name: `study-${tape}-threads`,
    what: `trials of the quoter over ${what}: two threads of a study`,
    run: overTape(tape, (study) => poolFigures(study, CORES)),
  },
  {
    name: `study-${tape}-one`,
    what: `the same trials on one thread`,
    run: overTape(tape, (study) => poolFigures(study, 1)),
  },
  {
    name: `study-${tape}-processes`,
    what: `the same trials in two independent processes`,
    run: overTape(tape, processFigures),
  },
];

const ROUNDS = 15;

const medianOf = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function millisecondsOf(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
}

/** Runs the replay of a trial alone, without its figures. */
async function replayOnce({ config, bundle, code, parts }: TrialSetup, source: RowSource, load: number): Promise<void> {
  if (parts.length !== 1) throw new Error('study-overhead: expected a study of one part');
  await runBacktestOnce(config, source, { loadStrategy: () => loadBundled(bundle, code, load) });
}

/** Measures a trial beyond its replay: the way to a thread and back, and its figures. */
const overhead: Scenario = {
  name: 'study-overhead',
  what: 'what a warm trial costs beyond its replay: the way to a thread and back, and its figures',
  run: overTape('small', async ({ plan: { setup }, tasks: [task] }) => {
    const [part] = setup.parts;
    if (task === undefined || part === undefined) return {};
    const workerFile = builtTest('test/bench/companions/study-thread-timed');
    const pool = new TrialPool({ setup, workers: 1, trialMs: TRIAL_MS, workerFile });
    const runner = new TrialRunner(setup);
    const source = openTapeAt(part.tape.place);
    const [ways, trials, replays]: [number[], number[], number[]] = [[], [], []];
    try {
      for (let round = -ROUNDS; round < ROUNDS; round++) {
        let onThread = 0;
        const all = await millisecondsOf(async () => {
          const outcome = await pool.runTrial(task, never);
          if (outcome.type !== 'result' || outcome.result.end !== 'finished')
            throw new Error('study-overhead: no result');
          onThread = outcome.result.figures['threadMs'] ?? 0;
        });
        const here = await millisecondsOf(() => runner.runTrial(task));
        const replay = await millisecondsOf(() => replayOnce(setup, source, ROUNDS + round));
        if (round < 0) continue;
        ways.push(all - onThread);
        trials.push(here);
        replays.push(replay);
      }
      return { millisecondsBeyond: medianOf(ways) + Math.max(0, medianOf(trials) - medianOf(replays)) };
    } finally {
      source.close();
      runner.close();
      await pool.close();
    }
  }),
};

/** Memory of one more thread, after a forced collection in it. */
const memory: Scenario = {
  name: 'study-memory',
  what: 'memory of a process with a second thread, less that with one, after four trials each',
  run: overTape('sample', async ({ plan, tasks }) => {
    const workerFile = builtTest('test/bench/companions/study-thread');
    const pools: TrialPool[] = [];
    const used: number[] = [];
    try {
      for (const _thread of ['first', 'second']) {
        const pool = new TrialPool({ setup: plan.setup, workers: 1, trialMs: TRIAL_MS, workerFile });
        pools.push(pool);
        for (const task of tasks.slice(0, 4)) await pool.runTrial(task, never);
        global.gc?.();
        used.push(process.memoryUsage().rss);
      }
      const [first = 0, second = 0] = used;
      return { megabytesOfThread: (second - first) / MB };
    } finally {
      await Promise.all(pools.map((pool) => pool.close()));
    }
  }),
};

/** A module of the newest build, by its path and without its ending. */
const builtTest = (path: string): string => builtModule(`../${path}`);

const QUEUED = 21;
/** A strategy that waits in place of computing, so that workers scale on a machine of two cores as on many. */
const WAITING = `// Waits for 1.2 seconds in place of computing.
import { defineStrategy, z } from 'presage-trading';

export default defineStrategy({
  name: 'waiting',
  params: z.strictObject({ x: z.number().default(0) }),
  setup() {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200);
    return { onBook: () => undefined };
  },
});
`;

const queueOf = (workers: number): Scenario => ({
  name: `study-queue-${workers}`,
  what: `trials that wait 1.2 s each, on a queue with ${workers === 1 ? 'one worker' : `${workers} workers`}`,
  run: async () => {
    if (REDIS_MISSING !== null) return {};
    const farm = await QueueFarm.start();
    try {
      const strategy = join(farm.folder, 'waiting.ts');
      writeFileSync(strategy, WAITING);
      const file = farm.writeStudy('queued', [
        'strategy: { use: waiting.ts }',
        'space: { x: { float: [0, 1] } }',
        'sampler: random',
        'objective: { maximize: profit }',
        'lag: 12',
        `budget: { trials: ${QUEUED} }`,
      ]);
      const processes = Array.from({ length: workers }, (_, index) =>
        farm.startWorker(`worker-${index}`, '--strategy', strategy),
      );
      await farm.redis.ask(async (redis) => {
        while ((await redis.keys('study:workers:*')).length === 0) await delay(50);
        const [key = ''] = await redis.keys('study:workers:*');
        while ((await redis.hlen(key)) < workers) await delay(50);
      });
      const study = farm.runStudy(file, '--json');
      const code = await study.exited;
      if (code !== 0) throw new Error(`study-queue: the study ended with ${code}: ${study.text}`);
      await Promise.all(processes.map((each) => each.kill()));
      return { trialsPerSecond: rateOfEnds(study.endTimes) };
    } finally {
      await farm.close();
    }
  },
});

/** Trials a second between the first and the last end. */
function rateOfEnds(times: readonly number[]): number {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  return ((times.length - 1) * 1000) / (last - first);
}

export const studyScenarios: readonly Scenario[] = [
  ...scenariosOver('sample', 'the sample tape of 30 event groups'),
  ...scenariosOver('gold', 'the six gold windows'),
  overhead,
  memory,
  queueOf(1),
  queueOf(3),
];
