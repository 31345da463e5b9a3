// Rows that come late are in their places on the tape: at the front, or between the rows of their times.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Micros, micros } from '../../../src/domain/units.ts';
import { openBakedFile } from '../../../src/tape/baked/baked-reader.ts';
import { type OtherEvent, RowKind } from '../../../src/tape/baked/tape-rows.ts';
import { verifyBakedFile } from '../../../src/tape/baked/verify-baked.ts';
import { type PlainRow, rowsOf, withTemporaryFolder } from '../../support/tapes/baked-rows.ts';
import { AT, ORIGIN, arrowRowsOf, newRows, plain, stepLists, writeSteps } from '../../support/tapes/baked-steps.ts';
import { runCount } from '../../support/runner/property-runs.ts';

type Status = Extract<OtherEvent, { kind: 'exchange-status' }>;

const statusOf = (at: Micros, isActive: boolean): Status => ({
  kind: 'exchange-status',
  at,
  isActive,
  isTrading: true,
});

const rowOfStatus = (event: Status): PlainRow => ({
  ...plain,
  kind: RowKind.other,
  at: event.at,
  venueAt: 0,
  text: JSON.stringify(event),
});

/** The rows with each event before the first row that is not earlier. */
function withEvents(rows: readonly PlainRow[], events: readonly Status[]): PlainRow[] {
  const left = [...events];
  const due = (at: number): PlainRow[] =>
    left.splice(0, left.filter((event) => event.at <= at).length).map((event) => rowOfStatus(event));
  return [...rows.flatMap((row) => [...due(row.at), row]), ...due(Infinity)];
}

it('rows written to the front are there for every reader', () => {
  withTemporaryFolder((folder) => {
    const path = join(folder, 'rows.arrow');
    const blocks = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(stepLists, stepLists, stepLists, blocks, (first, written, then, blockRows) => {
        const rows = newRows(path, blockRows);
        const middle = writeSteps(rows, written, AT);
        const expected: PlainRow[] = [];
        rows.writeToFront(() => expected.push(...writeSteps(rows, first, AT - 1000), ...middle));
        expected.push(...writeSteps(rows, then, AT + 1000));
        const facts = rows.finish(ORIGIN);
        const source = openBakedFile(path);
        expect(rowsOf(source)).toEqual(expected);
        expect(facts.rows).toBe(expected.length);
        expect([facts.from, facts.to]).toEqual([expected[0]?.at ?? 0, expected.at(-1)?.at ?? 0]);
        source.close();
        expect(arrowRowsOf(path)).toEqual(expected);
      }),
      { numRuns: runCount(100) },
    );
  });
});

it('events inserted between rows are before the first row that is not earlier, and other rows stay as they were', () => {
  withTemporaryFolder((folder) => {
    const path = join(folder, 'rows.arrow');
    const inserted = fc.array(fc.integer({ min: AT - 2, max: AT + 50 }).map(micros), { maxLength: 8 });
    const blocks = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(stepLists, inserted, stepLists, blocks, (steps, times, then, blockRows) => {
        const rows = newRows(path, blockRows);
        const written = writeSteps(rows, steps, AT);
        const events = times.toSorted((a, b) => a - b).map((at, number) => statusOf(at, number % 2 === 0));
        rows.insertEvents(events);
        const expected = withEvents(written, events);
        expected.push(...writeSteps(rows, then, AT + 1000));
        rows.writeToFront(() => rows.writeOther(statusOf(micros(AT - 9), true)));
        expected.unshift(rowOfStatus(statusOf(micros(AT - 9), true)));
        const facts = rows.finish(ORIGIN);
        const source = openBakedFile(path);
        expect(rowsOf(source)).toEqual(expected);
        source.close();
        expect(facts.rows).toBe(expected.length);
        expect(facts.counts['exchange-status']).toBe(events.length + 1);
        expect(verifyBakedFile(path).rows).toBe(expected.length);
        expect(readdirSync(folder)).toEqual(['rows.arrow']);
      }),
      { numRuns: runCount(200) },
    );
  });
});

it('a file that is abandoned after an insertion leaves nothing', () => {
  withTemporaryFolder((folder) => {
    const rows = newRows(join(folder, 'rows.arrow'), 2);
    const status = statusOf(micros(AT), true);
    for (let row = 0; row < 5; row++) rows.writeOther(status);
    rows.insertEvents([status]);
    rows.abandon();
    expect(readdirSync(folder)).toEqual([]);
  });
});
