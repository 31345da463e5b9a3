// `npm run simulate`: runs simulations by the thousand, one per seed, and reports the result. A failing seed is printed
// with the broken invariant, the last events, and the command that repeats it.
import { parseArgs } from 'node:util';
import { profileNames } from '../../src/venues/trade-api/profiles/profile-registry.ts';
import { bundleChild } from './run/bundle.ts';
import { USUAL_DIALECT, isDialect } from './dialect.ts';
import { HEAD, runPlantedBugs } from './run/planted-bug-run.ts';
import { PLANTED_BUGS } from './run/planted-bugs.ts';
import { runSeeds } from './run/pool.ts';
import { Summary, describeFailure } from './run/summary.ts';

const HELP = `npm run simulate -- [--seeds 2000] [--from 1] [--seed N] [--jobs 2] [--minutes M] [--profile P]
                        [--json] [--verbose] [--plants [--match TEXT]]

Bot, exchange, network and disk in one process, under virtual time, everything decided by one seed.

  --seeds N    number of seeds to run, default 2000
  --from N     first seed, default 1
  --seed N     run this seed only
  --jobs N     parallel processes, default 2
  --minutes M  stop after this many minutes
  --profile P  dialect of the exchange: service (default) or kalshi
  --json       print the figures as JSON
  --verbose    print every event as it happens: for one seed
  --plants     instead: plant known bugs one by one, and show that each is found
  --match TEXT only the planted bugs whose name contains TEXT

Exit code: 0 every invariant held; 1 one did not.`;

/** One seed in this many runs twice, to check that the seed decides everything. */
const TWICE_EVERY = 50;
/** Bound on failures shown in full. */
const SHOWN_MAX = 5;

const options = readOptions();
if (options.help) {
  console.log(HELP);
  process.exit(0);
}
process.exitCode = options.plants ? await plants() : await seeds();

async function seeds(): Promise<number> {
  const only = options.seed === undefined ? null : numberOf('seed', options.seed);
  const first = only ?? numberOf('from', options.from);
  const count = only === null ? numberOf('seeds', options.seeds) : 1;
  const jobs = Math.min(count, numberOf('jobs', options.jobs));
  const endAt = options.minutes === undefined ? Infinity : Date.now() + numberOf('minutes', options.minutes) * 60_000;
  const dialect = dialectOf(options.profile);
  const summary = new Summary(Date.now());
  const bundle = await bundleChild();
  try {
    await runSeeds(range(first, count), {
      file: bundle.file,
      jobs,
      dialect,
      twiceEvery: TWICE_EVERY,
      isVerbose: options.verbose && count === 1,
      take: (outcome) => {
        summary.addResult(outcome);
        if (outcome.violation !== null && summary.failures.length <= SHOWN_MAX) {
          progress('');
          console.error(`${describeFailure(outcome)}\n`);
        }
        if (summary.seeds % 20 === 0) progress(progressOf(summary, count));
        return Date.now() < endAt;
      },
    });
  } finally {
    bundle.remove();
  }
  progress('');
  console.log(options.json ? JSON.stringify(summary.figures(Date.now()), null, 2) : summary.text(Date.now()));
  const failed = summary.failures.map(({ seed }) => seed);
  if (failed.length > 0) console.error(`\n${failed.length} seeds failed: ${failed.slice(0, 50).join(' ')}`);
  return failed.length === 0 ? 0 : 1;
}

async function plants(): Promise<number> {
  const onRow = (line: string): void => {
    progress('');
    if (!options.json) console.log(line);
  };
  if (!options.json) console.log(HEAD);
  const plants = PLANTED_BUGS.filter(({ name }) => name.includes(options.match));
  if (plants.length === 0) fail(`--match: no planted bug has ${options.match} in its name`);
  const found = await runPlantedBugs({ jobs: numberOf('jobs', options.jobs), plants, onProgress: progress, onRow });
  if (options.json) console.log(JSON.stringify(found.rows, null, 2));
  return found.areAllFound ? 0 : 1;
}

function progressOf({ seeds: done, failures }: Summary, count: number): string {
  const seconds = process.uptime();
  const left = Math.round(((count - done) * seconds) / done);
  return `${done}/${count} seeds, ${Math.round((done / seconds) * 3600)} an hour, ${failures.length} failed, ${left} s left`;
}

/** Rewrites one line in place on a terminal; writes nothing elsewhere, so that logs stay clean. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${text.padEnd(90)}\r`);
}

function* range(first: number, count: number): Iterable<number> {
  for (let seed = first; seed < first + count; seed++) yield seed;
}

/** The options; a wrong one ends the program with a one-line message. */
function readOptions() {
  try {
    return parseArgs({
      options: {
        seeds: { type: 'string', default: '2000' },
        from: { type: 'string', default: '1' },
        seed: { type: 'string' },
        jobs: { type: 'string', default: '2' },
        minutes: { type: 'string' },
        profile: { type: 'string', default: USUAL_DIALECT },
        json: { type: 'boolean', default: false },
        verbose: { type: 'boolean', default: false },
        plants: { type: 'boolean', default: false },
        match: { type: 'string', default: '' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (fault) {
    return fail(fault instanceof Error ? fault.message : String(fault));
  }
}

function dialectOf(name: string): string {
  return isDialect(name) ? name : fail(`--profile: expected ${profileNames().join(' or ')}, found ${name}`);
}

function numberOf(name: string, text: string): number {
  return /^\d{1,9}$/.test(text) && Number(text) > 0
    ? Number(text)
    : fail(`--${name}: expected a whole number from 1, found ${text}`);
}

function fail(why: string): never {
  console.error(`simulate: ${why}; see --help`);
  process.exit(2);
}
