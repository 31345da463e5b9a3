// What one look at a venue found, in words, and what would mend it. Must never hold a key, or anything signed with one.

/**
 * `warn`: it works and may not go on doing so. `bad`: trading would fail, or lose. `skipped`: it could not be looked at,
 * for something before it failed or was not asked for.
 */
export type CheckState = 'ok' | 'warn' | 'bad' | 'skipped';

/** One check. */
export interface Check {
  readonly name: string;
  readonly state: CheckState;
  readonly words: string;
  /** What to do about it; `null` where there is nothing to do. */
  readonly remedy: string | null;
}

export const fine = (name: string, words: string): Check => ({ name, state: 'ok', words, remedy: null });
export const skipped = (name: string, words: string): Check => ({ name, state: 'skipped', words, remedy: null });
export const doubtful = (name: string, words: string, remedy: string): Check => ({
  name,
  state: 'warn',
  words,
  remedy,
});
export const wrong = (name: string, words: string, remedy: string): Check => ({ name, state: 'bad', words, remedy });

/** Whether trading can be expected to work. */
export const isWell = (checks: readonly Check[]): boolean => checks.every(({ state }) => state !== 'bad');

/** Names for a person: the first few, and how many more. */
export function namesText(names: readonly string[], shownMax = 5): string {
  const more = names.length - shownMax;
  return names.slice(0, shownMax).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
