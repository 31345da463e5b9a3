// Finds the known name closest to a misspelled name, for error messages. Must never suggest a distant name merely
// because it is the nearest.
import { distance } from 'fastest-levenshtein';

/** Most letters that may differ: as a number, and as a share of the wrong name. Two swapped letters count as two. */
const FAR_MAX = 3;
const FAR_SHARE_MAX = 0.4;

/** The known name nearest to a misspelled name, ignoring case; `null` when none is near. */
export function nearestName(wrong: string, known: readonly string[]): string | null {
  const given = wrong.toLowerCase();
  let nearest: string | null = null;
  let least = Math.min(FAR_MAX, Math.max(1, Math.floor(FAR_SHARE_MAX * wrong.length))) + 1;
  for (const name of known) {
    const far = distance(given, name.toLowerCase());
    if (far >= least) continue;
    nearest = name;
    least = far;
  }
  return nearest;
}

/** End of a message, such as ` (did you mean limits?)`; empty when no known name is near. */
export function didYouMean(wrong: string, known: readonly string[]): string {
  const nearest = nearestName(wrong, known);
  return nearest === null ? '' : ` (did you mean ${nearest}?)`;
}

/** A message lists at most this many known names. */
export const LISTED_MAX = 12;

/** Ends a message with the nearest known name, or else with all known names, if they are few. */
export const nameHint = (wrong: string, known: readonly string[]): string =>
  didYouMean(wrong, known) || (known.length === 0 || known.length > LISTED_MAX ? '' : ` (known: ${known.join(', ')})`);
