// A simulated bot's disk, with a folder each for its journal, its latch and its strategies' state. A new life finds
// there what the last one wrote. The disk fails as real ones do: it can be full, and a death can tear the last write.
import type { RestoredState } from '../../../src/domain/operator-order.ts';
import { TickerTable } from '../../../src/domain/ids.ts';
import { type Micros, micros } from '../../../src/domain/units.ts';
import { Latch } from '../../../src/runtime/saved/latch.ts';
import { readUnresolved } from '../../../src/runtime/saved/unresolved-orders.ts';
import type { Storage } from '../../../src/tape/journal/storage.ts';
import type { WireProfile } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { tradeApiReplayParts } from '../../../src/venues/trade-api/replay-parts.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';

/** Age after which an order no longer arrives: microseconds, more than the bot's grace and any request's time. */
const RECOVER_US = 60_000_000;

/** The files and state with which a new life starts. */
export interface DiskHandles {
  readonly journal: Storage;
  readonly latch: Latch;
  readonly carried: RestoredState;
  /** Saved state of the strategies. */
  readonly saved: Storage;
}

/** The disk of all lives of a bot. */
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

  /** Opens the disk as a new process does: repairs what the last process left, and finds what it did not learn. */
  open(): DiskHandles {
    const journal = this.#journal.open();
    this.#openLatch = null;
    const { latch } = this;
    const makeNormalizer = () => tradeApiReplayParts({ profile: this.#profile, tickers: new TickerTable() }).normalizer;
    const remains = readUnresolved(journal, makeNormalizer, micros(this.#now() - RECOVER_US));
    return { journal, latch, carried: latch.readRestoredState(remains), saved: this.#saved.open() };
  }

  /** The latch as the operator's own command opens it, next to a running bot. */
  get latch(): Latch {
    return (this.#openLatch ??= new Latch(this.#latch.open(), this.#now));
  }

  /** Marks the process as dead: its writes no longer reach the disk. */
  onDeath(): void {
    this.#journal.killProcess();
    this.#latch.killProcess();
    this.#saved.killProcess();
    this.#openLatch = null;
  }

  /** Kills the process in the middle of a journal write, after this many more bytes. */
  tearAfter(bytes: number): void {
    this.#journal.faults.dieAfterBytes = bytes;
  }

  /** Sets the bytes left for the journal; `null` for plenty. */
  setRoom(bytes: number | null): void {
    if (bytes === null) delete this.#journal.faults.capacityBytes;
    else this.#journal.faults.capacityBytes = this.#journal.usedBytes + bytes;
  }

  get isFull(): boolean {
    return this.#journal.faults.capacityBytes !== undefined;
  }

  /** The journal, for reading after the last writer has stopped. */
  readJournal(): Storage {
    return this.#journal.open();
  }
}
