// Opening a tape through its baked copy, which is baked when it is missing, stale or damaged, and otherwise kept.
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BakedFault } from '../../../src/tape/baked/baked-fault.ts';
import { BAKER_VERSION, TAIL_BYTES } from '../../../src/tape/baked/baked-format.ts';
import { SEAL_BYTES, makeSeal } from '../../../src/tape/baked/baked-seal.ts';
import type { BakeProgress } from '../../../src/tape/tools/bake-tape.ts';
import { fileStorage } from '../../../src/tape/journal/file-storage.ts';
import { BAKED_NAME, openTape } from '../../../src/tape/tools/open-tape.ts';
import { sourceHashOf } from '../../../src/tape/journal/source-hash.ts';
import { withTemporaryFolderAsync, rowsOf } from '../../support/tapes/baked-rows.ts';
import {
  SESSION_START,
  RECORDER_MANIFEST,
  RecordedSession,
  serviceNormalizer,
} from '../../support/tapes/recorded-session.ts';

/** The opened tape, and the number of bakes it took. */
function opened(place: string, bakedFile?: string) {
  let bakes = 0;
  const reading: ReturnType<typeof serviceNormalizer> = (...reports) => {
    bakes += 1;
    return serviceNormalizer()(...reports);
  };
  const source = openTape(place, { normalizerOf: reading, ...(bakedFile !== undefined && { bakedFile }) });
  const rows = rowsOf(source);
  source.close();
  return { bakes, rows, facts: source.facts };
}

async function record(folder: string, at = SESSION_START): Promise<void> {
  const recorded = new RecordedSession(fileStorage(folder), { manifest: RECORDER_MANIFEST, at });
  await recorded.feedUp().writeSnapshot('M-1').writeDelta('M-1').close();
}

describe('a tape', () => {
  it('a tape is baked once, and opened as it was baked', async () => {
    await withTemporaryFolderAsync(async (folder) => {
      await record(folder);
      const first = opened(folder);
      expect(first.bakes).toBe(1);
      expect(first.rows).toHaveLength(4);
      expect(opened(folder)).toEqual({ ...first, bakes: 0 });
      expect(opened(join(folder, BAKED_NAME))).toEqual({ ...first, bakes: 0 });
    });
  });

  it('a tape is baked again when it has grown', async () => {
    await withTemporaryFolderAsync(async (folder) => {
      await record(folder);
      const before = opened(folder);
      await record(folder, SESSION_START + 9000);
      const after = opened(folder);
      expect(after.bakes).toBe(2);
      expect(after.rows.length).toBeGreaterThan(before.rows.length);
      expect(after.facts.sourceHash).not.toBe(before.facts.sourceHash);
      expect(opened(folder).bakes).toBe(0);
    });
  });

  it('a tape is baked again when another version baked it', async () => {
    await withTemporaryFolderAsync(async (folder) => {
      await record(folder);
      const { facts } = opened(folder);
      const path = join(folder, BAKED_NAME);
      renameVersion(path, BAKER_VERSION - 1);
      expect(opened(path).facts.bakerVersion).toBe(BAKER_VERSION - 1);
      expect(opened(folder)).toMatchObject({ bakes: 1, facts });
      renameVersion(path, BAKER_VERSION + 1);
      expect(() => opened(path)).toThrow('later version');
      expect(opened(folder)).toMatchObject({ bakes: 1, facts });
    });
  });

  it('a tape is baked again when its baked copy is damaged or cut short', async () => {
    await withTemporaryFolderAsync(async (folder) => {
      await record(folder);
      const { rows } = opened(folder);
      const path = join(folder, BAKED_NAME);
      writeFileSync(path, readFileSync(path).subarray(0, -50));
      expect(opened(folder)).toMatchObject({ bakes: 1, rows });
      writeFileSync(path, 'no Arrow file');
      expect(opened(folder)).toMatchObject({ bakes: 1, rows });
    });
  });

  it('a tape is baked to another file on request', async () => {
    await withTemporaryFolderAsync(async (folder) => {
      const tape = join(folder, 'tape');
      await record(tape);
      const elsewhere = join(folder, 'deep', 'x.arrow');
      expect(opened(tape, elsewhere).bakes).toBe(1);
      expect(opened(tape, elsewhere).bakes).toBe(0);
      expect(readdirSync(tape)).not.toContain(BAKED_NAME);
      expect(statSync(elsewhere).isFile()).toBe(true);
    });
  });

  it('opening a tape leaves no half-baked file, of this attempt or of one that died', async () => {
    await withTemporaryFolderAsync(async (folder) => {
      await record(folder);
      const names = readdirSync(folder);
      const gone = join(folder, `${BAKED_NAME}.${2 ** 22 + 1}.new`);
      writeFileSync(gone, 'half');
      const reading = (): never => {
        throw new Error('no such profile');
      };
      expect(() => openTape(folder, { normalizerOf: reading })).toThrow('no such profile');
      expect(readdirSync(folder)).toEqual(names);
    });
  });

  it('opening a tape reports its progress', async () => {
    await withTemporaryFolderAsync(async (folder) => {
      await record(folder);
      await record(folder, SESSION_START + 9000);
      const reports: BakeProgress[] = [];
      openTape(folder, { normalizerOf: serviceNormalizer(), onProgress: (progress) => reports.push(progress) }).close();
      const storage = fileStorage(folder);
      const bytesTotal = storage
        .listFiles()
        .filter((name) => name.endsWith('.tape'))
        .reduce((sum, name) => sum + storage.sizeOf(name), 0);
      expect(reports.at(-1)).toEqual({ bytes: bytesTotal, bytesTotal });
      expect(reports.length).toBeGreaterThan(1);
      expect(sourceHashOf(storage)).toHaveLength(64);
    });
  });

  it('a missing tape is reported as missing', async () => {
    await withTemporaryFolderAsync(async (folder) => {
      expect(() => opened(join(folder, 'none'))).toThrow(BakedFault);
      await Promise.resolve();
    });
  });
});

/** Gives a baked file the version of another baker. */
function renameVersion(path: string, version: number): void {
  const bytes = readFileSync(path);
  const footerAt = bytes.length - TAIL_BYTES - bytes.readInt32LE(bytes.length - TAIL_BYTES);
  const named = bytes.toString('latin1', footerAt).replace(/"bakerVersion":\d/, `"bakerVersion":${version}`);
  const footer = Buffer.from(named, 'latin1');
  const before = bytes.subarray(0, footerAt);
  makeSeal(0, footer).copy(before, footerAt - 4, SEAL_BYTES - 4);
  writeFileSync(path, Buffer.concat([before, footer]));
}
