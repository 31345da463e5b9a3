// Runs an import: reads the files once, and writes definitions, rows and findings. Must never leave half a tape behind.
import { BookCoverage } from './books/book-coverage.ts';
import { type ImportPrologue, prologueOf } from './market-definitions.ts';
import { ImportFault } from './import-fault.ts';
import { checkedFiles } from './import-files.ts';
import { FileHash } from './rows/file-hash.ts';
import { Findings } from './import-findings.ts';
import type { ImportFormat, ImportOptions, ImportProgress, ImportReport } from './import-format.ts';
import { checkOptions } from './import-options.ts';
import { MarketSurvey } from './market-survey.ts';
import { TapeClock } from './times/tape-clock.ts';
import { checkColumnNames } from './rows/text-rows.ts';
import { RowSink } from './rows/row-sink.ts';
import { nothingText, verdictOf } from './import-verdict.ts';
import type { FeedDialect } from './import-wire.ts';

/** Imports files of one format. */
export async function runImport(format: ImportFormat, options: ImportOptions): Promise<ImportReport> {
  try {
    return await importFiles(format, options);
  } catch (fault) {
    options.writer.abandon();
    throw fault;
  }
}

async function importFiles(format: ImportFormat, options: ImportOptions): Promise<ImportReport> {
  const { files, writer, venue, columns = new Map<string, string>() } = options;
  checkOptions(format, options);
  checkColumnNames(columns, format.columns ?? []);
  const sizes = checkedFiles(files, format.accepts);
  const bytesTotal = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const hash = new FileHash(sizes);
  try {
    const { survey, books, dialect, ...result } = await importRows(format, options, bytesTotal);
    const { read } = result;
    const findings = result.findings.listFindings();
    if (!result.hasFacts) throw new ImportFault(null, nothingText(format.name, read, findings));
    const facts = writer.finish({ source: format.name, venue, sourceHash: await hash.digest() });
    const coverage = books.coverageOf(survey);
    const unnumbered = dialect?.unnumbered ?? null;
    return {
      format: format.name,
      files,
      read,
      markets: survey.surveyedMarkets().length,
      dialect: dialect?.name ?? null,
      coverage,
      ...verdictOf({ read, coverage, findings, unnumbered }),
      findings,
      facts,
    };
  } finally {
    hash.close();
  }
}

interface ReadResult {
  readonly survey: MarketSurvey;
  readonly books: BookCoverage;
  readonly findings: Findings;
  readonly dialect: FeedDialect | null;
  /** Rows, lines or messages that were read. */
  readonly read: number;
  /** True when something was recorded: gaps alone are none. */
  readonly hasFacts: boolean;
}

/** Imports rows. Definitions, and results that belong between the rows, are inserted once all files are read. */
async function importRows(format: ImportFormat, options: ImportOptions, bytesTotal: number): Promise<ReadResult> {
  const { definitions, writer } = options;
  const rows = new RowSink(writer);
  const { assumptions, ...read } = await readFiles(format, options, { rows, bytesTotal });
  const prologue = prologueOf(read.survey, definitions, writer.tickers);
  rows.finish(prologue.later);
  writer.writeToFront(() => writePrologue(options, prologue, read.survey));
  for (const sentence of assumptions) writer.addAssumption(sentence);
  return read;
}

/** Writes the definitions and empty books that come before the first row. */
function writePrologue(
  { writer, emptyBooks }: ImportOptions,
  { beginning, assumptions }: ImportPrologue,
  survey: MarketSurvey,
): void {
  for (const sentence of assumptions) writer.addAssumption(sentence);
  for (const event of beginning) writer.writeOther(event);
  if (emptyBooks !== true || survey.hasBooks) return;
  writer.addAssumption('No books were recorded: each begins empty, and stays so.');
  for (const event of beginning) {
    if (event.kind !== 'market') continue;
    writer.writeSnapshot({ at: event.at, exchangeAt: null, market: event.market.index, bids: [], asks: [] });
  }
}

interface Reading {
  readonly rows: RowSink;
  readonly bytesTotal: number;
}

interface FilesRead extends ReadResult {
  readonly assumptions: readonly string[];
}

/** Reads the files once: passes their rows on, and surveys them. */
async function readFiles(
  format: ImportFormat,
  options: ImportOptions,
  { rows, bytesTotal }: Reading,
): Promise<FilesRead> {
  const survey = new MarketSurvey(rows.tickers);
  const books = new BookCoverage();
  const findings = new Findings();
  let dialect: FeedDialect | null = null;
  const assumptions: string[] = [];
  let [read, bytes] = [0, 0];
  let hasFacts = false;
  const clock = new TapeClock(findings);
  await format.importFiles({
    options,
    tickers: rows.tickers,
    findings,
    clock,
    countRow: () => {
      read += 1;
    },
    addBytes: (more) => {
      bytes += more;
      reportProgress(options, { bytes, bytesTotal, rows: read });
    },
    emitEvent: (event) => {
      hasFacts ||= event.kind !== 'feed-gap';
      survey.addEvent(event);
      books.addEvent(event);
      rows.addEvent(event);
    },
    emitPrint: (row) => {
      hasFacts = true;
      survey.addPrint(row);
      rows.addPrint(row);
    },
    setDialect: (found) => {
      dialect = found;
    },
    addAssumption: (sentence) => assumptions.push(sentence),
  });
  clock.endRows();
  return { survey, books, findings, dialect, read, hasFacts, assumptions };
}

/** @throws the signal's reason when the import was stopped. */
function reportProgress({ signal, onProgress }: ImportOptions, progress: ImportProgress): void {
  signal?.throwIfAborted();
  onProgress?.(progress);
}
