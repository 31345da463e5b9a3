// Errors that the user can correct: a wrong argument, config, key or file.
import { StrategyFileError } from '../runtime/plugins/strategy-file-error.ts';

/** Thrown for a wrong input. Its message is shown without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
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
]);

/** The user can correct the error, so its message is shown without a stack. */
export function isUserError(fault: unknown): fault is Error {
  if (!(fault instanceof Error)) return false;
  return fault instanceof UsageError || fault instanceof StrategyFileError || USER_ERRORS.has(fault.name);
}
