// `npm run bench`: measures every scenario several times, alternately with its baseline, each time in a fresh process,
// and prints medians, ranges, undisturbed rates and ratios. Its results hold for this machine and this run only.
import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rows } from './rows.ts';
import type { Figures, Row } from './scenario.ts';
import { loadScenarios } from './scenarios/all.ts';
import { rateOf, undisturbedRate } from './stretches.ts';

const scenarios = await loadScenarios();
const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));
const RUN_TIMEOUT_MS = 60_000;

const options = readOptions();

if (options.help) {
  console.log(`npm run bench -- [--runs 5] [--only NAME] [--json]

Measures every scenario in a fresh process, over and over in turn, and prints the median of each figure, its range, its
ratio to the baseline (the median over pairs of one run), and its target. It takes some minutes in all.

Other work on a machine, and on the other half of a shared core, only ever slows. Where every run does the same work in
the same order, its stretches are timed, some hundredths of a second each: "undisturbed" is the rate with each stretch as
fast as in its fastest run. It is compared with the baseline, measured alike, and with the target.

  --runs N     how often each scenario runs: 1 to 100, default 5
  --only NAME  only scenarios whose name starts with it; the baselines they need are measured, too
  --json       the same as JSON

Scenarios:
${scenarios.map(({ scenario: { name, what } }) => `  ${name.padEnd(18)} ${what}`).join('\n')}

Servers and senders are processes of their own, on free ports of 127.0.0.1: use a quiet machine of two cores or more.`);
  process.exit(0);
}

const runs = Number(options.runs);
if (!Number.isInteger(runs) || runs < 1 || runs > 100) {
  console.error(`bench: --runs: expected a whole number from 1 to 100, found ${options.runs}`);
  process.exit(2);
}

const wanted = chosen();
if (wanted.length === 0) {
  console.error(`bench: no scenario begins with ${options.only}`);
  process.exit(2);
}
const measured = new Map<string, Figures[]>();
try {
  await measureAll();
} catch (fault) {
  showProgress('');
  console.error(`bench: ${fault instanceof Error ? fault.message : String(fault)}`);
  process.exit(1);
}
console.log(options.json ? JSON.stringify(report(), null, 2) : render());

/** Runs every scenario once, then every one again: a slow phase of the machine slows them alike. */
async function measureAll(): Promise<void> {
  for (let run = 1; run <= runs; run++)
    for (const name of wanted) {
      showProgress(`run ${run}/${runs}: ${name}`);
      const figures = measured.get(name) ?? [];
      figures.push(await runChild(name));
      measured.set(name, figures);
    }
  showProgress('');
}

