// Time limit for an event that must happen. It is far longer than the event takes, so that no test fails on a busy
// machine.

/** Milliseconds after which the event counts as missing. */
export const PATIENCE_MS = 120_000;
