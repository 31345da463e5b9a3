// What every import has in common: what it is asked, and what it reports. One format is one `Format`; `run-import.ts` does
// what all of them need. Nothing here does anything.
import type { EngineEvent } from '../../domain/event.ts';
import type { Ticker, TickerTable } from '../../domain/ids.ts';
import type { Qty } from '../../domain/units.ts';
import type { TapeFacts } from '../baked/rows.ts';
import type { PrintRow, RowWriter } from '../baked/writer.ts';
import type { ImportCoverage } from './book-coverage.ts';
import type { Finding, Findings } from './findings.ts';
import type { TapeClock } from './tape-clock.ts';
import type { Column, ColumnNames } from './text-rows.ts';
import type { Definitions, FeedDialect, ImportWire } from './wire.ts';

export interface ImportProgress {
  /**
   * `survey`: the files are read, and looked at for what must be known beforehand; `rows`: what they said is written, where
   * that could not be done on the way.
   */
  readonly phase: 'survey' | 'rows';
  /** Of the files as they are on disk. */
  readonly bytes: number;
  readonly bytesTotal: number;
  /** Rows read so far. */
  readonly rows: number;
  /** How much of everything is done, from 0 to 1. */
  readonly share: number;
}

/** What is asked of an import. */
export interface ImportOptions {
  /** In the order in which they belong; rows that have a time of their own are merged by it. */
  readonly files: readonly string[];
  /** Where the rows go. Finished when the import is done, given up when it fails. */
  readonly writer: RowWriter;
  readonly wire: ImportWire;
  /** The venue's name, for the tape's facts. */
  readonly venue: string;
  /** What is known of the markets from elsewhere. */
  readonly definitions?: Definitions | undefined;
  /** IANA name of the zone whose clock naive times show. */
  readonly timeZone?: string | undefined;
  /** What a quote without a size is taken to stand for, in hundredths of a contract; one contract unless told. */
  readonly quoteQty?: Qty | undefined;
  /** What becomes of a row that equals an earlier one in every column; kept unless told. */
  readonly duplicates?: 'keep' | 'drop' | undefined;
  /** The dialect of a feed capture by name; found out from the first messages unless told. */
  readonly dialect?: string | undefined;
  /** The market, where the file does not name it. */
  readonly ticker?: Ticker | undefined;
  /** What the columns of CSV and Parquet files are called, where the user says so. */
  readonly columns?: ColumnNames | undefined;
  /** Whether a tape without books begins with an empty one for each market, so that orders may rest there. */
  readonly emptyBooks?: boolean | undefined;
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  /** Stops the import, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What came of an import. */
export interface ImportReport {
  readonly format: string;
  readonly files: readonly string[];
  /** Rows, lines or messages that were read; blank lines and headers are none. */
  readonly read: number;
  readonly markets: number;
  /** The dialect of a feed capture; `null` for other formats. */
  readonly dialect: string | null;
  /** How much of the time books are known. */
  readonly coverage: ImportCoverage;
  /** What must be known before the tape is used, each with its remedy; none where all is well. */
  readonly warnings: readonly string[];
  /** Whether most of the files counts as unknown. */
  readonly isMostlyUnknown: boolean;
  /** What was not plainly good, with what was done about it. */
  readonly findings: readonly Finding[];
  /** What is on the tape: its counts, gaps and assumptions. */
  readonly facts: TapeFacts;
}

/** What a format is given to tell its files with. */
export interface Telling {
  readonly options: ImportOptions;
  readonly tickers: TickerTable;
  readonly findings: Findings;
  readonly clock: TapeClock;
  /** Tells an event, dated by the clock. Borrowed. */
  readonly emit: (event: EngineEvent) => void;
  /** Tells a public trade; without an id where there is none. */
  readonly print: (row: PrintRow) => void;
  /** Says which dialect the files turned out to have. */
  readonly readAs: (dialect: FeedDialect) => void;
  /** A sentence for the tape's facts; the same one counts once. */
  readonly assume: (sentence: string) => void;
  /** One more row was read. */
  readonly count: () => void;
  /**
   * So many more bytes of a file were read.
   * @throws the signal's reason when the import was stopped.
   */
  readonly progress: (bytes: number) => void;
}

/** One format. */
export interface Format {
  readonly name: string;
  readonly description: string;
  /** Endings of the file names that it takes, each also with `.gz` where that is said. */
  readonly accepts: readonly string[];
  /** What it reads of files with named columns. */
  readonly columns?: readonly Column[];
  /**
   * Tells everything that the files say, in order.
   * @throws {ImportFault} when an option is missing or wrong, or a file is not of this format at all.
   */
  tell(telling: Telling): Promise<void>;
}

/** A format that can be run. */
export interface Importer extends Omit<Format, 'tell' | 'columns'> {
  /**
   * Imports files.
   * @throws {ImportFault} when it cannot be done at all; the writer is given up then.
   */
  run(options: ImportOptions): Promise<ImportReport>;
}
