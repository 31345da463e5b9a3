// What a simulated bot keeps on its disk, a folder each for its journal, its latch and its strategies' state, and what a
// new life finds there. The disk fails as real ones do: it can be full, and a death can tear the last write.
import type { CarriedOver } from '../../src/domain/operator.ts';
import { TickerTable } from '../../src/domain/ids.ts';
import { type Micros, micros } from '../../src/domain/units.ts';
import { Latch } from '../../src/runtime/latch.ts';
import { recover } from '../../src/runtime/recovery.ts';
import type { Storage } from '../../src/tape/storage.ts';
import type { WireProfile } from '../../src/venues/trade-api/profile.ts';
import { tradeApiReading } from '../../src/venues/trade-api/venue.ts';
import { MemoryDisk } from '../support/memory-storage.ts';

/** Orders older than this no longer arrive: microseconds, more than the bot's grace and any request's time. */
const RECOVER_US = 60_000_000;

/** What a new life is given. */
export interface DiskHandles {
  readonly journal: Storage;
  readonly latch: Latch;
  readonly carried: CarriedOver;
  /** What its strategies keep. */
  readonly saved: Storage;
}

/** The disk of all of a bot's lives. */
export class BotDisk {
  readonly #journal = new MemoryDisk();
  readonly #latch = new MemoryDisk();
  readonly #saved = new MemoryDisk();
  readonly #profile: WireProfile;
  readonly #now: () => Micros;
  #openLatch: Latch | null = null;

  constructor(profile: WireProfile, now: () => Micros) {
    this.#profile = profile;
    this.#now = now;
  }

  /** Opens it as a new process does: what the last one left is mended, and what it did not learn is found. */
  open(): DiskHandles {
    const journal = this.#journal.open();
    this.#openLatch = null;
    const { latch } = this;
    const makeNormalizer = () => tradeApiReading({ profile: this.#profile, tickers: new TickerTable() }).normalizer;
    const remains = recover(journal, makeNormalizer, micros(this.#now() - RECOVER_US));
    return { journal, latch, carried: latch.carried(remains), saved: this.#saved.open() };
  }

  /** The latch as the operator's own command has it: beside the bot's while it lives. */
  get latch(): Latch {
    return (this.#openLatch ??= new Latch(this.#latch.open(), this.#now));
  }

  /** The process is dead: its writes no longer reach the disk. */
  die(): void {
    this.#journal.die();
    this.#latch.die();
    this.#saved.die();
    this.#openLatch = null;
  }

  /** The process dies in the middle of a write of its journal, so many bytes from now. */
  tearAfter(bytes: number): void {
    this.#journal.faults.dieAfterBytes = bytes;
  }

  /** So many bytes are left for the journal; `null` for plenty. */
  setRoom(bytes: number | null): void {
    if (bytes === null) delete this.#journal.faults.capacityBytes;
    else this.#journal.faults.capacityBytes = this.#journal.bytes + bytes;
  }

  get isFull(): boolean {
    return this.#journal.faults.capacityBytes !== undefined;
  }

  /** The journal, to be read when nobody writes it any more. */
  readJournal(): Storage {
    return this.#journal.open();
  }
}
