// The address of a console, a token for it, and names that its API knows.

/** A console's address and names. */
export interface ConsoleDoor {
  /** Such as `http://127.0.0.1:8765`. */
  readonly origin: string;
  readonly token: string;
  /** Name of its bot. */
  readonly bot: string;
  readonly tickers: readonly string[];
}
