// Measures the venue's response times from a journal, for a simulated venue with the same latency. Must never count a
// request without an answer, such as one that timed out. A refusal is an answer.
import { type Command, isFeedCommand } from '../../domain/venue-command.ts';
import { answerOf, commandsOf } from '../format/input-lines.ts';
import type { Entry } from '../format/tape-line.ts';
import { TapeReader } from '../journal/tape-reader.ts';
import type { Storage } from '../journal/storage.ts';

/**
 * Times from the first byte of a request to its answer, in microseconds. Trades are requests that place, amend,
 * decrease or cancel an order.
 */
export interface RoundTrips {
  readonly trades: readonly number[];
  readonly reads: readonly number[];
}

/**
 * Returns the round trips on a tape, each list in ascending sequence.
 * @param session Leaves out those of all other sessions.
 * @throws {TapeFault} at the first damaged entry.
 */
export function roundTrips(storage: Storage, session?: string): RoundTrips {
  const typesById = new Map<number, Command['type']>();
  const trades: number[] = [];
  const reads: number[] = [];
  const reader = new TapeReader(storage);
  for (const entry of reader.borrowedEntries()) {
    if (session !== undefined && reader.header?.session !== session) continue;
    if (entry.kind === 'commands') rememberCommands(typesById, entry);
    if (entry.kind !== 'answer') continue;
    const { id, askedAt, outcome } = answerOf(entry);
    const type = typesById.get(id);
    typesById.delete(id);
    if (type === undefined || outcome.type !== 'answered') continue;
    (type === 'read' ? reads : trades).push(entry.at - askedAt);
  }
  const ascending = (a: number, b: number): number => a - b;
  return { trades: trades.sort(ascending), reads: reads.sort(ascending) };
}

function rememberCommands(typesById: Map<number, Command['type']>, entry: Entry): void {
  for (const command of commandsOf(entry)) if (!isFeedCommand(command)) typesById.set(command.id, command.type);
}
