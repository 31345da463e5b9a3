// What strategies keep over a restart, as one file each in a folder of their own (the halts' is looked into before every
// order, where anything changed in it): written whole or not at all, soon after it changed, and read before the next
// session begins. Must never begin a session over a file that does not fit.
import type { StrategyName } from '../domain/ids.ts';
import type { Notice } from '../execution/notice.ts';
import { describeMisfit } from '../strategy/fault-text.ts';
import type { BoundStrategy } from '../strategy/strategy.ts';
import type { Storage } from '../tape/storage.ts';
import type { Scheduler, Timer } from '../transport/scheduler.ts';

/** A file of kept state that the strategy cannot be given. */
export class SavedStateFault extends Error {
  override readonly name = 'SavedStateFault';
}

/** Each write waits for the disk, and all else with it: no two come sooner than so long after each other. */
const WRITE_EVERY_MS = 100;
/** A megabyte of characters, of up to three bytes each, and its line end. */
const FILE_BYTES_MAX = 3_000_001;

/** The folder within the bot's data folder. */
export const SAVED_FOLDER = 'saved';

/** The file of a strategy. */
export const savedFile = (name: StrategyName): string => `${encodeURIComponent(name)}.json`;

/**
 * What the strategies kept, by their names: of those that keep anything, and have.
 * @throws {SavedStateFault} when a file does not fit its strategy; the file stays as it is.
 * @throws {StorageFault} when the folder cannot be read.
 */
export function readSaved(storage: Storage, strategies: readonly BoundStrategy[]): Record<string, unknown> {
  const files = new Set(storage.list());
  const kept = strategies.filter(({ name, keeping }) => keeping !== undefined && files.has(savedFile(name)));
  return Object.fromEntries(kept.map((strategy) => [strategy.name, readOne(storage, strategy)]));
}

function readOne(storage: Storage, { name, keeping }: BoundStrategy): unknown {
  const file = savedFile(name);
  const fail = (problem: string): never => {
    const remedy = 'It stays as it is: mend it, run the strategy that wrote it, or move it away to begin with nothing';
    throw new SavedStateFault(`${storage.place}/${file}: what strategy ${name} kept ${problem}. ${remedy}`);
  };
  const bytes = storage.size(file);
  if (bytes > FILE_BYTES_MAX) fail(`is too long: expected at most ${FILE_BYTES_MAX} bytes, found ${bytes}`);
  const saved = parseJson(storage.read(file, 0, bytes));
  if (saved === undefined) return fail('is not JSON');
  const parsed = keeping?.schema.safeParse(saved);
  if (parsed?.success === false) fail(`does not fit it: ${describeMisfit(parsed.error)}`);
  return saved;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

export interface StateKeeperOptions {
  readonly storage: Storage;
  readonly scheduler: Scheduler;
  /** A file cannot be written: trading must stop, for a restart would forget. */
  readonly onFault: (fault: unknown) => void;
}

/** Writes down what strategies keep. */
export class StateKeeper {
  readonly #options: StateKeeperOptions;
  /** What is to be written, by strategy: the latest of each. */
  readonly #pending = new Map<StrategyName, string>();
  #timer: Timer | null = null;
  #wroteMs = Number.NEGATIVE_INFINITY;

  constructor(options: StateKeeperOptions) {
    this.#options = options;
  }

  /** Takes what a session tells. What is to be kept is written once the engine is done with what it does now. */
  take(notice: Notice): void {
    if (notice.type !== 'saved') return;
    this.#pending.set(notice.strategy, notice.json);
    const { scheduler } = this.#options;
    const waitMs = Math.max(0, this.#wroteMs + WRITE_EVERY_MS - scheduler.now());
    this.#timer ??= scheduler.after(waitMs, () => this.flush());
  }

  /** Writes what waits to be written, now. */
  flush(): void {
    const { storage, scheduler, onFault } = this.#options;
    if (this.#timer) scheduler.cancel(this.#timer);
    this.#timer = null;
    try {
      for (const [strategy, json] of this.#pending) {
        storage.replace(savedFile(strategy), new TextEncoder().encode(`${json}\n`));
        this.#pending.delete(strategy);
      }
    } catch (fault) {
      onFault(fault);
    }
    this.#wroteMs = scheduler.now();
  }
}
