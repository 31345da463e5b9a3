// Finds the known name that an unknown one was probably meant to be: for messages about a misspelt field, option,
// parameter or handler. Must never suggest a name that is merely the nearest of many distant ones.
import { distance } from 'fastest-levenshtein';

/** Most letters that may differ: in all, and as a share of the wrong name. Two swapped letters count as two. */
const FAR_MAX = 3;
const FAR_SHARE_MAX = 0.4;

/** The known name that a wrong one was probably meant to be, ignoring case; `null` when none is near. */
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

/** End of a message, such as ` (did you mean limits?)`; empty where no known name is near. */
export function didYouMean(wrong: string, known: readonly string[]): string {
  const nearest = nearestName(wrong, known);
  return nearest === null ? '' : ` (did you mean ${nearest}?)`;
}

/** Bound on the known names that a message lists: more would hide the rest of it. */
const LISTED_MAX = 12;

/**
 * The end of a message that `didYouMean` gives; where no known name is near, the list of all known names, if they are
 * few.
 */
export const nameHint = (wrong: string, known: readonly string[]): string =>
  didYouMean(wrong, known) || (known.length === 0 || known.length > LISTED_MAX ? '' : ` (known: ${known.join(', ')})`);
