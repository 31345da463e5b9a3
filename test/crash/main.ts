// `npm run crash`: kills a trading bot repeatedly with SIGKILL, over real sockets and real files, and compares the
// figures of each successor with the exchange's own ledger. Trials run in parallel, each in its own process.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DEADLINE_MS, type TrialResult, runTrial } from './trial.ts';

const SELF = fileURLToPath(import.meta.url);

/** A message of a trial's process. */
type TrialMessage = { readonly kills: number } | { readonly result: TrialResult };

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '200' },
    jobs: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    trial: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(`npm run crash -- [--times 200] [--jobs 2] [--seed 1] [--json]

Runs \`presage run\` against a local exchange and kills it with SIGKILL at random moments, N times in total. After each
restart its cash, positions and open orders must equal the exchange's ledger; no order may be accepted twice; every
order that the exchange accepted must have been journaled before; and without a restart the watchdog must have canceled
every order by its deadline. About two seconds per kill and job.

Exit code: 0 all held; 1 something did not, and is printed; 2 the command is wrong.`);
  process.exit(0);
}

const times = whole('times', 1, 100_000);
const jobs = Math.min(times, whole('jobs', 1, 16));
const seed = whole('seed', 0, 0xffff_ffff);

function whole(name: 'times' | 'jobs' | 'seed', least: number, most: number): number {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  console.error(`crash: --${name}: expected a whole number from ${least} to ${most}, found ${values[name]}`);
  process.exit(2);
}

async function runAll(): Promise<number> {
  const counts = Array.from({ length: jobs }, () => 0);
  const progress = (job: number, kills: number): void => {
    counts[job] = kills;
    const done = counts.reduce((sum, count) => sum + count, 0);
    if (process.stderr.isTTY) process.stderr.write(`\r${done}/${times} kills`);
  };
  const share = (job: number): number => Math.floor(times / jobs) + (job < times % jobs ? 1 : 0);
  const results = await Promise.all(counts.map((_, job) => runJob(job, share(job), (kills) => progress(job, kills))));
  if (process.stderr.isTTY) process.stderr.write('\r');
  const all = sum(results);
  console.log(values.json ? JSON.stringify(all, null, 2) : render(all));
  return all.faults.length === 0 ? 0 : 1;
}

function runJob(job: number, count: number, onKill: (kills: number) => void): Promise<TrialResult> {
  return new Promise((resolve, reject) => {
    const child = fork(SELF, ['--trial', '--times', String(count), '--seed', String(seed + job)]);
    let result: TrialResult | null = null;
    child.on('message', (message: TrialMessage) => {
      if ('kills' in message) onKill(message.kills);
      else result = message.result;
    });
    child.on('exit', (code) => {
      if (result) resolve(result);
      else reject(new Error(`trial ${job} ended with ${code} and sent no result`));
    });
  });
}

function sum(results: readonly TrialResult[]): TrialResult {
  return {
    kills: total(results, 'kills'),
    early: total(results, 'early'),
    fills: total(results, 'fills'),
    orders: total(results, 'orders'),
    deaths: total(results, 'deaths'),
    restedMsMax: Math.max(...results.map(({ restedMsMax }) => restedMsMax)),
    leftResting: total(results, 'leftResting'),
    faults: results.flatMap(({ faults }) => faults),
  };
}

type Counted = 'kills' | 'early' | 'fills' | 'orders' | 'deaths' | 'leftResting';

function total(results: readonly TrialResult[], figure: Counted): number {
  return results.reduce((all, result) => all + result[figure], 0);
}

function render({ kills, early, fills, orders, deaths, restedMsMax, leftResting, faults }: TrialResult): string {
  return [
    `${kills} kills with SIGKILL, ${early} of them before the bot was trading; ${leftResting} orders rested at them`,
    `${orders} orders and ${fills} fills at the exchange; every restart's figures compared with its ledger`,
    `${deaths} deaths without a restart: orders rested at most ${Math.round(restedMsMax)} ms (deadline ${DEADLINE_MS} ms)`,
    ...(faults.length === 0
      ? ['all held']
      : [`${faults.length} DID NOT HOLD:`, ...faults.map((fault) => `  ${fault}`)]),
  ].join('\n');
}

if (values.trial) {
  const result = await runTrial({ times, seed, onKill: (kills) => process.send?.({ kills }) });
  process.send?.({ result });
  process.disconnect();
} else process.exitCode = await runAll();
