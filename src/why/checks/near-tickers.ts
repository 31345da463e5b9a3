// Finds the names nearest to a wrong name. Pure.
import { distance } from 'fastest-levenshtein';

const NAMES_MAX = 3;

/** The nearest names, at most three, the nearest first. */
export const nearestNames = (wrong: string, known: readonly string[]): readonly string[] =>
  known
    .map((name) => ({ name, far: distance(wrong.toUpperCase(), name.toUpperCase()) }))
    .toSorted((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, NAMES_MAX)
    .map(({ name }) => name);
