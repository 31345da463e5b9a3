// Bakes a tape: the venue's own normalizer turns the public part into rows that replay at memory speed. The recorder's
// own orders, fills and balances are left out. Must never bridge a stretch that was not recorded.
import type { TickerTable } from '../../domain/ids.ts';
import { EPOCH, type Micros } from '../../domain/units.ts';
import type { Normalizer } from '../../venue.ts';
import { GapTracker } from '../baked/gap-tracker.ts';
import type { TapeFacts } from '../baked/tape-rows.ts';
import { BakedWriter, type BakedWriterOptions, type RowWriter } from '../baked/baked-writer.ts';
import { TapeFault } from '../format/tape-fault.ts';
import { type SegmentHeader, readHeader } from '../format/segment-header.ts';
import type { Entry } from '../format/tape-line.ts';
import { PublicRows } from './public-rows.ts';
import { TapeReader } from '../journal/tape-reader.ts';
import { segmentsOf } from '../format/segment-files.ts';
import { sourceHashOf } from '../journal/source-hash.ts';
import type { Storage } from '../journal/storage.ts';

/**
 * Makes the normalizer of a wire profile. The normalizer numbers markets by the given table.
 * @throws when no profile has the name.
 */
export type NormalizerFactory = (profile: string, tickers: TickerTable) => Normalizer;

/** Progress of a bake. */
export interface BakeProgress {
  /** Bytes on disk of the tape's files that have been read. */
  readonly bytes: number;
  readonly bytesTotal: number;
}

export interface BakeOptions extends Pick<BakedWriterOptions, 'blockRows'> {
  readonly storage: Storage;
  readonly to: string;
  readonly normalizerOf: NormalizerFactory;
  /** Called at each file of the tape, and at the end. */
  readonly onProgress?: (progress: BakeProgress) => void;
  /** Profile of sessions whose first file has been removed: that file would name it. */
  readonly profile?: string;
}

/**
 * Bakes a tape into a file. On a failure, no new file is left.
 * @throws {TapeFault} when the tape is damaged, holds nothing, is of two venues, or does not name its profile.
 * @throws {StorageFault} when the tape cannot be read.
 * @throws {BakedFault} when the baked file cannot be written.
 * @throws errors of `options.onProgress` and `options.normalizerOf`.
 */
export function bakeTape(options: BakeOptions): TapeFacts {
  const { storage, to, blockRows } = options;
  // No sync is needed: the file can be baked again, and its checksums show damage by a crash of the machine.
  const rows = new BakedWriter(to, {
    hasLiveDefinitions: true,
    isDurable: false,
    ...(blockRows !== undefined && { blockRows }),
  });
  try {
    return new BakeRun(options, rows).run(sourceHashOf(storage));
  } catch (fault) {
    rows.abandon();
    throw fault;
  }
}

interface Session {
  readonly name: string;
  readonly part: PublicRows;
}

class BakeRun {
  readonly #options: BakeOptions;
  readonly #rows: RowWriter;
  readonly #coverage: GapTracker;
  readonly #reader: TapeReader;
  #session: Session | null = null;
  #profile: string | null = null;
  #firstAt: Micros | null = null;
  #lastAt: Micros = EPOCH;

  constructor(options: BakeOptions, rows: RowWriter) {
    this.#options = options;
    this.#rows = rows;
    this.#coverage = new GapTracker(rows);
    this.#reader = new TapeReader(options.storage);
    this.#profile = options.profile ?? null;
  }

  run(sourceHash: string): TapeFacts {
    this.#reader.forEachEntry((entry) => this.#addEntry(entry));
    const from = this.#firstAt;
    if (this.#session === null || from === null || this.#profile === null)
      throw new TapeFault({ file: this.#options.storage.path, line: null, seq: null }, 'holds no tape');
    this.#session.part.finishRows();
    this.#coverage.endGaps(this.#lastAt);
    this.#reportProgress();
    return this.#rows.finish({ source: this.#profile, venue: this.#profile, sourceHash, from, to: this.#lastAt });
  }

  #addEntry(entry: Entry): void {
    if (entry.kind === 'segment') this.#beginSegment(entry);
    this.#session?.part.addEntry(entry);
    if (entry.at > this.#lastAt) this.#lastAt = entry.at;
  }

  #beginSegment(entry: Entry): void {
    this.#reportProgress();
    const header = readHeader(entry.payload);
    // The reader has checked the header already.
    if (typeof header === 'string') throw new TapeFault(entry, header);
    if (header.session === this.#session?.name) return;
    this.#firstAt ??= entry.at;
    this.#endSession();
    const profile = this.#profileOf(header, entry);
    for (const name of header.manifest?.tickers ?? []) this.#rows.marketNumber(name);
    const normalizer = this.#options.normalizerOf(profile, this.#rows.tickers);
    const part = new PublicRows({ normalizer, rows: this.#rows, coverage: this.#coverage });
    this.#session = { name: header.session, part };
    if (header.of === 'journal' && (header.manifest?.strategies.length ?? 1) > 0)
      this.#rows.addAssumption(
        'The recorder may have traded: its own orders and trades are in the books and prints of the tape.',
      );
  }

  #endSession(): void {
    if (this.#session === null) return;
    this.#session.part.finishRows();
    this.#coverage.beginGap(this.#lastAt, 'between two sessions');
  }

  #profileOf({ manifest }: SegmentHeader, entry: Entry): string {
    const current = this.#profile;
    const profile = manifest?.profile ?? current;
    if (profile === null)
      throw new TapeFault(
        entry,
        'expected a session that names its wire profile, found one whose beginning is no longer kept',
      );
    if (current !== null && profile !== current)
      throw new TapeFault(entry, `expected sessions of one venue, found one of ${current} and one of ${profile}`);
    this.#profile = profile;
    return profile;
  }

  #reportProgress(): void {
    const { storage, onProgress } = this.#options;
    if (onProgress === undefined) return;
    const bytesTotal = segmentsOf(storage).reduce((sum, { name }) => sum + storage.sizeOf(name), 0);
    onProgress({ bytes: Math.min(this.#reader.bytesRead, bytesTotal), bytesTotal });
  }
}
