// The phases of a session.

/**
 * `idle`: the session has not started. `discovering`: markets are being listed. `clearing`: orders of earlier sessions
 * are being canceled. `loading`: cash, positions and past fills are being read. `trading`: orders may be placed.
 * `recovering`: orders, fills and figures are being read again after the feed was lost. `stopping`: orders are being
 * canceled. `closing`: the last figures are being compared. `stopped`: the session is over.
 */
export type SessionPhase =
  | 'idle'
  | 'discovering'
  | 'clearing'
  | 'loading'
  | 'trading'
  | 'recovering'
  | 'stopping'
  | 'closing'
  | 'stopped';

/** Phases of a started session before its account is open. No order may be placed in them. */
export const OPENING_PHASES: ReadonlySet<SessionPhase> = new Set(['discovering', 'clearing', 'loading']);
