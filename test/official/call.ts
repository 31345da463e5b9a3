// A call of the official client and its expected answer.
import type { Desk, Reply } from './desk.ts';

/** One call with the expected status and body. */
export interface Call {
  readonly call: string;
  readonly run: (desk: Desk) => Promise<Reply>;
  readonly status: number;
  readonly body: unknown;
}