/** Reads the options; a mistake ends the program with one line. */
function readOptions() {
  try {
    return parseArgs({
      options: {
        runs: { type: 'string', default: '5' },
        only: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (fault) {
    console.error(`bench: ${fault instanceof Error ? fault.message : String(fault)}; see --help`);
    process.exit(2);
  }
}

/** Rewrites one line in place on a terminal; prints nothing elsewhere, so that logs stay clean. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${text.padEnd(60)}\r`);
}

/** The chosen scenarios and their baselines. */
function chosen(): string[] {
  const names = new Set(
    scenarios.map(({ scenario }) => scenario.name).filter((name) => name.startsWith(options.only ?? '')),
  );
  for (const { scenario, against } of rows) if (names.has(scenario) && against) names.add(against);
  return scenarios.map(({ scenario }) => scenario.name).filter((name) => names.has(name));
}

function runChild(name: string): Promise<Figures> {
  return new Promise((resolve, reject) => {
    const file = scenarios.find(({ scenario }) => scenario.name === name)?.file ?? '';
    const child = spawn(process.execPath, ['--expose-gc', CHILD, file, name], {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: RUN_TIMEOUT_MS,
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
    child.on('close', (code, signal) => {
      if (code === 0) resolve(JSON.parse(text));
      else reject(new Error(`scenario ${name} ${signal === null ? `ended with ${code}` : `was ended by ${signal}`}`));
    });
  });
}

interface Line {
  readonly label: string;
  readonly unit: string;
  readonly median: number;
  readonly least: number;
  readonly most: number;
  /** The rate with each stretch as fast as in its fastest run; `null` where no stretches were timed. */
  readonly undisturbed: number | null;
  readonly ratio: number | null;
  readonly row: Row;
}

function lines(): Line[] {
  return rows.flatMap((row) => {
    const values = figuresOf(row.scenario, row.metric);
    if (values.length === 0) return [];
    const median = medianOf(values);
    const undisturbed = undisturbedOf(row.scenario, row.metric);
    const { label, unit } = row;
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return [{ label, unit, median, least, most, undisturbed, ratio: ratioOf(row), row }];
  });
}

/** The figures of a metric, run by run. */
function measuredOf(scenario: string, metric: string): Figures[string][] {
  return (measured.get(scenario) ?? []).map((figures) => figures[metric]).filter((figure) => figure !== undefined);
}

function figuresOf(scenario: string, metric: string): number[] {
  return measuredOf(scenario, metric).map((figure) => (typeof figure === 'number' ? figure : rateOf(figure)));
}

function undisturbedOf(scenario: string, metric: string): number | null {
  const timed = measuredOf(scenario, metric).filter((figure) => typeof figure !== 'number');
  return timed.length === 0 ? null : undisturbedRate(timed);
}

/** The ratio to the baseline; `null` where there is none. */
function ratioOf({ scenario, metric, against, isLess }: Row): number | null {
  if (against === undefined) return null;
  const [ours, theirs] = [undisturbedOf(scenario, metric), undisturbedOf(against, metric)];
  if (ours !== null && theirs !== null) return ours / theirs;
  const base = figuresOf(against, metric);
  return base.length === 0 ? null : medianOf(ratiosOf(figuresOf(scenario, metric), base, isLess ?? false));
}

/** The ratio to the baseline, run by run: a slow phase slowed both of a pair. */
function ratiosOf(values: readonly number[], base: readonly number[], isLess: boolean): number[] {
  return values.flatMap((value, run) => {
    const other = base[run];
    return other === undefined ? [] : [isLess ? other / value : value / other];
  });
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

function report(): object {
  return {
    machine: machine(),
    runs,
    lines: lines().map(({ row, ...line }) => ({
      ...line,
      target: row.target ?? null,
      ratioTarget: row.ratioTarget ?? null,
    })),
  };
}

function machine(): string {
  return `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, node ${process.version}`;
}

function render(): string {
  const table = lines().map(({ label, unit, median, least, most, undisturbed, ratio, row }) => [
    label,
    `${figure(median)} ${unit}`,
    `[${figure(least)} – ${figure(most)}]`,
    undisturbed === null ? '' : figure(undisturbed),
    ratio === null ? '' : `${ratio.toFixed(2)} × ${row.against}`,
    verdict(undisturbed ?? median, ratio, row),
  ]);
  const head = ['what', `median of ${runs}`, 'range', 'undisturbed', 'ratio', 'to reach'];
  const all = [head, ...table];
  const widths = head.map((_, at) => Math.max(...all.map((cells) => cells[at]?.length ?? 0)));
  const text = all.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [machine(), '', ...text].join('\n');
}

function verdict(value: number, ratio: number | null, { target, ratioTarget, isLess, unit }: Row): string {
  const parts: string[] = [];
  if (target !== undefined) {
    const isMet = isLess ? value <= target : value >= target;
    parts.push(`${isLess ? '≤' : '≥'} ${figure(target)} ${unit}: ${isMet ? 'reached' : 'NOT reached'}`);
  }
  if (ratioTarget !== undefined && ratio !== null)
    parts.push(`≥ ${ratioTarget} ×: ${ratio >= ratioTarget ? 'reached' : 'NOT reached'}`);
  return parts.join(', ');
}

function figure(value: number): string {
  if (value >= 1_000_000) return `${(value / 1_000_000).toFixed(2)} M`;
  if (value >= 10_000) return `${(value / 1000).toFixed(1)} k`;
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
