// A call of the official client, and what answers it.
import type { Desk, Reply } from './desk.ts';

/** One call, the status and the body that answer it. */
export interface Call {
  readonly call: string;
  readonly run: (desk: Desk) => Promise<Reply>;
  readonly status: number;
  readonly body: unknown;
}
