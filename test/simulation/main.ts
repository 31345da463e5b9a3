// `npm run simulate`: runs worlds by the thousand, one a seed, and says what happened in them. A seed that fails is printed
// with the invariant that broke, the last things that happened, and the command that shows them again.
import { parseArgs } from 'node:util';
import { profileNames } from '../../src/venues/trade-api/profiles/registry.ts';
import { bundleChild } from './bundle.ts';
import { USUAL_DIALECT, isDialect } from './dialect.ts';
import { HEAD, runPlants } from './plant-run.ts';
import { PLANTS } from './plants.ts';
import { runSeeds } from './pool.ts';
import { Summary, describeFailure } from './summary.ts';

const HELP = `npm run simulate -- [--seeds 2000] [--from 1] [--seed N] [--jobs 2] [--minutes M] [--profile P]
                        [--json] [--verbose] [--plants [--match TEXT]]

Bot, exchange, network and disk in one process, under virtual time, everything decided by one seed.

  --seeds N    how many seeds to run, 2000 unless told
  --from N     the first of them, 1 unless told
  --seed N     this one only
  --jobs N     processes at once, 2 unless told
  --minutes M  stop after so long
  --profile P  the dialect that is spoken: service unless told, or kalshi
  --json       the figures as JSON
  --verbose    everything that happens, as it happens: for one seed
  --plants     instead: plants known bugs one by one, and shows that each is found
  --match TEXT only the planted bugs whose name contains TEXT

Ends with 0 when every invariant held, with 1 when one did not.`;

/** One seed in so many is run twice, to see that it decides everything. */
const TWICE_EVERY = 50;
/** More failures than this are not shown in full. */
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
        summary.take(outcome);
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
  const plants = PLANTS.filter(({ name }) => name.includes(options.match));
  if (plants.length === 0) fail(`--match: no planted bug is named like ${options.match}`);
  const found = await runPlants({ jobs: numberOf('jobs', options.jobs), plants, onProgress: progress, onRow });
  if (options.json) console.log(JSON.stringify(found.rows, null, 2));
  return found.areAllFound ? 0 : 1;
}

function progressOf({ seeds: done, failures }: Summary, count: number): string {
  const seconds = process.uptime();
  const left = Math.round(((count - done) * seconds) / done);
  return `${done}/${count} seeds, ${Math.round((done / seconds) * 3600)} an hour, ${failures.length} failed, ${left} s left`;
}

/** One line rewritten in place for whoever watches; nothing where nobody does, so that logs stay clean. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${text.padEnd(90)}\r`);
}

function* range(first: number, count: number): Iterable<number> {
  for (let seed = first; seed < first + count; seed++) yield seed;
}

/** The options; whoever mistypes one is told so in a line. */
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
