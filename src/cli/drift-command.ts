// `presage drift`: what a venue says, beside its published files and beside our schemas. Whatever differs is counted and
// listed, so that a change of the wire is seen before it costs. Must never trade.
import { readFileSync } from 'node:fs';
import { reportingTapeFaults } from './tape/tape-opening.ts';
import { printLines } from './output/print-lines.ts';
import { gunzipSync } from 'node:zlib';
import { Command, Option } from '@commander-js/extra-typings';
import { parse } from 'yaml';
import { readBotConfig } from '../config/bot-config.ts';
import { PublishedApi, PublishedFeed } from '../venues/trade-api/drift/published-schemas.ts';
import { type DriftReport, type DriftRow, DriftTally } from '../venues/trade-api/drift/drift-tally.ts';
import type { WireProfile } from '../venues/trade-api/profiles/wire-profile.ts';
import { RequestBuilder } from '../venues/trade-api/rest/request-builder.ts';
import { wrappedText } from '../report/text/text-columns.ts';
import { countedNoun } from '../report/text/figure-text.ts';
import { durationArgument } from './arguments/argument-parsers.ts';
import { ExitCode } from './output/exit-code.ts';
import { watchVenue } from '../app/drift/drift-live.ts';
import { passedOverText, recordedProfiles, readRecordings } from '../app/drift/drift-recordings.ts';
import { columns } from './output/text-format.ts';
import { knownProfile } from '../app/venue/open-venue.ts';
import { UsageError } from '../app/usage-error.ts';

interface DriftCommandOptions {
  readonly config?: string;
  readonly recordings?: string;
  readonly profile?: string;
  readonly for: number;
  readonly openapi?: string;
  readonly asyncapi?: string;
  readonly json?: true;
}

/** The command. */
export function driftCommand() {
  return new Command('drift')
    .description('Lay what a venue says beside its published files and our schemas, and list whatever differs.')
    .option('--config <file>', 'a bot’s config: its venue and markets are watched, nothing is traded')
    .addOption(
      new Option('--for <duration>', 'how long to watch')
        .argParser(durationArgument)
        .default(durationArgument('1m'), '1m'),
    )
    .option('--recordings <folder>', 'in place of watching: a folder of recorded answers and messages, or a tape')
    .option('--profile <name>', 'the wire that was recorded (default: what its tapes say; kalshi without one)')
    .option('--openapi <file>', 'the venue’s OpenAPI file of its requests, as it is or gzipped')
    .option('--asyncapi <file>', 'the venue’s AsyncAPI file of its feed, likewise')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Recordings are: NAME.json with its request in NAME.meta.json ({"method","path","status"}); NAME.jsonl with a message of the
feed, or an answer with "method", "url", "status" and "response_body", a line; the folders of \`presage record\` and of
journals. With a key the account is read too, and nothing else is done with it.

Exit code: 0 nothing differs; 1 something does, or a tape is damaged; 2 the command or a file is wrong.

Examples:
  presage drift --config config/kalshi-demo.yaml --for 5m --openapi openapi.yaml --asyncapi asyncapi.yaml
  presage drift --recordings recordings/2026-11-21 --openapi openapi.yaml.gz`,
    )
    .action(async (options) => {
      process.exitCode = await reportingTapeFaults(() => drift(options));
    });
}

async function drift(options: DriftCommandOptions): Promise<number> {
  const { config: file, recordings, profile: named, json } = options;
  if ((file === undefined) === (recordings === undefined))
    throw new UsageError('expected one of --config and --recordings');
  if (file !== undefined && named !== undefined)
    throw new UsageError('--profile: only with --recordings; a config says itself what is spoken');
  const config = file === undefined ? null : readBotConfig(file);
  const profile = config === null ? profileOf(named, recordings) : knownProfile(config.venue.profile);
  const tally = new DriftTally({ profile, ...specificationsOf(options, profile) });
  const sink = { tally, builder: new RequestBuilder(profile) };
  let problem: string | null = null;
  if (config !== null) problem = await watchVenue({ ...sink, config, forMs: options.for });
  const passedOver = recordings === undefined ? [] : readRecordings(recordings, sink);
  const report = tally.currentReport();
  if (problem === null && report.answers + report.messages === 0)
    throw new UsageError(nothingIn(recordings, passedOver));
  printLines(json ? [JSON.stringify({ ...report, passedOver })] : render(report, passedOver, process.stdout.columns));
  if (problem !== null) throw new UsageError(problem);
  return report.rows.length === 0 ? ExitCode.ok : ExitCode.session;
}

