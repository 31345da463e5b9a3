// `presage tape import`: what others recorded, as a tape; and what of it was not plainly good, counted.
import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { ticker } from '../domain/ids.ts';
import { QTY_DECIMALS, parseScaled, qty } from '../domain/units.ts';
import { countOf } from '../report/figures.ts';
import { BakedWriter } from '../tape/baked/writer.ts';
import {
  type Finding,
  IMPORTERS,
  ImportFault,
  type ImportReport,
  type Importer,
  importerNamed,
} from '../tape/import/index.ts';
import { captureWire } from '../venues/trade-api/captures.ts';
import { ExitCode, UsageError } from './command.ts';
import { columns } from './format.ts';
import { type ReadDefinitions, readDefinitions } from './import-definitions.ts';
import { momentText } from './journal-text.ts';
import { progressBar } from './progress-bar.ts';
import { newFile, reporting, write } from './tape-place.ts';

interface ImportCommandOptions {
  readonly format: string;
  readonly out: string;
  readonly markets?: string;
  readonly venue: string;
  readonly timeZone?: string;
  readonly quoteQty?: number;
  readonly duplicates?: 'keep' | 'drop';
  readonly dialect?: string;
  readonly ticker?: string;
  readonly emptyBooks?: true;
  readonly json?: true;
}

const NAME_WIDTH = Math.max(...IMPORTERS.map(({ name }) => name.length));
const FORMATS = IMPORTERS.map(({ name, description }) => `  ${name.padEnd(NAME_WIDTH)}  ${description}`).join('\n');

/** `presage tape import`. */
export function importCommand() {
  return new Command('import')
    .description('Make a tape of data that was recorded otherwise: feed captures, trades, quotes, candles.')
    .argument('<files...>', 'the files, in the order in which they belong')
    .requiredOption('--format <name>', `one of ${IMPORTERS.map(({ name }) => name).join(', ')}`)
    .requiredOption('--out <file>', 'the new tape, a baked .arrow file')
    .option(
      '--markets <file>',
      'what describes the markets: the venue’s own answers as JSON, or the house’s own words as YAML',
    )
    .option('--venue <name>', 'what to call the venue', 'service')
    .option('--time-zone <name>', 'whose clock times without a zone show, such as America/Los_Angeles')
    .option(
      '--quote-qty <contracts>',
      'what a quote without a size stands for; one contract unless told',
      contractsArgument,
    )
    .option(
      '--duplicates <keep|drop>',
      'what becomes of rows that equal an earlier one in every column',
      duplicatesArgument,
    )
    .option(
      '--dialect <name>',
      `how a feed capture is spelled: ${captureWire.feeds.map(({ name }) => name).join(', ')}`,
    )
    .option('--ticker <name>', 'the market, where the files do not name it')
    .option('--empty-books', 'begin with an empty book for each market, where the files hold none')
    .option('--json', 'print one JSON object: what was read, and what was found')
    .addHelpText(
      'after',
      `
Formats:
${FORMATS}
Nothing is left out or changed unseen: whatever is not plainly good is counted, with what was done about it.

Exit code: 0 all well; 1 nothing could be read, or the tape could not be written; 2 the command or a file is wrong.

Examples:
  presage tape import --format feed-jsonl capture.jsonl --out capture.arrow
  presage tape import --format trades-csv trades.csv --markets markets.json --out trades.arrow
  presage tape import --format quotes-csv quotes/*.csv --time-zone America/Los_Angeles --out quotes.arrow`,
    )
    .action(async (files, options) => {
      process.exitCode = await reporting(() => runImport(files, options));
    });
}

async function runImport(files: readonly string[], options: ImportCommandOptions): Promise<number> {
  const importer = importerOf(options.format);
  const definitions = options.markets === undefined ? undefined : readDefinitions(options.markets, captureWire);
  const writer = new BakedWriter(newFile(options.out));
  const bar = progressBar(`importing`);
  try {
    const report = await importer.run({
      files,
      writer,
      wire: captureWire,
      venue: options.venue,
      definitions: definitions?.definitions,
      timeZone: options.timeZone,
      quoteQty: options.quoteQty === undefined ? undefined : qty(options.quoteQty),
      duplicates: options.duplicates,
      dialect: options.dialect,
      ticker: options.ticker === undefined ? undefined : ticker(options.ticker),
      emptyBooks: options.emptyBooks,
      onProgress: ({ share, bytesTotal }) => bar.at(share * bytesTotal, bytesTotal),
    });
    const notRead = definitions?.notRead ?? {};
    write(
      options.json
        ? [JSON.stringify({ ...report, notReadOfMarkets: notRead })]
        : renderReport(options.out, report, notRead),
    );
    // Files of which nothing could be read are not what they were taken for.
    return report.facts.rows === 0 ? ExitCode.session : ExitCode.ok;
  } catch (fault) {
    if (fault instanceof ImportFault) throw new UsageError(fault.message, { cause: fault });
    throw fault;
  } finally {
    bar.end();
  }
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

function renderReport(
  out: string,
  { read, markets, findings, facts }: ImportReport,
  notRead: ReadDefinitions['notRead'],
): string[] {
  const others = Object.entries(notRead).map(
    ([kind, count]) => `note: of the description of markets, ${kind} was not read (${count} times)`,
  );
  return [
    `${out}: ${read} read, ${facts.rows} rows of ${countOf(markets, 'market')}, ${countOf(facts.gaps.length, 'gap')}`,
    facts.rows === 0 ? '  NOTHING IS ON IT' : `  ${momentText(facts.from)} to ${momentText(facts.to)}`,
    ...columns(Object.entries(facts.counts).map(([kind, count]) => [`  ${kind}`, String(count)])),
    ...(findings.length === 0 ? ['nothing was left out, changed or out of order'] : findings.flatMap(renderFinding)),
    ...facts.assumptions.map((sentence) => `note: ${sentence}`),
    ...others,
  ];
}

function renderFinding({ kind, count, resolution, examples }: Finding): string[] {
  const [first] = examples;
  const where =
    first === undefined
      ? ''
      : `, first in ${first.file}${first.line === null ? '' : `, line ${first.line}`}: ${first.what}`;
  return [`${count} ${kind}: ${resolution}${where}`];
}
