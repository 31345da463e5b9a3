// Runs an import: reads the files once, and writes definitions, rows and findings. Must never leave half a tape behind.
import { type Stats, statSync } from 'node:fs';
import type { TapeEvent } from '../../domain/event-kinds.ts';
import type { TickerTable } from '../../domain/ids.ts';
import type { PrintRow } from '../baked/baked-writer.ts';
import { BookCoverage } from './books/book-coverage.ts';
import { type ImportPrologue, prologueOf } from './market-definitions.ts';
import { ImportFault } from './import-fault.ts';
import { FileHash } from './rows/file-hash.ts';
import { Findings } from './import-findings.ts';
import type { ImportFormat, ImportOptions, ImportProgress, ImportReport } from './import-format.ts';
import { StoredRows } from './rows/stored-rows.ts';
import { MarketSurvey } from './market-survey.ts';
import { TapeClock } from './times/tape-clock.ts';
import { checkColumnNames } from './rows/text-rows.ts';
import { TimedRowWriter } from './rows/timed-row-writer.ts';
import { verdictOf } from './import-verdict.ts';
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
  checkColumnNames(columns, format.columns ?? []);
  const sizes = files.map((file) => ({ file, bytes: sizeOf(file) }));
  const bytesTotal = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const hash = new FileHash(sizes);
  try {
    const { survey, books, dialect, ...result } = await importRows(format, options, bytesTotal);
    const facts = writer.finish({ source: format.name, venue, sourceHash: await hash.digest() });
    const coverage = books.coverageOf(survey);
    const findings = result.findings.listFindings();
    const { read } = result;
    const unnumbered = dialect?.unnumbered ?? null;
    return {
      format: format.name,
      files,
      read,
      markets: survey.surveyedMarkets().length,
      dialect: dialect?.name ?? null,
      coverage,
      ...verdictOf({ read, rows: facts.rows, coverage, findings, unnumbered }),
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
}

/**
 * Imports rows. Rows are usually passed straight to the writer. If definitions give results, rows are stored first, and
 * the results are inserted between them.
 */
async function importRows(format: ImportFormat, options: ImportOptions, bytesTotal: number): Promise<ReadResult> {
  const { definitions, writer } = options;
  const hasLater = definitions?.markets.some(({ result }) => result !== null) === true;
  const { assumptions, ...result } = await (hasLater ? importStaged : importStraight)(format, options, bytesTotal);
  for (const sentence of assumptions) writer.addAssumption(sentence);
  return result;
}

async function importStraight(format: ImportFormat, options: ImportOptions, bytesTotal: number): Promise<FilesRead> {
  const { writer, definitions } = options;
  const rows = new TimedRowWriter(writer, []);
  const read = await readFiles(format, options, { rows, bytesTotal, passes: 1 });
  writer.writeToFront(() => writePrologue(options, prologueOf(read.survey, definitions, writer.tickers), read.survey));
  rows.finish();
  return read;
}

async function importStaged(format: ImportFormat, options: ImportOptions, bytesTotal: number): Promise<FilesRead> {
  const { writer, definitions } = options;
  const staged = new StoredRows();
  try {
    const read = await readFiles(format, options, { rows: staged, bytesTotal, passes: 2 });
    const prologue = prologueOf(read.survey, definitions, writer.tickers);
    writePrologue(options, prologue, read.survey);
    const rows = new TimedRowWriter(writer, prologue.later);
    await staged.replayTo(writer.tickers, rows, (share) => {
      const bytes = Math.round(share * bytesTotal);
      reportProgress(options, { phase: 'rows', bytes, bytesTotal, rows: read.read, share: (1 + share) / 2 });
    });
    rows.finish();
    return read;
  } finally {
    staged.deleteFiles();
  }
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

/** Receives rows with the market numbers of `tickers`. */
interface RowSink {
  readonly tickers: TickerTable;
  addEvent(event: TapeEvent): void;
  addPrint(row: PrintRow): void;
}

interface Reading {
  readonly rows: RowSink;
  readonly bytesTotal: number;
  readonly passes: number;
}

interface FilesRead extends ReadResult {
  readonly assumptions: readonly string[];
}

/** Reads the files once: passes their rows on, and surveys them. */
async function readFiles(
  format: ImportFormat,
  options: ImportOptions,
  { rows, bytesTotal, passes }: Reading,
): Promise<FilesRead> {
  const survey = new MarketSurvey(rows.tickers);
  const books = new BookCoverage();
  const findings = new Findings();
  let dialect: FeedDialect | null = null;
  const assumptions: string[] = [];
  let [read, bytes] = [0, 0];
  await format.importFiles({
    options,
    tickers: rows.tickers,
    findings,
    clock: new TapeClock(findings),
    countRow: () => {
      read += 1;
    },
    addBytes: (more) => {
      bytes += more;
      const share = bytes / bytesTotal / passes;
      reportProgress(options, { phase: 'survey', bytes, bytesTotal, rows: read, share });
    },
    emitEvent: (event) => {
      survey.addEvent(event);
      books.addEvent(event);
      rows.addEvent(event);
    },
    emitPrint: (row) => {
      survey.addPrint(row);
      rows.addPrint(row);
    },
    setDialect: (found) => {
      dialect = found;
    },
    addAssumption: (sentence) => assumptions.push(sentence),
  });
  return { survey, books, findings, dialect, read, assumptions };
}

/** @throws the signal's reason when the import was stopped. */
function reportProgress({ signal, onProgress }: ImportOptions, progress: ImportProgress): void {
  signal?.throwIfAborted();
  onProgress?.(progress);
}

/** Returns the size of a regular file. A pipe is refused, because it cannot be read a second time for the hash. */
function sizeOf(file: string): number {
  const stats = statsOf(file);
  if (stats.isFile()) return stats.size;
  const found = stats.isDirectory() ? 'a folder' : 'what cannot be read twice';
  throw new ImportFault({ file, line: null }, `expected a file, found ${found}`);
}

function statsOf(file: string): Stats {
  try {
    return statSync(file);
  } catch (cause) {
    throw new ImportFault({ file, line: null }, `expected a file that can be read, found ${codeOf(cause)}`, { cause });
  }
}

const codeOf = (cause: unknown): string => (cause instanceof Error && 'code' in cause ? String(cause.code) : 'none');
