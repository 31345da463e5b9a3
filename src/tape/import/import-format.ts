// Types shared by all imports: options, report, and the `ImportFormat` that each format implements. `run-import.ts`
// does the work common to all formats.
import type { TapeEvent } from '../../domain/event-kinds.ts';
import type { Ticker, TickerTable } from '../../domain/ids.ts';
import type { Qty } from '../../domain/units.ts';
import type { TapeFacts } from '../baked/tape-rows.ts';
import type { PrintRow, RowWriter } from '../baked/baked-writer.ts';
import type { ImportCoverage } from './books/book-coverage.ts';
import type { ImportFinding, Findings } from './import-findings.ts';
import type { FormatOption } from './import-options.ts';
import type { TapeClock } from './times/tape-clock.ts';
import type { TextColumn, GivenColumnNames } from './rows/text-rows.ts';
import type { Definitions, FeedDialect, ImportWire } from './import-wire.ts';

export interface ImportProgress {
  /** Bytes of the files on disk that were read. */
  readonly bytes: number;
  readonly bytesTotal: number;
  readonly rows: number;
}

/** Options of an import. */
export interface ImportOptions {
  /** The files. Rows with times of their own are merged by time; captures are read one after another. */
  readonly files: readonly string[];
  /** Receives the rows. A successful import finishes it, and a failed import abandons it. */
  readonly writer: RowWriter;
  readonly wire: ImportWire;
  /** The venue's name, for the tape's facts. */
  readonly venue: string;
  /** Definitions of the markets from another source. */
  readonly definitions?: Definitions | undefined;
  /** IANA name of the zone for times without a zone. */
  readonly timeZone?: string | undefined;
  /** Quantity of a quote without a size, in hundredths of a contract. Default one contract. */
  readonly quoteQty?: Qty | undefined;
  /** Handling of a trade without an id that equals an earlier trade. Default `keep`. */
  readonly duplicates?: 'keep' | 'drop' | undefined;
  /** Name of a capture's dialect. Default: determined from the first messages. */
  readonly dialect?: string | undefined;
  /** The market of a file that does not name it. */
  readonly ticker?: Ticker | undefined;
  /** Column names of CSV and Parquet files, if the user gives them. */
  readonly columns?: GivenColumnNames | undefined;
  /** True: a tape without books begins with an empty book for each market, so that orders may rest there. */
  readonly emptyBooks?: boolean | undefined;
  /** True: another thread reads a capture ahead. Default: true for a long capture, on a machine with a second core. */
  readonly readsAhead?: boolean | undefined;
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  /** Stops the import, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Report of an import. */
export interface ImportReport {
  readonly format: string;
  readonly files: readonly string[];
  /** Rows, lines or messages that were read, without blank lines and headers. */
  readonly read: number;
  readonly markets: number;
  /** Dialect of a feed capture; `null` for other formats. */
  readonly dialect: string | null;
  readonly coverage: ImportCoverage;
  /** Warnings to read before the tape is used. */
  readonly warnings: readonly string[];
  /** True: the tape is of little use. Most of its content is unknown or left out, or numbers are missing. */
  readonly isMostlyUnknown: boolean;
  /** Everything unusual, with its handling. */
  readonly findings: readonly ImportFinding[];
  readonly facts: TapeFacts;
}

/** The means by which a format imports its files. */
export interface ImportContext {
  readonly options: ImportOptions;
  readonly tickers: TickerTable;
  readonly findings: Findings;
  readonly clock: TapeClock;
  /** Writes an event that the caller has dated by `clock`. The event may be reused after the call. */
  readonly emitEvent: (event: TapeEvent) => void;
  /** Writes a print. Its id may be empty. */
  readonly emitPrint: (row: PrintRow) => void;
  readonly setDialect: (dialect: FeedDialect) => void;
  /** Adds an assumption to the tape's facts. A repeated sentence counts once. */
  readonly addAssumption: (sentence: string) => void;
  readonly countRow: () => void;
  /**
   * Reports more bytes of a file as read.
   * @throws the signal's reason when the import was stopped.
   */
  readonly addBytes: (bytes: number) => void;
}

/** One format of import files. */
export interface ImportFormat {
  readonly name: string;
  readonly description: string;
  /** Endings of accepted file names, with `.gz` if compressed files are accepted. */
  readonly accepts: readonly string[];
  /** Options that it reads, of those that not every format reads. */
  readonly options: readonly FormatOption[];
  /** Columns read from files with named columns. */
  readonly columns?: readonly TextColumn[];
  /**
   * Imports all content of the files.
   * @throws {ImportFault} when an option is missing or wrong, or a file is not of this format at all.
   */
  importFiles(telling: ImportContext): Promise<void>;
}

/** A format that can be run. */
export interface Importer extends Pick<ImportFormat, 'name' | 'description' | 'accepts' | 'options'> {
  /**
   * Imports files.
   * @throws {ImportFault} when the import is impossible; the writer is then abandoned.
   */
  importFiles(options: ImportOptions): Promise<ImportReport>;
}
