// `npm run soak`: a day of virtual time with ten thousand markets, reported hour by hour, and a verdict: memory flat,
// no position drift. Needs --expose-gc. Exit code: 0 all well, 1 memory grows or figures differ, 2 the command line is
// wrong.
import { parseArgs } from 'node:util';
import { type SoakSample, type SoakOptions, runSoak } from './soak.ts';
import { growthPerThousand, tableHead, tableRow, whyNot } from './verdict.ts';

const { gc } = globalThis;
if (gc === undefined) fail('run it with --expose-gc: without it the heap cannot be measured');
const collect = gc;

function fail(text: string): never {
  process.stderr.write(`soak: ${text}\n`);
  process.exit(2);
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,7}$/.test(text)) return Number(text);
  return fail(`--${name}: expected a whole number from 1, found ${JSON.stringify(text)}`);
}

function readOptions(): Omit<SoakOptions, 'onSample'> {
  const number = (byDefault: string) => ({ type: 'string', default: byDefault }) as const;
  const { values } = parseArgs({
    options: { seed: number('1'), markets: number('10000'), hours: number('24'), lifetime: number('10') },
  });
  const hours = wholeNumber('hours', values.hours);
  return {
    seed: wholeNumber('seed', values.seed),
    markets: wholeNumber('markets', values.markets),
    lifetimeMinutes: wholeNumber('lifetime', values.lifetime),
    hours,
    sampleCount: hours,
    cutEveryMinutes: 95,
  };
}

/** Number of collections: V8 frees compiled code only after several without a run of it. */
const COLLECTIONS = 6;

/** Bytes of the heap, once nothing is left to collect. */
function heapUsed(): number {
  for (let i = 0; i < COLLECTIONS; i++) collect();
  return process.memoryUsage().heapUsed;
}

async function main(): Promise<number> {
  const options = readOptions();
  const samples: { readonly look: SoakSample; readonly heapBytes: number }[] = [];
  const startedAt = performance.now();
  process.stdout.write(`${options.markets} markets in ${options.hours} h of virtual time, seed ${options.seed}\n`);
  process.stdout.write(`${tableHead()}\n`);
  const ended = await runSoak({
    ...options,
    onSample: (look) => {
      samples.push({ look, heapBytes: heapUsed() });
      const rssBytes = process.memoryUsage().rss;
      const wallMs = performance.now() - startedAt;
      process.stdout.write(`${tableRow({ look, heapBytes: samples.at(-1)?.heapBytes ?? 0, rssBytes, wallMs })}\n`);
    },
  });
  const growth = growthPerThousand(samples.map(({ look, heapBytes }) => ({ markets: look.forgotten, heapBytes })));
  process.stdout.write(`heap: ${(growth / 1024).toFixed(1)} KiB per 1000 markets\n`);
  process.stdout.write(`held at the end: ${JSON.stringify(ended.last.retained)}\n`);
  const faults = whyNot(ended, growth);
  process.stdout.write(faults.length === 0 ? 'memory flat, drift zero\n' : `${faults.join('\n')}\n`);
  return faults.length === 0 ? 0 : 1;
}

process.exitCode = await main();
