// `presage tape import`: makes a tape from other programs' data, and counts all that was left out, changed or out of
// sequence.
import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { newFilePath, reportingTapeFaults } from './tape-opening.ts';
import { stoppedBySignal } from './stoppable-work.ts';
import { printLines } from '../output/print-lines.ts';
import { ticker } from '../../domain/ids.ts';
import { QTY_DECIMALS, parseScaled, qty } from '../../domain/units.ts';
import { BakedWriter } from '../../tape/baked/baked-writer.ts';
import {
  IMPORTERS,
  ImportFault,
  type ImportReport,
  type Importer,
  flagsOf,
  importerNamed,
} from '../../tape/import/import-formats.ts';
import { captureWire } from '../../venues/trade-api/captures/capture-dialects.ts';
import { ExitCode } from '../output/exit-code.ts';
import { readDefinitions } from './import-definitions.ts';
import { renderImport } from './import-report.ts';
import { progressBar } from '../output/progress-bar.ts';
import { UsageError } from '../../app/usage-error.ts';

interface ImportCommandOptions {
  readonly format: string;
  readonly out: string;
  readonly markets?: readonly string[];
  readonly venue: string;
  readonly timeZone?: string;
  readonly quoteQty?: number;
  readonly duplicates?: 'keep' | 'drop';
  readonly dialect?: string;
  readonly ticker?: string;
  readonly column?: ColumnNames;
  readonly emptyBooks?: true;
  readonly acceptUnknown?: true;
  readonly json?: true;
}

const NAME_WIDTH = Math.max(...IMPORTERS.map(({ name }) => name.length));
const FORMATS = IMPORTERS.map(
  ({ name, description, options }) => `  ${name.padEnd(NAME_WIDTH)}  ${description} (${flagsOf(options)})`,
).join('\n');

/** Creates `presage tape import`. */
export function importCommand() {
  return new Command('import')
    .description(
      'Make a tape of data that was recorded otherwise: feed captures, polled books, trades, quotes, candles.',
    )
    .argument('<files...>', 'the files, in the order of their data')
    .requiredOption('--format <name>', `one of ${IMPORTERS.map(({ name }) => name).join(', ')}`)
    .requiredOption('--out <file>', 'the new tape, a baked .arrow file')
    .option(
      '--markets <place>',
      'what describes the markets: the venue’s own answers as JSON, definitions as YAML, or a folder of such files; may be ' +
        'given several times',
      listArgument,
    )
    .option('--venue <name>', 'what to call the venue', 'service')
    .option('--time-zone <name>', 'time zone of clock times without one, such as America/Los_Angeles')
    .option('--quote-qty <contracts>', 'quantity of a quote without a size; one contract by default', contractsArgument)
    .option(
      '--duplicates <keep|drop>',
      'treatment of rows that equal an earlier one in every column',
      duplicatesArgument,
    )
    .option(
      '--dialect <name>',
      `how a feed capture is spelled: ${captureWire.feeds.map(({ name }) => name).join(', ')}`,
    )
    .option('--ticker <name>', 'the market, where the files do not name it')
    .option(
      '--column <ours=theirs>',
      'what a column of CSV or Parquet files is called: the name that the format knows, and the file’s; may be given ' +
        'several times',
      columnArgument,
    )
    .option('--empty-books', 'begin with an empty book for each market, where the files hold none')
    .option('--accept-unknown', 'end with 0 although most of the files counts as unknown')
    .option('--json', 'print one JSON object: coverage, warnings, what was assumed and found')
    .addHelpText(
      'after',
      `
Formats, each with the options that not every format has:
${FORMATS}
Nothing is left out or changed unseen: whatever is not plainly good is counted, with what was done about it.

Exit code: 0 all well; 1 most of the files counts as unknown, the tape could not be written, or a signal stopped it;
2 the command or a file is wrong.

Examples:
  presage tape import --format feed-jsonl capture.jsonl --out capture.arrow
  presage tape import --format trades-csv trades.csv --markets markets.json --out trades.arrow
  presage tape import --format quotes-csv quotes/*.csv --time-zone America/Los_Angeles --out quotes.arrow
  presage tape import --format trades-parquet t.parquet --column ticker=sym --column price=px --out trades.arrow
  presage tape import --format books-json polls.jsonl --markets metadata --out books.arrow`,
    )
    .action(async (files, options) => {
      process.exitCode = await reportingTapeFaults(() => runImport(files, options));
    });
}

async function runImport(files: readonly string[], options: ImportCommandOptions): Promise<number> {
  const importer = importerOf(options.format);
  const definitions = options.markets === undefined ? undefined : readDefinitions(options.markets, captureWire);
  const out = newFilePath(options.out);
  // Registered before the file exists: no signal can leave the file behind.
  const stop = stoppedBySignal();
  const writer = new BakedWriter(out, { isNew: true });
  const bar = progressBar(`importing`);
  try {
    const report = await importer.importFiles({
      files,
      writer,
      signal: stop.signal,
      wire: captureWire,
      venue: options.venue,
      definitions: definitions?.definitions,
      timeZone: options.timeZone,
      quoteQty: options.quoteQty === undefined ? undefined : qty(options.quoteQty),
      duplicates: options.duplicates,
      dialect: options.dialect,
      ticker: options.ticker === undefined ? undefined : ticker(options.ticker),
      columns: options.column,
      emptyBooks: options.emptyBooks,
      onProgress: ({ bytes, bytesTotal }) => bar.update(bytes, bytesTotal),
    });
    const notRead = definitions?.notRead ?? {};
    printLines(
      options.json
        ? [JSON.stringify({ ...report, notReadOfMarkets: notRead })]
        : renderImport(options.out, report, notRead),
    );
    return endOf(report, options);
  } catch (fault) {
    if (fault instanceof ImportFault) throw new UsageError(fault.message, { cause: fault });
    throw fault;
  } finally {
    stop.release();
    bar.close();
  }
}

/** A tape with mostly unknown content is probably a mistake. */
function endOf({ isMostlyUnknown }: ImportReport, { acceptUnknown, json }: ImportCommandOptions): number {
  if (!isMostlyUnknown || acceptUnknown === true) return ExitCode.ok;
  if (json !== true)
    process.stderr.write('presage: most of the files counts as unknown; --accept-unknown accepts that\n');
  return ExitCode.session;
}

function importerOf(name: string): Importer {
  const importer = importerNamed(name);
  if (importer !== undefined) return importer;
  const names = IMPORTERS.map((each) => each.name).join(', ');
  throw new UsageError(`--format: expected one of ${names}, found ${JSON.stringify(name)}`);
}

function contractsArgument(text: string): number {
  const value = parseScaled(text, QTY_DECIMALS);
  if (value !== null && value > 0) return value;
  throw new InvalidArgumentError('Expected contracts above zero, such as 1 or 0.25.');
}

function duplicatesArgument(text: string): 'keep' | 'drop' {
  if (text === 'keep' || text === 'drop') return text;
  throw new InvalidArgumentError('Expected keep or drop.');
}

type ColumnNames = ReadonlyMap<string, string>;

function columnArgument(text: string, before: ColumnNames = new Map<string, string>()): ColumnNames {
  const [, ours = '', theirs = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (ours === '') throw new InvalidArgumentError('Expected two names, such as price=px.');
  if (before.has(ours)) throw new InvalidArgumentError(`Expected one name for ${ours}, found two.`);
  return new Map([...before, [ours, theirs]]);
}

const listArgument = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
