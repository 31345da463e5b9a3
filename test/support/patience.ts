// How long a test waits for something that must come: far longer than it takes, so that a busy machine fails none.

/** What has not come after this long does not come. */
export const PATIENCE_MS = 120_000;
