// Errors that the user can correct: a wrong argument, config, key or file.
import { StrategyFileError } from '../runtime/plugins/strategy-file-error.ts';

/** Thrown for a wrong input. Its message is shown without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Names an option as its user wrote it: a program passes `params`, a command line `--param`. */
export type OptionNames = (option: string) => string;

/** Thrown for a wrong option. Its message names the option as a program does, until the command line names its flag. */
export class OptionFault extends UsageError {
  readonly #say: (nameOf: OptionNames) => string;

  constructor(say: (nameOf: OptionNames) => string) {
    super(say((option) => option));
    this.#say = say;
  }

  /** The same fault, with other names of the options. */
  renamed(nameOf: OptionNames): UsageError {
    return new UsageError(this.#say(nameOf), { cause: this });
  }
}

/**
 * Does work whose every error the user can correct, such as the writing of a file to a full disk.
 * @throws {UsageError} with the message of the error.
 */
export function asUsageError<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Receives the error of a file that could not be written after the work. The result of the work is not lost with it. */
export type OnUnwritten = (fault: UsageError) => void;

/**
 * Writes a file of a result. Its error goes to the handler, if there is one.
 * @throws {UsageError} when the file cannot be written, and there is no handler.
 */
export function writeResult(write: () => void, onUnwritten?: OnUnwritten): void {
  try {
    write();
  } catch (fault) {
    if (!(fault instanceof UsageError) || onUnwritten === undefined) throw fault;
    onUnwritten(fault);
  }
}

/** Names of further errors that the user can correct. Listed by name, so that their modules need not be loaded. */
const USER_ERRORS: ReadonlySet<string> = new Set([
  'ConfigError',
  'ConfigValueFault',
  'ControlFault',
  'LogFault',
  'StorageFault',
  'KeyFault',
  'KeyringError',
  'StoreError',
  'ListingError',
  'ListenError',
  'EncodingError',
  'FeedKeyError',
  'ManifestFault',
  'LadderFault',
  'SavedStateFault',
  'HistoryFault',
  'WhyFault',
  'StoreFault',
  'PayloadFault',
]);

/** The user can correct the error, so its message is shown without a stack. */
export function isUserError(fault: unknown): fault is Error {
  if (!(fault instanceof Error)) return false;
  return fault instanceof UsageError || fault instanceof StrategyFileError || USER_ERRORS.has(fault.name);
}
