// The hash of files is of their bytes, whoever read them, and in which order.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileHash } from '../../../src/tape/import/file-hash.ts';
import { changeOf, linesOf, snapshotOf, subscribedTo } from '../../support/capture.ts';
import { importTexts } from '../../support/importing.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-file-hash-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const contents = fc.array(fc.uint8Array({ maxLength: 8 }), { maxLength: 4 });

/** Writes files, and gives their hash by definition. */
function written(parts: readonly Uint8Array[]) {
  const files = parts.map((bytes, at) => {
    const file = join(folder, String(at));
    writeFileSync(file, bytes);
    return { file, bytes: bytes.length };
  });
  return { files, expected: createHash('sha256').update(Buffer.concat(parts)).digest('hex') };
}

describe('the hash of files', () => {
  it('is made of what was heard when all of it was', () => {
    fc.assert(
      fc.property(contents, fc.integer({ min: 1, max: 5 }), (parts, step) => {
        const { files, expected } = written(parts);
        const hash = new FileHash(files);
        parts.forEach((bytes, number) => {
          for (let at = 0; at < bytes.length; at += step)
            hash.hear(join(folder, String(number)), bytes.subarray(at, at + step));
        });
        // Nothing is there to be read again.
        for (const { file } of files) rmSync(file);
        expect(hash.digest()).toBe(expected);
      }),
    );
  });

  it('is the same where only a part was heard, or in another order, or of other files', () => {
    const heard = fc.array(fc.tuple(fc.nat(4), fc.uint8Array({ minLength: 1, maxLength: 4 })), { maxLength: 6 });
    fc.assert(
      fc.property(contents, heard, (parts, said) => {
        const { files, expected } = written(parts);
        const hash = new FileHash(files);
        // What is heard is of the files, as far as they go.
        const places = parts.map(() => 0);
        for (const [number, { length }] of said) {
          const at = places[number] ?? 0;
          const bytes = (parts[number] ?? new Uint8Array(length)).subarray(at, at + length);
          places[number] = at + bytes.length;
          hash.hear(join(folder, String(number)), bytes);
        }
        expect(hash.digest()).toBe(expected);
      }),
    );
  });

  it('is of the files as they are on disk, packed or not', async () => {
    const text = linesOf(subscribedTo(1), snapshotOf(1), changeOf(2), '{', changeOf(3));
    const more = linesOf(changeOf(4));
    const hashOf = (...parts: readonly (string | Buffer)[]): string =>
      parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');
    const plain = await importTexts('feed-jsonl', [text, more], { ending: '.jsonl' });
    expect(plain.report.facts.sourceHash).toBe(hashOf(text, more));
    const packed = await importTexts('feed-jsonl', [gzipSync(text), gzipSync(more)], { ending: '.jsonl.gz' });
    expect(packed.report.facts.sourceHash).toBe(hashOf(gzipSync(text), gzipSync(more)));
    expect(packed.facts).toEqual(plain.facts);
  });
});
