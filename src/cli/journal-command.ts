// `presage journal`: inspects, verifies, replays and reports the journals of sessions. Must never change a journal. A replay
// and a report load their code only when they are asked for: they need the engine and the pages of reports.
import { Command } from '@commander-js/extra-typings';
import { isoMicros } from '../tape/format/iso-time.ts';
import { countedNoun } from '../report/text/figure-text.ts';
import { TapeFault } from '../tape/format/tape-fault.ts';
import { fileStorage } from '../tape/journal/file-storage.ts';
import { ENTRY_KINDS } from '../tape/format/tape-line.ts';
import { segmentsOf } from '../tape/format/segment-files.ts';
import { type SessionSummary, type TapeSummary, verifyTape } from '../tape/tools/verify-tape.ts';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { printLines } from './output/print-lines.ts';
import type { Storage } from '../tape/journal/storage.ts';
import { momentArgument } from './arguments/moment-argument.ts';
import { ExitCode } from './output/exit-code.ts';
import { bytesText, columns } from './output/text-format.ts';
import { type InspectOptions, inspect } from './journal/journal-inspect.ts';
import { UsageError } from '../app/usage-error.ts';

const EXIT_CODES = '\nExit code: 0 all well; 1 it is damaged, or a replay differs; 2 the command or a file is wrong.\n';

/** Creates the command. */
export function journalCommand() {
  return new Command('journal')
    .addCommand(inspectCommand())
    .addCommand(verifyCommand())
    .addCommand(replayCommand())
    .addCommand(reportCommand())
    .addHelpText('after', '\nA bot with a data folder keeps its journal in <data folder>/journal.');
}

function inspectCommand() {
  return new Command('inspect')
    .description('Print entries, oldest first.')
    .argument('<folder>', 'the journal’s folder')
    .option('--kind <kinds>', `only these, with commas between: ${ENTRY_KINDS.join(', ')}`, kindsArgument)
    .option('--order <client order id>', 'follow one order: what led to it, its commands, their answers, its fills')
    .option('--market <ticker>', 'only what names this market')
    .option('--session <name>', 'only this session')
    .option('--from <moment>', 'only from then on, such as 2026-11-21T07:45:00Z', momentArgument)
    .option('--to <moment>', 'only until then', momentArgument)
    .option('-n, --tail <count>', 'only the last ones of this number', countArgument)
    .option('--json', 'print JSON lines')
    .addHelpText(
      'after',
      `${EXIT_CODES}
Examples:
  presage journal inspect var/bot/journal --tail 20
  presage journal inspect var/bot/journal --order m5x3k2-0-h
  presage journal inspect var/bot/journal --kind commands,answer --json`,
    )
    .action(async (folder, options: InspectOptions) => {
      process.exitCode = await reporting(() => inspect(journalIn(folder), options));
    });
}

function verifyCommand() {
  return new Command('verify')
    .description('Read everything, and name the first line that does not fit.')
    .argument('<folder>', 'the journal’s folder')
    .option('--json', 'print one JSON object')
    .addHelpText('after', `${EXIT_CODES}\nExample:\n  presage journal verify var/bot/journal`)
    .action((folder, { json }) => {
      const summary = verifyTape(journalIn(folder));
      printLines(json ? [JSON.stringify(summary)] : renderSummary(summary));
      process.exitCode = summary.fault === null ? ExitCode.ok : ExitCode.session;
    });
}

function replayCommand() {
  return new Command('replay')
    .description('Run the engine again on the recorded inputs, and compare its commands with the recorded ones.')
    .argument('<folder>', 'the journal’s folder')
    .option('--session <name>', 'only this session')
    .option('--strategies <folder>', 'look for the strategies’ files here')
    .option('--allow-changed', 'replay even when strategies’ files have changed')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `${EXIT_CODES}
A session is replayed with the strategies it ran with: their files must be as they were. The journal names them, and they
are run: replay only journals that you trust, or name your own files with --strategies.

Example:
  presage journal replay var/bot/journal`,
    )
    .action(async (folder, options) => {
      const { replayJournal } = await import('./journal/journal-replay.ts');
      process.exitCode = await reporting(() => replayJournal(journalIn(folder), { ...options, folder }));
    });
}

