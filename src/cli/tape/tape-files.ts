// `presage tape slice`, `merge` and `export`: make new files from tapes.
import { existsSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { TAPE_EXIT_CODES, newFilePath, reportingTapeFaults, withTapes } from './tape-opening.ts';
import { doInSteps } from './stoppable-work.ts';
import { printLines } from '../output/print-lines.ts';
import { isoMicros } from '../../tape/format/iso-time.ts';
import { countedNoun } from '../../report/text/figure-text.ts';
import { BakedWriter } from '../../tape/baked/baked-writer.ts';
import { EXPORT_FORMATS, type ExportFormat, exportTape } from '../../tape/tools/export-files.ts';
import { type MergeReport, mergeTapes } from '../../tape/tools/merge-tapes.ts';
import { BAKED_NAME } from '../../tape/tools/open-tape.ts';
import { refuseEmptyRange, sliceTape } from '../../tape/tools/slice-tape.ts';
import { namesArgument } from '../arguments/argument-parsers.ts';
import { momentArgument } from '../arguments/moment-argument.ts';
import { ExitCode } from '../output/exit-code.ts';
import { columns } from '../output/text-format.ts';
import { TAPE_ARGUMENT } from '../../app/tape-place.ts';
import { UsageError } from '../../app/usage-error.ts';

/** Creates `presage tape slice`. */
export function sliceCommand() {
  return new Command('slice')
    .description('Cut a piece out of a tape: a range of times, some markets, or both.')
    .argument('<tape>', TAPE_ARGUMENT)
    .requiredOption('--out <file>', 'the new tape, a baked .arrow file')
    .option('--from <moment>', 'from then on, such as 2026-11-21T07:45:00Z', momentArgument)
    .option('--to <moment>', 'until then, not included', momentArgument)
    .option('--markets <tickers>', 'only these, with commas between', namesArgument)
    .option('--json', 'print one JSON object: what is on the new tape')
    .addHelpText(
      'after',
      `${TAPE_EXIT_CODES}
The new tape is complete in itself: it begins with the definition of every market, and each known book. A book that was
unknown at the cut stays unknown until its next snapshot.

Example:
  presage tape slice tapes/rain --from 2026-11-21T08:00:00Z --to 2026-11-21T09:00:00Z --markets RAIN-OSLO-DAY --out hour.arrow`,
    )
    .action(async (tape, { out, from, to, markets, json }) => {
      process.exitCode = await reportingTapeFaults(() =>
        withTapes([tape], async ([source]) => {
          if (source === undefined) throw new UsageError('expected a tape');
          const writer = new BakedWriter(newFilePath(out), { hasLiveDefinitions: true, isNew: true });
          const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
          const tickers = markets && new Set(markets);
          const work = sliceTape({ source, writer, ...range, ...(tickers && { tickers }) });
          const facts = await doInSteps(`cutting ${tape}`, [source], work);
          printLines([
            json
              ? JSON.stringify(facts)
              : `${out}: ${facts.rows} rows from ${isoMicros(facts.from)} to ${isoMicros(facts.to)}`,
          ]);
          return ExitCode.ok;
        }),
      );
    });
}

/** Creates `presage tape merge`. */
export function mergeCommand() {
  return new Command('merge')
    .description('Make one tape of several of the same venue, in the order of time.')
    .argument('<tapes...>', `each ${TAPE_ARGUMENT}; where nothing else decides, the first is used`)
    .requiredOption('--out <file>', 'the new tape, a baked .arrow file')
    .option('--json', 'print one JSON object: what is on the new tape, and what was taken from where')
    .addHelpText(
      'after',
      `${TAPE_EXIT_CODES}
For a market that is on more than one tape, one tape is used at a time: the one used before, until it loses the book and
another knows it. The result lists which one. Trades on several tapes, identified by their ids, count once. A repeated
identical description is left out, even within one tape. Where no tape has data, the new one has a gap. Time
in which no tape recorded anything is a gap of all markets, and counts as not covered in reports.

Example:
  presage tape merge tapes/amsterdam tapes/newyork --out both.arrow`,
    )
    .action(async (tapes, { out, json }) => {
      refuseDoubled(tapes);
      process.exitCode = await reportingTapeFaults(() =>
        withTapes(tapes, async (sources) => {
          const writer = new BakedWriter(newFilePath(out), { hasLiveDefinitions: true, isNew: true });
          const report = await doInSteps('merging', sources, mergeTapes({ sources, names: tapes, writer }));
          printLines(json ? [JSON.stringify(report)] : renderMerge(out, report));
          return ExitCode.ok;
        }),
      );
    });
}

/** @throws {UsageError} for a tape that is named twice, also by another path, or by its folder and its baked copy. */
function refuseDoubled(places: readonly string[]): void {
  const named = new Map<string, string>();
  for (const place of places) {
    const path = bakedPathOf(place);
    const other = named.get(path);
    if (other !== undefined)
      throw new UsageError(`${place}: expected each tape once, found it a second time, after ${other}`);
    named.set(path, place);
  }
}

/** Returns the path of a tape's baked file. The opening of the tape says what is wrong with a place that is not there. */
function bakedPathOf(place: string): string {
  if (!existsSync(place)) return place;
  const path = realpathSync(place);
  return statSync(path).isDirectory() ? join(path, BAKED_NAME) : path;
}

const STRETCHES_SHOWN = 40;

function renderMerge(out: string, { facts, tapes, stretches, doubledPrints }: MergeReport): string[] {
  return [
    `${out}: ${facts.rows} rows from ${isoMicros(facts.from)} to ${isoMicros(facts.to)}, ${countedNoun(facts.gaps.length, 'gap')}`,
    ...columns([
      ['tape', 'read', 'taken', 'repeated', 'left out'],
      ...tapes.map(({ name, ...counts }) => [
        name,
        ...[counts.rows, counts.taken, counts.repeated, counts.leftOut].map(String),
      ]),
    ]),
    'a snapshot counts once here, with all of its levels; repeated descriptions are left out',
    `${doubledPrints} trades are on two tapes, and count once`,
    ...(stretches.length === 0 ? [] : ['', 'for markets on more than one tape, these were used:']),
    ...columns(
      stretches
        .slice(0, STRETCHES_SHOWN)
        .map(({ ticker, tape, from, to }) => [ticker, tape, isoMicros(from), isoMicros(to)]),
    ),
    ...(stretches.length > STRETCHES_SHOWN
      ? [`and ${stretches.length - STRETCHES_SHOWN} more stretches: --json names them all`]
      : []),
  ];
}

/** Creates `presage tape export`. */
export function exportCommand() {
  return new Command('export')
    .description('Write a tape as a table for other programs: pandas, polars, DuckDB, a spreadsheet.')
    .argument('<tape>', TAPE_ARGUMENT)
    .requiredOption('--out <file>', 'the file')
    .option('--format <name>', `${EXPORT_FORMATS.join(' or ')}; else by the file’s ending`, formatArgument)
    .option('--from <moment>', 'from then on', momentArgument)
    .option('--to <moment>', 'until then, not included', momentArgument)
    .option('--json', 'print one JSON object: how many rows')
    .addHelpText(
      'after',
      `${TAPE_EXIT_CODES}
Columns: received_at, venue_at, kind, ticker, side, price in dollars, qty in contracts, text. A snapshot is a row, and one for each of
its levels after it; a change of a level is signed. Exact: text in CSV, decimals in Parquet.

Examples:
  presage tape export tapes/rain --out rain.parquet
  presage tape export rain.arrow --format csv --out rain.csv`,
    )
    .action(async (tape, { out, format, from, to, json }) => {
      process.exitCode = await reportingTapeFaults(() =>
        withTapes([tape], async ([source]) => {
          if (source === undefined) throw new UsageError('expected a tape');
          const kind = format ?? formatOf(out);
          const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
          refuseEmptyRange(source, range);
          const path = newFilePath(out);
          const work = exportTape({ source, format: kind, filePath: path, range });
          const rows = await doInSteps(`exporting ${tape}`, [source], work);
          printLines([json ? JSON.stringify({ file: out, format: kind, rows }) : `${out}: ${rows} rows`]);
          return ExitCode.ok;
        }),
      );
    });
}

const isFormat = (text: string): text is ExportFormat => EXPORT_FORMATS.some((name) => name === text);

function formatArgument(text: string): ExportFormat {
  if (isFormat(text)) return text;
  throw new InvalidArgumentError(`Expected ${EXPORT_FORMATS.join(' or ')}.`);
}

function formatOf(file: string): ExportFormat {
  const ending = file.slice(file.lastIndexOf('.') + 1);
  if (isFormat(ending)) return ending;
  throw new UsageError(`--format: expected ${EXPORT_FORMATS.join(' or ')}, or a file that ends so; found ${file}`);
}
