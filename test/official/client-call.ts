// A call of the official client and its expected answer.
import type { OfficialClient, Reply } from './official-client.ts';

/** One call with the expected status and body. */
export interface Call {
  readonly call: string;
  readonly run: (client: OfficialClient) => Promise<Reply>;
  readonly status: number;
  readonly body: unknown;
}
