// Where a session is between its start and its end.

/**
 * `discovering`: markets are being listed. `clearing`: orders left from before are being withdrawn. `loading`: cash,
 * positions and past fills are being read. `trading`. `recovering`: as loading, after the feed was lost. `stopping`:
 * orders are being withdrawn. `closing`: the last figures are being compared. `stopped`.
 */
export type Phase =
  | 'idle'
  | 'discovering'
  | 'clearing'
  | 'loading'
  | 'trading'
  | 'recovering'
  | 'stopping'
  | 'closing'
  | 'stopped';

/** Phases before anything may be placed: everything that is asked for is needed. */
export const BEGINNING: ReadonlySet<Phase> = new Set(['discovering', 'clearing', 'loading']);
