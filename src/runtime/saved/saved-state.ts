// Saves the states that strategies keep across restarts, in one file each: written whole or not at all, soon after a
// change. The files have a folder of their own: a change in the folder of the halts would delay the next order. Must
// never begin a session with a file that does not fit its strategy.
import type { StrategyName } from '../../domain/ids.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import { describeMisfit } from '../../strategy/fault-text.ts';
import type { BoundStrategy } from '../../strategy/strategy-definition.ts';
import type { Storage } from '../../tape/journal/storage.ts';
import type { Scheduler, Timer } from '../../transport/scheduler.ts';

/** Thrown for a file of saved state that the strategy cannot use. */
export class SavedStateFault extends Error {
  override readonly name = 'SavedStateFault';
}

/** Least time between two writes. A write blocks everything else until the disk has finished. */
const WRITE_EVERY_MS = 100;
/** Largest size of a file: a million characters of up to three bytes each, and the line end. */
const FILE_BYTES_MAX = 3_000_001;

/** The folder of saved state within the bot's data folder. */
export const SAVED_FOLDER = 'saved';

/** Returns the file name of a strategy's saved state. */
export const savedStateFile = (name: StrategyName): string => `${encodeURIComponent(name)}.json`;

/**
 * Reads the saved states of strategies, by strategy name.
 * @throws {SavedStateFault} when a file does not fit its strategy. The file is not changed.
 * @throws {StorageFault} when the folder cannot be read.
 */
export function readSavedState(storage: Storage, strategies: readonly BoundStrategy[]): Record<string, unknown> {
  const files = new Set(storage.listFiles());
  const withFile = strategies.filter(
    ({ name, persistence }) => persistence !== undefined && files.has(savedStateFile(name)),
  );
  return Object.fromEntries(withFile.map((strategy) => [strategy.name, readState(storage, strategy)]));
}

function readState(storage: Storage, { name, persistence }: BoundStrategy): unknown {
  const file = savedStateFile(name);
  const fail = (problem: string): never => {
    const remedy =
      'The file was not changed: repair it, run the strategy that wrote it, or move it away to begin without saved state';
    throw new SavedStateFault(`${storage.path}/${file}: the saved state of strategy ${name} ${problem}. ${remedy}`);
  };
  const bytes = storage.sizeOf(file);
  if (bytes > FILE_BYTES_MAX) fail(`is too long: expected at most ${FILE_BYTES_MAX} bytes, found ${bytes}`);
  const saved = parseJson(storage.readBytes(file, 0, bytes));
  if (saved === undefined) return fail('is not JSON');
  const parsed = persistence?.schema.safeParse(saved);
  if (parsed?.success === false) fail(`does not fit the strategy: ${describeMisfit(parsed.error)}`);
  return saved;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

export interface SavedStateWriterOptions {
  readonly storage: Storage;
  readonly scheduler: Scheduler;
  /** Called when a file cannot be written. Trading must stop: a restart would lose the state. */
  readonly onFault: (fault: unknown) => void;
}

/** Writes strategies' saved state to disk. */
export class SavedStateWriter {
  readonly #options: SavedStateWriterOptions;
  /** The latest state of each strategy that is not yet on disk. Added at a notice; removed when written. */
  readonly #pending = new Map<StrategyName, string>();
  #timer: Timer | null = null;
  #writtenMs = Number.NEGATIVE_INFINITY;

  constructor(options: SavedStateWriterOptions) {
    this.#options = options;
  }

  /** Receives a session's notices. Writes saved state later, when the engine has finished its current step. */
  saveFromNotice(notice: Notice): void {
    if (notice.type !== 'saved') return;
    this.#pending.set(notice.strategy, notice.json);
    const { scheduler } = this.#options;
    const waitMs = Math.max(0, this.#writtenMs + WRITE_EVERY_MS - scheduler.now());
    this.#timer ??= scheduler.after(waitMs, () => this.writePending());
  }

  writePending(): void {
    const { storage, scheduler, onFault } = this.#options;
    if (this.#timer) scheduler.cancel(this.#timer);
    this.#timer = null;
    try {
      for (const [strategy, json] of this.#pending) {
        storage.replaceFile(savedStateFile(strategy), new TextEncoder().encode(`${json}\n`));
        this.#pending.delete(strategy);
      }
    } catch (fault) {
      onFault(fault);
    }
    this.#writtenMs = scheduler.now();
  }
}
