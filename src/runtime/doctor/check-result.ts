// The result of one check of a venue, as text, with its remedy. Must never hold a key, or anything signed with a key.

/**
 * - `warn`: a person should look at it, but a session can start.
 * - `bad`: trading would fail or could lose money, or the check could not find out.
 * - `skipped`: it was not checked, for example because an earlier check failed.
 */
export type CheckState = 'ok' | 'warn' | 'bad' | 'skipped';

/** The result of one check. */
export interface Check {
  readonly name: string;
  readonly state: CheckState;
  readonly words: string;
  /** The remedy; `null` when none is needed. */
  readonly remedy: string | null;
}

export const okCheck = (name: string, words: string): Check => ({ name, state: 'ok', words, remedy: null });
export const skippedCheck = (name: string, words: string): Check => ({ name, state: 'skipped', words, remedy: null });
export const warnCheck = (name: string, words: string, remedy: string): Check => ({
  name,
  state: 'warn',
  words,
  remedy,
});
export const badCheck = (name: string, words: string, remedy: string): Check => ({ name, state: 'bad', words, remedy });

/** True when no check is bad. */
export const isHealthy = (checks: readonly Check[]): boolean => checks.every(({ state }) => state !== 'bad');

/** Lists names for people: the first few, and the number of others. */
export function namesText(names: readonly string[], shownMax = 5): string {
  const more = names.length - shownMax;
  return names.slice(0, shownMax).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
