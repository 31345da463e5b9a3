// Every changed byte of a tape is detected: verifying names the file and the place, and opening it gives the original
// rows or a fault at once.
import { readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { must } from '../../../src/base/assert.ts';
import { micros, price, qty } from '../../../src/domain/units.ts';
import { BakedFault } from '../../../src/tape/baked/baked-fault.ts';
import { openBakedFile } from '../../../src/tape/baked/baked-reader.ts';
import { verifyBakedFile } from '../../../src/tape/baked/verify-baked.ts';
import { BakedWriter } from '../../../src/tape/baked/baked-writer.ts';
import { deflatePacker } from '../../../src/tape/format/packed-block.ts';
import { fileStorage } from '../../../src/tape/journal/file-storage.ts';
import { BAKED_NAME, bakedCopyFault, openTape } from '../../../src/tape/tools/open-tape.ts';
import { verifyTape } from '../../../src/tape/tools/verify-tape.ts';
import { withTemporaryFolder, withTemporaryFolderAsync, rowsOf } from '../../support/tapes/baked-rows.ts';
import { RECORDER_MANIFEST, RecordedSession, serviceNormalizer } from '../../support/tapes/recorded-session.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const SEED = 20_261_121;
/** A place in a file as a fraction of its length, and the change of its byte. */
const PLACES = 1_000_000;
const damages = fc.record({ place: fc.nat(PLACES - 1), by: fc.integer({ min: 1, max: 255 }) });
type Damage = typeof damages extends fc.Arbitrary<infer T> ? T : never;

/** The same bytes with one changed. */
function changed(bytes: Buffer, { place, by }: Damage): Buffer {
  const broken = Buffer.from(bytes);
  const at = Math.floor((place / PLACES) * bytes.length);
  broken[at] = must(broken[at], 'a byte') ^ by;
  return broken;
}

/** A small imported tape: some blocks, and one that was written last and is read first. */
function writeTape(path: string): void {
  const rows = new BakedWriter(path, { blockRows: 8 });
  const market = rows.marketNumber('M-1');
  const at = micros(1_795_000_000_000_000);
  for (let row = 0; row < 30; row++) {
    rows.writeDelta({ at, exchangeAt: at, market, side: 'bid', price: price(4200), change: qty(row) });
    if (row % 7 === 0)
      rows.writePrint({
        at,
        exchangeAt: null,
        market,
        side: 'buy',
        price: price(4200),
        qty: qty(100),
        tradeId: `t-${row}`,
      });
  }
  rows.writeToFront(() => rows.writeOther({ kind: 'exchange-status', at, isActive: true, isTrading: true }));
  rows.finish({ source: 'test', venue: 'test', sourceHash: '' });
}

/** The rows of a baked file, or the fault of opening or reading it. */
function readAll(path: string): unknown {
  try {
    const source = openBakedFile(path);
    try {
      return rowsOf(source);
    } finally {
      source.close();
    }
  } catch (fault) {
    return fault;
  }
}

/** Records a session in a new folder. */
async function record(folder: string): Promise<void> {
  const recorded = new RecordedSession(fileStorage(folder), { manifest: RECORDER_MANIFEST });
  recorded.feedUp().writeSnapshot('M-1').writeSnapshot('M-2');
  for (let change = 0; change < 20; change++) recorded.writeDelta(change % 2 === 0 ? 'M-1' : 'M-2');
  await recorded.feedDown('closed').close();
}

const tapeIn = (folder: string): string =>
  join(
    folder,
    must(
      readdirSync(folder).find((name) => name.includes('.tape')),
      'a file of the tape',
    ),
  );

describe('a changed byte of a tape', () => {
  it('a changed byte of a baked file is found and its place named; the rows are the original ones or a fault', () => {
    withTemporaryFolder((folder) => {
      const path = join(folder, 'rows.arrow');
      writeTape(path);
      expect(verifyBakedFile(path)).toEqual({ rows: 36 });
      const bytes = readFileSync(path);
      const rows = readAll(path);
      fc.assert(
        fc.property(damages, (damage) => {
          writeFileSync(path, changed(bytes, damage));
          expect(() => verifyBakedFile(path)).toThrow(BakedFault);
          expect(() => verifyBakedFile(path)).toThrow(/rows\.arrow: .*(byte \d+|beginning|end|footer)/);
          const found = readAll(path);
          if (!(found instanceof BakedFault)) expect(found).toEqual(rows);
        }),
        { numRuns: runCount(600), seed: SEED },
      );
    });
  });

  it.each([false, true])('a changed byte of a recording is found and its line named (packed: %s)', async (isPacked) => {
    await withTemporaryFolderAsync(async (folder) => {
      await record(folder);
      if (isPacked) {
        const plain = tapeIn(folder);
        writeFileSync(plain, await deflatePacker(readFileSync(plain)));
        renameSync(plain, `${plain}.gz`);
      }
      const path = tapeIn(folder);
      expect(verifyTape(fileStorage(folder)).fault).toBe(null);
      const bytes = readFileSync(path);
      fc.assert(
        fc.property(damages, (damage) => {
          writeFileSync(path, changed(bytes, damage));
          const { fault } = verifyTape(fileStorage(folder));
          expect(fault).toMatchObject({ line: expect.any(Number), what: expect.stringMatching(/expected|fit/) });
          expect(path.endsWith(String(fault?.file))).toBe(true);
        }),
        { numRuns: runCount(250), seed: SEED },
      );
    });
  });

  it('a changed byte of the baked copy in a folder is found with its remedy, or the copy is baked again', async () => {
    await withTemporaryFolderAsync(async (folder) => {
      await record(folder);
      const open = () => openTape(folder, { normalizerOf: serviceNormalizer() });
      open().close();
      const path = join(folder, BAKED_NAME);
      const rows = readAll(path);
      const bytes = readFileSync(path);
      expect(bakedCopyFault(folder)).toBe(null);
      let [found, bakedAgain] = [0, 0];
      fc.assert(
        fc.property(damages, (damage) => {
          writeFileSync(path, changed(bytes, damage));
          const fault = bakedCopyFault(folder);
          if (fault === null) {
            open().close();
            bakedAgain += 1;
          } else {
            expect(fault.message).toMatch(
              /baked\.arrow: is damaged: .* byte \d+.*; remove it: it is a copy .* is baked again$/,
            );
            rmSync(path);
            open().close();
            found += 1;
          }
          expect(readAll(path)).toEqual(rows);
        }),
        { numRuns: runCount(200), seed: SEED },
      );
      expect(Math.min(found, bakedAgain)).toBeGreaterThan(50);
    });
  });
});
