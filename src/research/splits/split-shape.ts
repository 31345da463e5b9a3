// A split as moments of its tapes, and its parts as event groups. Times are in microseconds.
import type { FoldShape } from './purged-folds.ts';
import type { TimeCut } from './time-split.ts';
import type { WalkForwardShape } from './walk-forward.ts';

/** How a study splits its tapes. `groups`: its file names the parts. */
export type SplitShape =
  | ({ readonly kind: 'time' } & TimeCut)
  | ({ readonly kind: 'walk-forward' } & WalkForwardShape)
  | ({ readonly kind: 'folds' } & FoldShape)
  | { readonly kind: 'groups' };

/** The parts of a study's tapes, by the tickers of their event groups. */
export interface StudySplit {
  /** `null` when the study has a sealed part alone. */
  readonly shape: SplitShape | null;
  /** Lists of event groups that the study's file joins to one cluster. */
  readonly together: readonly (readonly string[])[];
  /** Event groups that objectives and constraints see. */
  readonly search: readonly string[];
  /** Event groups that every trial trades, and objectives do not see. */
  readonly held: readonly string[];
  /** Event groups of the sealed test: no trial trades them. */
  readonly sealed: readonly string[];
  /** Start of the sealed part; `null` without one. */
  readonly sealedFrom: number | null;
  /** Event groups that no part has: they straddle a cut, begin in an embargo, or have no result. */
  readonly left: readonly string[];
}