/** The wire that was recorded: as asked for, else as its tapes say, else the one that most recordings of others are of. */
function profileOf(named: string | undefined, recordings = ''): WireProfile {
  if (named !== undefined) return knownProfile(named, '--profile');
  const [spoken = 'kalshi', ...others] = recordedProfiles(recordings);
  if (others.length > 0)
    throw new UsageError(
      `--profile: expected one, for there are tapes of ${[spoken, ...others].join(', ')} in ${recordings}`,
    );
  return knownProfile(spoken);
}

function nothingIn(recordings: string | undefined, passedOver: readonly string[]): string {
  if (recordings === undefined) return 'nothing to compare: the venue did not say a word; see presage doctor';
  return `nothing to compare in ${recordings}${passedOver.length > 0 ? `; ${passedOverText(passedOver)}` : ''}`;
}

function specificationsOf({ openapi, asyncapi }: DriftCommandOptions, { basePath }: WireProfile) {
  return {
    ...(openapi !== undefined && { api: opened(openapi, (document) => new PublishedApi(document, basePath)) }),
    ...(asyncapi !== undefined && { feed: opened(asyncapi, (document) => new PublishedFeed(document)) }),
  };
}

function opened<T>(file: string, open: (document: unknown) => T): T {
  try {
    const bytes = readFileSync(file);
    return open(parse((isGzip(bytes) ? gunzipSync(bytes) : bytes).toString(), { logLevel: 'error' }));
  } catch (fault) {
    if (!(fault instanceof Error)) throw fault;
    throw new UsageError(`${file}: ${whyNot(fault)}`, { cause: fault });
  }
}

function whyNot(fault: Error): string {
  if ('code' in fault && 'syscall' in fault) return `expected a readable file, found ${String(fault.code)}`;
  const [first = ''] = fault.message.split('\n');
  return first.replace(/:$/, '');
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** The report as text: what was looked at, then what differs, by what it differs from and where. */
export function render(
  { answers, messages, dropped, rows }: DriftReport,
  passedOver: readonly string[],
  width = Number.POSITIVE_INFINITY,
): string[] {
  const lines = [`looked at ${countedNoun(answers, 'answer')} and ${countedNoun(messages, 'message')}`];
  if (passedOver.length > 0) lines.push(passedOverText(passedOver));
  if (rows.length === 0) return [...lines, 'nothing differs'];
  for (const beside of ['published', 'ours'] as const) {
    const own = rows.filter((row) => row.beside === beside);
    if (own.length === 0) continue;
    lines.push('', `${beside === 'published' ? 'beside the venue’s published files' : 'beside our schemas'}:`);
    for (const where of new Set(own.map((row) => row.where)))
      lines.push(`  ${where}`, ...rowsText(own, { where, width }));
  }
  if (dropped > 0) lines.push('', `${dropped} more differences were not kept`);
  return lines;
}

const WORDS: Readonly<Record<DriftRow['kind'], string>> = {
  'unknown-field': 'unknown member',
  'missing-field': 'missing member',
  'new-value': 'new value',
  'wrong-type': 'wrong type',
  undescribed: 'not described',
};

function rowsText(
  rows: readonly DriftRow[],
  { where, width }: { readonly where: string; readonly width: number },
): string[] {
  const own = rows.filter((row) => row.where === where);
  const heads = columns(own.map(({ kind, path, count }) => [`    ${WORDS[kind]}: ${path}`, `×${count}`]));
  return own.flatMap(({ expected, found }, index) => {
    const head = heads[index] ?? '';
    const words = `expected ${expected}, found ${found}`;
    if (head.length + 2 + words.length <= width) return [`${head}  ${words}`];
    return [head, ...wrappedText(words, width - 6).map((line) => `      ${line}`)];
  });
}
