// A tape's table in files for other programs: the values read back equal the tape's to the last digit.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { formatPrice, formatQty, price, qty } from '../../../src/domain/units.ts';
import { BakedWriter } from '../../../src/tape/baked/baked-writer.ts';
import { ExportFault } from '../../../src/tape/tools/export-fault.ts';
import { exportTape } from '../../../src/tape/tools/export-files.ts';
import { type ExportRow, exportRows } from '../../../src/tape/tools/export-rows.ts';
import { at, randomFacts, withTape, writeTape, withTapeFolder } from '../../support/tapes/random-facts.ts';
import { runCount } from '../../support/runner/property-runs.ts';
import { allSteps } from '../../support/tapes/all-steps.ts';

const LONG_ROWS = 70_000;

const rowsOf = (path: string): ExportRow[] => withTape(path, (source) => [...exportRows(source)]);

describe('an exported tape', () => {
  it('an exported tape is read back from Parquet unchanged, over many row groups', async () => {
    await fc.assert(
      fc.asyncProperty(randomFacts, async (list) => {
        const { path, tape, drop } = held();
        try {
          writeTape(tape, list);
          const written = withTape(tape, (source) =>
            allSteps(exportTape({ source, format: 'parquet', filePath: path, groupRows: 7 })),
          );
          const file = await asyncBufferFromFile(path);
          const read = await parquetReadObjects({ file, parsers });
          const expected = rowsOf(tape);
          expect(written).toBe(expected.length);
          expect(read.map(plain)).toEqual(expected.map(({ venueAt, ...row }) => ({ ...row, venue_at: venueAt })));
          const groups = (await parquetMetadataAsync(file)).row_groups;
          expect(groups).toHaveLength(Math.ceil(expected.length / 7));
        } finally {
          drop();
        }
      }),
      { numRuns: runCount(30) },
    );
  });

  it('an exported tape is read back from CSV unchanged, prices in dollars and quantities in contracts to the last digit', () => {
    fc.assert(
      fc.property(randomFacts, (list) => {
        withTapeFolder((folder) => {
          const [tape, path] = [join(folder, 'tape.arrow'), join(folder, 'tape.csv')];
          writeTape(tape, list);
          withTape(tape, (source) => allSteps(exportTape({ source, format: 'csv', filePath: path })));
          const read: Record<string, string>[] = parse(readFileSync(path), { columns: true });
          expect(read).toEqual(
            rowsOf(tape).map((row) => ({
              received_at: iso(row.at),
              venue_at: row.venueAt === null ? '' : iso(row.venueAt),
              kind: row.kind,
              ticker: row.ticker ?? '',
              side: row.side ?? '',
              price: row.price === null ? '' : formatPrice(price(row.price)),
              qty: row.qty === null ? '' : formatQty(qty(row.qty)),
              text: row.text ?? '',
            })),
          );
        });
      }),
    );
  });

  it('an exported table has a row for an empty snapshot, and one for each level after a snapshot', () => {
    withTapeFolder((folder) => {
      const tape = join(folder, 'tape.arrow');
      const writer = new BakedWriter(tape);
      const market = writer.marketNumber('M-0');
      writer.writeSnapshot({ at: at(0), exchangeAt: null, market, bids: [], asks: [] });
      writer.writeSnapshot({
        at: at(1),
        exchangeAt: at(0),
        market,
        bids: [[price(4150), qty(105)]],
        asks: [[price(4200), qty(7)]],
      });
      writer.finish({ source: 's', venue: 's', sourceHash: '' });
      const brief = rowsOf(tape).map(({ kind, side, price: p, qty: q }) => [kind, side, p, q]);
      expect(brief).toEqual([
        ['snapshot', null, null, 0],
        ['snapshot', null, null, 200],
        ['level', 'bid', 4150, 105],
        ['level', 'ask', 4200, 7],
      ]);
    });
  });

  it.each(['csv', 'parquet'] as const)(
    'an export leaves no %s where it cannot be written, and gives the reason',
    (format) => {
      withTapeFolder((folder) => {
        const tape = join(folder, 'tape.arrow');
        writeTape(tape, []);
        const path = join(folder, 'nowhere', 'tape');
        const write = () => withTape(tape, (source) => allSteps(exportTape({ source, format, filePath: path })));
        expect(write).toThrow(ExportFault);
        expect(write).toThrow(/nowhere.tape: cannot be written: ENOENT/);
        const taken = join(folder, 'taken');
        mkdirSync(taken);
        expect(() => withTape(tape, (source) => allSteps(exportTape({ source, format, filePath: taken })))).toThrow(
          /taken: cannot be written: a file of that name was made in the meantime/,
        );
        expect(readdirSync(folder).sort()).toEqual(['taken', 'tape.arrow']);
      });
    },
  );
});

