// Runs an import: reads the files once, and writes the definitions of the markets, the rows, and the findings. Must
// never leave half a tape behind.
import { type Stats, statSync } from 'node:fs';
import type { EngineEvent } from '../../domain/event.ts';
import type { TickerTable } from '../../domain/ids.ts';
import type { PrintRow } from '../baked/writer.ts';
import { BookCoverage } from './book-coverage.ts';
import { type Prologue, prologueOf } from './definitions.ts';
import { ImportFault } from './fault.ts';
import { FileHash } from './file-hash.ts';
import { Findings } from './findings.ts';
import type { Format, ImportOptions, ImportProgress, ImportReport } from './importer.ts';
import { StagedRows } from './staged-rows.ts';
import { Survey } from './survey.ts';
import { TapeClock } from './tape-clock.ts';
import { checkColumnNames } from './text-rows.ts';
import { ToldRows } from './told-rows.ts';
import { verdictOf } from './verdict.ts';
import type { FeedDialect } from './wire.ts';

/** Imports files of one format. */
export async function runImport(format: Format, options: ImportOptions): Promise<ImportReport> {
  try {
    return await importFiles(format, options);
  } catch (fault) {
    options.writer.abandon();
    throw fault;
  }
}

async function importFiles(format: Format, options: ImportOptions): Promise<ImportReport> {
  const { files, writer, venue, columns = new Map<string, string>() } = options;
  checkColumnNames(columns, format.columns ?? []);
  const sizes = files.map((file) => ({ file, bytes: sizeOf(file) }));
  const bytesTotal = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const hash = new FileHash(sizes);
  try {
    const { survey, books, dialect, ...result } = await importRows(format, options, bytesTotal);
    const facts = writer.finish({ source: format.name, venue, sourceHash: await hash.digest() });
    const coverage = books.report(survey);
    const findings = result.findings.list();
    const { read } = result;
    const unnumbered = dialect?.unnumbered ?? null;
    return {
      format: format.name,
      files,
      read,
      markets: survey.markets().length,
      dialect: dialect?.name ?? null,
      coverage,
      ...verdictOf({ read, rows: facts.rows, coverage, findings, unnumbered }),
      findings,
      facts,
    };
  } finally {
    hash.end();
  }
}

/** Result of reading the files. */
interface ReadResult {
  readonly survey: Survey;
  readonly books: BookCoverage;
  readonly findings: Findings;
  readonly dialect: FeedDialect | null;
  /** Rows, lines or messages that were read. */
  readonly read: number;
}

/**
 * Imports rows. They go straight to the writer, unless results must be inserted between them whose times are known only
 * in the end.
 */
async function importRows(format: Format, options: ImportOptions, bytesTotal: number): Promise<ReadResult> {
  const { definitions, writer } = options;
  const hasLater = definitions?.markets.some(({ result }) => result !== null) === true;
  const { assumptions, ...result } = await (hasLater ? importStaged : importStraight)(format, options, bytesTotal);
  for (const sentence of assumptions) writer.assume(sentence);
  return result;
}

async function importStraight(format: Format, options: ImportOptions, bytesTotal: number): Promise<FilesRead> {
  const { writer, definitions } = options;
  const rows = new ToldRows(writer, []);
  const read = await readFiles(format, options, { rows, bytesTotal, passes: 1 });
  writer.before(() => writePrologue(options, prologueOf(read.survey, definitions, writer.tickers), read.survey));
  rows.end();
  return read;
}

async function importStaged(format: Format, options: ImportOptions, bytesTotal: number): Promise<FilesRead> {
  const { writer, definitions } = options;
  const staged = new StagedRows();
  try {
    const read = await readFiles(format, options, { rows: staged, bytesTotal, passes: 2 });
    const prologue = prologueOf(read.survey, definitions, writer.tickers);
    writePrologue(options, prologue, read.survey);
    const rows = new ToldRows(writer, prologue.later);
    await staged.tell(writer.tickers, rows, (share) => {
      const bytes = Math.round(share * bytesTotal);
      reportProgress(options, { phase: 'rows', bytes, bytesTotal, rows: read.read, share: (1 + share) / 2 });
    });
    rows.end();
    return read;
  } finally {
    staged.remove();
  }
}

/** Writes the definitions and empty books that come before the first row. */
function writePrologue(
  { writer, emptyBooks }: ImportOptions,
  { beginning, assumptions }: Prologue,
  survey: Survey,
): void {
  for (const sentence of assumptions) writer.assume(sentence);
  for (const event of beginning) writer.other(event);
  if (emptyBooks !== true || survey.hasBooks) return;
  writer.assume('No books were recorded: each begins empty, and stays so.');
  for (const event of beginning) {
    if (event.kind !== 'market') continue;
    writer.snapshot({ at: event.at, exchangeAt: null, market: event.market.index, bids: [], asks: [] });
  }
}

/** Receives rows; `tickers` has its market numbers. */
interface RowSink {
  readonly tickers: TickerTable;
  take(event: EngineEvent): void;
  print(row: PrintRow): void;
}

interface Reading {
  readonly rows: RowSink;
  readonly bytesTotal: number;
  /** Number of passes over the content. */
  readonly passes: number;
}

interface FilesRead extends ReadResult {
  readonly assumptions: readonly string[];
}

/** Reads the files once: passes on their rows and surveys them. */
async function readFiles(
  format: Format,
  options: ImportOptions,
  { rows, bytesTotal, passes }: Reading,
): Promise<FilesRead> {
  const survey = new Survey(rows.tickers);
  const books = new BookCoverage();
  const findings = new Findings();
  let dialect: FeedDialect | null = null;
  const assumptions: string[] = [];
  let [read, bytes] = [0, 0];
  await format.tell({
    options,
    tickers: rows.tickers,
    findings,
    clock: new TapeClock(findings),
    count: () => {
      read += 1;
    },
    progress: (more) => {
      bytes += more;
      const share = bytes / bytesTotal / passes;
      reportProgress(options, { phase: 'survey', bytes, bytesTotal, rows: read, share });
    },
    emit: (event) => {
      survey.see(event);
      books.see(event);
      rows.take(event);
    },
    print: (row) => {
      survey.seePrint(row);
      rows.print(row);
    },
    readAs: (found) => {
      dialect = found;
    },
    assume: (sentence) => assumptions.push(sentence),
  });
  return { survey, books, findings, dialect, read, assumptions };
}

/** @throws the signal's reason when the import was stopped. */
function reportProgress({ signal, onProgress }: ImportOptions, progress: ImportProgress): void {
  signal?.throwIfAborted();
  onProgress?.(progress);
}

/** Size of a regular file; a pipe cannot be read twice. */
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
