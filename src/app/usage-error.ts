// Errors that the user can correct: a wrong argument, config, key or file.
import { ConfigError } from '../config/yaml.ts';
import { StrategyFileError } from '../runtime/plugins/strategy-file-error.ts';

/** Thrown for a wrong input. Its message is shown without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Names of further errors that the user can correct. They are listed by name so that their modules need not be loaded.
 */
const USER_ERRORS: ReadonlySet<string> = new Set([
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
  'BudgetError',
  'LadderFault',
  'SavedStateFault',
  'HistoryFault',
  'WhyFault',
]);

/** True for an error that the user can correct. Its message is enough, and a stack would hide the message. */
export function isUserError(fault: unknown): fault is Error {
  if (!(fault instanceof Error)) return false;
  return (
    fault instanceof UsageError ||
    fault instanceof ConfigError ||
    fault instanceof StrategyFileError ||
    USER_ERRORS.has(fault.name)
  );
}