/** Writes a tape that an export needs two steps for. */
function writeLongTape(path: string): void {
  const writer = new BakedWriter(path);
  const market = writer.marketNumber('M-0');
  for (let row = 0; row < LONG_ROWS; row++)
    writer.writeSnapshot({ at: at(row), exchangeAt: null, market, bids: [], asks: [] });
  writer.finish({ source: 's', venue: 's', sourceHash: '' });
}

describe.each(['csv', 'parquet'] as const)('a long export to %s', (format) => {
  it('does not mix with another one to the same name: the first to end keeps it', () => {
    withTapeFolder((folder) => {
      const [tape, filePath] = [join(folder, 'tape.arrow'), join(folder, 'table')];
      writeLongTape(tape);
      withTape(tape, (source) => {
        const late = exportTape({ source, format, filePath });
        late.next();
        expect(allSteps(exportTape({ source, format, filePath }))).toBe(LONG_ROWS);
        expect(() => allSteps(late)).toThrow(/made in the meantime/);
      });
      expect(readdirSync(folder).sort()).toEqual(['table', 'tape.arrow']);
      if (format === 'csv') expect(readFileSync(filePath, 'utf8').split('\n')).toHaveLength(LONG_ROWS + 2);
    });
  });

  it('leaves nothing when it is stopped', () => {
    withTapeFolder((folder) => {
      const [tape, filePath] = [join(folder, 'tape.arrow'), join(folder, 'table')];
      writeLongTape(tape);
      withTape(tape, (source) => {
        const work = exportTape({ source, format, filePath });
        work.next();
        expect(readdirSync(folder)).toHaveLength(2);
        expect(() => work.throw(new Error('stopped'))).toThrow('stopped');
      });
      expect(readdirSync(folder)).toEqual(['tape.arrow']);
    });
  });
});

const iso = (micros: number): string => {
  const text = new Date(Math.floor(micros / 1000)).toISOString();
  return `${text.slice(0, -1)}${String(micros % 1000).padStart(3, '0')}Z`;
};

/** Times as stored: a date would lose the microseconds. */
const parsers = { timestampFromMicroseconds: (value: bigint) => value };
const plain = ({ received_at: when, venue_at: venueTime, price: p, qty: q, ...row }: Record<string, unknown>) => ({
  ...row,
  at: Number(when),
  venue_at: venueTime === null || venueTime === undefined ? null : Number(venueTime),
  // The reader makes a float of a decimal; the whole number that is stored is the nearest.
  price: scaled(p, 10_000),
  qty: scaled(q, 100),
});
const scaled = (value: unknown, by: number): number | null =>
  typeof value === 'number' ? Math.round(value * by) : null;

/** A folder that stays until it is disposed. */
function held() {
  const folder = mkdtempSync(join(tmpdir(), 'presage-export-'));
  const drop = (): void => rmSync(folder, { recursive: true, force: true });
  return { path: join(folder, 'tape.parquet'), tape: join(folder, 'tape.arrow'), drop };
}
