// Runs an import: reads the files once, tells what the markets are, and then what the files said, with all that was found.
// Must never leave half a tape behind, nor let an event of an account onto it.
import { type Stats, statSync } from 'node:fs';
import type { BookDelta, EngineEvent } from '../../domain/event.ts';
import { isOtherEvent } from '../baked/rows.ts';
import { Coverage } from '../baked/coverage.ts';
import type { DeltaRun, RowWriter } from '../baked/writer.ts';
import { type Prologue, prologueOf } from './definitions.ts';
import { ImportFault } from './fault.ts';
import { FileHash } from './file-hash.ts';
import { Findings } from './findings.ts';
import type { Format, ImportOptions, ImportProgress, ImportReport } from './importer.ts';
import { type RowTaker, StagedRows } from './staged-rows.ts';
import { Survey } from './survey.ts';
import { TapeClock } from './tape-clock.ts';

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
  const { files, writer, venue } = options;
  const sizes = files.map((file) => ({ file, bytes: sizeOf(file) }));
  const bytesTotal = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const hash = new FileHash(sizes);
  const staged = new StagedRows();
  try {
    const { survey, findings, read, assumptions } = await readFiles(format, options, { staged, hash, bytesTotal });
    const prologue = prologueOf(survey, options.definitions, writer.tickers);
    const rows = new Rows(writer, prologue);
    rows.begin(options.emptyBooks === true && !survey.hasBooks);
    staged.tell(writer.tickers, rows, (share) =>
      tellProgress(options, { phase: 'rows', bytes: Math.round(share * bytesTotal), bytesTotal, rows: read }),
    );
    rows.end();
    for (const sentence of assumptions) writer.assume(sentence);
    const facts = writer.finish({ source: format.name, venue, sourceHash: hash.digest() });
    return { format: format.name, files, read, markets: survey.markets().length, findings: findings.list(), facts };
  } finally {
    staged.remove();
  }
}

/** What is kept of the files while they are read. */
interface Kept {
  readonly staged: StagedRows;
  readonly hash: FileHash;
  readonly bytesTotal: number;
}

/** Reads the files once: what they say is kept, and looked at for what must be told before it. */
async function readFiles(format: Format, options: ImportOptions, { staged, hash, bytesTotal }: Kept) {
  const survey = new Survey(staged.tickers);
  const findings = new Findings();
  const assumptions: string[] = [];
  let [read, bytes] = [0, 0];
  await format.tell({
    options,
    tickers: staged.tickers,
    findings,
    clock: new TapeClock(findings),
    count: () => {
      read += 1;
    },
    hear: (file, heard) => hash.hear(file, heard),
    progress: (more) => {
      bytes += more;
      tellProgress(options, { phase: 'survey', bytes, bytesTotal, rows: read });
    },
    emit: (event) => {
      survey.see(event);
      staged.take(event);
    },
    print: (row) => {
      survey.seePrint(row);
      staged.print(row);
    },
    assume: (sentence) => assumptions.push(sentence),
  });
  return { survey, findings, read, assumptions };
}

/** @throws the signal's reason when the import was stopped. */
function tellProgress({ signal, onProgress }: ImportOptions, progress: ImportProgress): void {
  signal?.throwIfAborted();
  onProgress?.(progress);
}

/** Rows on their way to the writer, with what becomes known between them. */
class Rows implements RowTaker {
  readonly #writer: RowWriter;
  readonly #prologue: Prologue;
  readonly #coverage: Coverage;
  #next = 0;

  constructor(writer: RowWriter, prologue: Prologue) {
    this.#writer = writer;
    this.#prologue = prologue;
    this.#coverage = new Coverage(writer);
  }

  /** @param withBooks whether each market begins with an empty book. */
  begin(withBooks: boolean): void {
    const { beginning, assumptions } = this.#prologue;
    for (const sentence of assumptions) this.#writer.assume(sentence);
    for (const event of beginning) this.#writer.other(event);
    if (!withBooks) return;
    this.#writer.assume('No books were recorded: each begins empty, and stays so.');
    for (const event of beginning) {
      if (event.kind !== 'market') continue;
      this.#writer.snapshot({ at: event.at, exchangeAt: null, market: event.market.index, bids: [], asks: [] });
    }
  }

  take(event: Exclude<EngineEvent, BookDelta>): void {
    if (this.#next < this.#prologue.later.length) this.#tellUntil(event.at);
    switch (event.kind) {
      case 'book-snapshot':
        this.#coverage.know(event.market, event.at);
        return this.#writer.snapshot(event);
      case 'print':
        return this.#writer.print(event);
      case 'feed-gap':
        return this.#coverage.doubt(event.at, event.markets, event.reason);
      default:
        if (isOtherEvent(event)) this.#writer.other(event);
    }
  }

  /** Many changes at once, as far as nothing becomes known between them. */
  changes({ block, from, to, numbers }: DeltaRun): void {
    const { at } = block;
    for (let row = from; row < to;) {
      this.#tellUntil(at[row] ?? 0);
      const due = this.#prologue.later[this.#next]?.at ?? Infinity;
      let end = due === Infinity ? to : row + 1;
      while (end < to && (at[end] ?? 0) < due) end += 1;
      this.#writer.deltas({ block, from: row, to: end, numbers });
      row = end;
    }
  }

  #tellUntil(at: number): void {
    const { later } = this.#prologue;
    for (let event = later[this.#next]; event !== undefined && event.at <= at; event = later[this.#next]) {
      this.#writer.other(event);
      this.#next += 1;
    }
  }

  /** What happened after the last row. Nothing is known of any book by then. */
  end(): void {
    const last = this.#prologue.later.at(-1);
    const at = this.#writer.lastAt;
    if (at !== null) this.#coverage.end(at);
    if (last === undefined || at === null || this.#next >= this.#prologue.later.length) return;
    this.#writer.gap({ from: at, to: last.at, reason: 'the files end here', tickers: [] });
    this.#tellUntil(last.at);
  }
}

/** A pipe cannot be read twice. */
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