function reportCommand() {
  return new Command('report')
    .description('Report what a session earned, and from what: it is replayed, and the replay must be identical.')
    .argument('<folder>', 'the journal’s folder')
    .option('--session <name>', 'this session (default: the last one)')
    .option('--strategies <folder>', 'look for the strategies’ files here')
    .option('--allow-changed', 'replay even when strategies’ files have changed')
    .option('--html <file>', 'write the report as one page that opens without a network')
    .option('--json', 'print the report as one JSON object')
    .addHelpText(
      'after',
      `${EXIT_CODES}
How to read it: docs/how-to/read-a-report.md. The session is replayed, as by presage journal replay.

Example:
  presage journal report var/bot/journal --html report.html`,
    )
    .action(async (folder, options) => {
      const { reportSession } = await import('./journal/journal-report.ts');
      process.exitCode = await reporting(() => reportSession(journalIn(folder), { ...options, folder }));
    });
}

/** @throws {UsageError} when there is no folder with a journal. */
function journalIn(folder: string): Storage {
  if (statSync(folder, { throwIfNoEntry: false })?.isFile() === true)
    throw new UsageError(`${folder}: expected a folder with a journal, found a file`);
  const storage = fileStorage(resolve(folder));
  if (segmentsOf(storage).length === 0)
    throw new UsageError(`${folder}: expected a folder with a journal, found no file named like 00000001.tape in it`);
  return storage;
}

/** A damaged journal is neither the user's mistake nor the program's. */
async function reporting(act: () => Promise<number>): Promise<number> {
  try {
    return await act();
  } catch (fault) {
    if (!(fault instanceof TapeFault)) throw fault;
    process.stderr.write(`presage: the journal is damaged: ${fault.message}\n`);
    return ExitCode.session;
  }
}

/** Renders the summary of a raw tape. */
export function renderSummary({ files, bytes, entries, sessions, torn, fault }: TapeSummary): string[] {
  return [
    ...sessions.flatMap(renderSession),
    `${countedNoun(entries, 'entry', 'entries')} in ${countedNoun(files, 'file')}, ${bytesText(bytes)} on disk`,
    ...(torn === null
      ? []
      : [`the last line of ${torn.file} is torn (${torn.tornBytes} bytes): the next session cuts it`]),
    fault === null ? 'every line fits the one before' : `DAMAGED: ${new TapeFault(fault, fault.what).message}`,
  ];
}

function renderSession({ session, of, from, to, counts, isWhole, endedBy, gaps, hash }: SessionSummary): string[] {
  const rows = Object.entries(counts).map(([kind, count]) => [`  ${kind}`, String(count)]);
  return [
    `session ${session}, a ${of}, ${isoMicros(from)} to ${isoMicros(to)}`,
    `  ${isWhole ? `made of ${hash}` : 'its beginning is no longer kept'}; ${endedBy === null ? 'it was not closed' : `ended: ${endedBy}`}`,
    ...(gaps.length === 0 ? [] : [`  the feed was down ${countedNoun(gaps.length, 'time')}`]),
    ...columns(rows),
  ];
}

function kindsArgument(text: string): readonly string[] {
  const kinds = text.split(',').map((kind) => kind.trim());
  const unknown = kinds.find((kind) => !ENTRY_KINDS.some((known) => known === kind));
  if (unknown === undefined) return kinds;
  throw new UsageError(`--kind: expected some of ${ENTRY_KINDS.join(', ')}, found ${JSON.stringify(unknown)}`);
}

function countArgument(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--tail: expected a number from 1, found ${JSON.stringify(text)}`);
}
