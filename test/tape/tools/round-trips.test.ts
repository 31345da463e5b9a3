// Response times of a venue, read from a journal: only answered requests count, trades apart from reads.
import { expect, it } from 'vitest';
import type { Answer } from '../../../src/venue.ts';
import { roundTrips } from '../../../src/tape/tools/round-trips.ts';
import { micros } from '../../../src/domain/units.ts';
import { memoryStorage } from '../../support/tapes/memory-storage.ts';
import { AT, answer, journalOn, place, read, start, writeAll } from '../../support/tapes/journal-entries.ts';

const DONE = { type: 'answered', status: 200, body: '{}', retryAfter: null, venueAt: null } as const;

/** An answer after a given time. */
const after = (command: Answer['command'], tookMicros: number, outcome: Answer['outcome'] = DONE) => ({
  input: { ...answer(command, outcome, AT + tookMicros), askedAt: micros(AT) },
});

it('round trips are those of answered requests, in ascending order, trades apart from reads', async () => {
  const storage = memoryStorage();
  const journal = journalOn(storage);
  writeAll(journal, [
    { input: start('s1') },
    { commands: [place(1), read(2), place(3), place(4)] },
    after(place(3), 9000),
    after(place(1), 5000),
    after(read(2), 700),
    after(place(4), 3000, { type: 'unknown', reason: 'given up' }),
  ]);
  await journal.close('test');
  expect(roundTrips(storage)).toEqual({ trades: [5000, 9000], reads: [700] });
});

it('a tape without answers has no round trips', () => {
  const storage = memoryStorage();
  writeAll(journalOn(storage), [{ input: start('s1') }]);
  expect(roundTrips(storage)).toEqual({ trades: [], reads: [] });
});

it('round trips of one session leave out those of the others', async () => {
  const storage = memoryStorage();
  for (const [session, took] of [
    ['s1', 9000],
    ['s2', 400],
    ['s3', 7000],
  ] as const) {
    const journal = journalOn(storage);
    writeAll(journal, [{ input: start(session) }, { commands: [place(1)] }, after(place(1), took)]);
    await journal.close('test');
  }
  expect(roundTrips(storage, 's2')).toEqual({ trades: [400], reads: [] });
});
