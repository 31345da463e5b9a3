// Which known name an unknown one was probably meant to be: for the messages about a misspelt field, option, parameter or
// handler. Must never suggest a name that only happens to be the least far away.
import { distance } from 'fastest-levenshtein';

/** Letters that may differ: two that changed places count as two. */
const FAR_MAX = 3;
const FAR_SHARE_MAX = 0.4;

/** The known name that a wrong one was probably meant to be, upper or lower case; `null` when none is near. */
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

/** ` (did you mean limits?)`; empty where no known name is near. */
export function didYouMean(wrong: string, known: readonly string[]): string {
  const nearest = nearestName(wrong, known);
  return nearest === null ? '' : ` (did you mean ${nearest}?)`;
}

/** Known names that a message lists where none is near: more would hide the rest of it. */
const LISTED_MAX = 12;

/** The same; where no known name is near, all of them, if they are few. */
export const nameHint = (wrong: string, known: readonly string[]): string =>
  didYouMean(wrong, known) || (known.length === 0 || known.length > LISTED_MAX ? '' : ` (known: ${known.join(', ')})`);
