// The hash of files depends on their bytes only, whichever thread computes it, and whatever happens to that thread.
import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../../../src/base/assert.ts';
import { FileHash, ThreadHash } from '../../../../src/tape/import/rows/file-hash.ts';
import { changeOf, linesOf, snapshotOf, subscribedTo } from '../../../support/tapes/captured-messages.ts';
import { importTexts } from '../../../support/tapes/imported-tape.ts';

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

/** The thread that computes it. */
const ON_THREAD = true;
const HERE = false;

describe('the hash of files', () => {
  it('the hash of files covers their bytes, one file behind the other', async () => {
    await fc.assert(
      fc.asyncProperty(contents, async (parts) => {
        const { files, expected } = written(parts);
        expect(await new FileHash(files, HERE).digest()).toBe(expected);
      }),
    );
  });

  it('the hash of files is the same from another thread, which ends with it', async () => {
    const parts = [Buffer.alloc(1_000_000, 'presage'), Buffer.alloc(0), Buffer.from('end')];
    const { files, expected } = written(parts);
    const thread = new ThreadHash(files.map(({ file }) => file));
    expect(await thread.digest).toBe(expected);
    thread.stop();
    const hash = new FileHash(files, ON_THREAD);
    expect(await hash.digest()).toBe(expected);
    hash.close();
  });

  it('the hash of files is of their bytes at the end, where one became longer', async () => {
    const { files } = written([Buffer.from('one'), Buffer.from('two')]);
    const hash = new FileHash(files, ON_THREAD);
    appendFileSync(must(files[0], 'a file').file, ', and more');
    expect(await hash.digest()).toBe(createHash('sha256').update('one, and moretwo').digest('hex'));
    hash.close();
  });

  it('the hash of files is computed even when the thread is gone', async () => {
    const { files, expected } = written([Buffer.from('one')]);
    const hash = new FileHash(files, ON_THREAD);
    hash.close();
    expect(await hash.digest()).toBe(expected);
  });

  it("the hash of a removed file is the system's error", async () => {
    const { files } = written([Buffer.from('one')]);
    for (const { file } of files) rmSync(file);
    for (const onThread of [ON_THREAD, HERE]) {
      const hash = new FileHash(files, onThread);
      await expect(hash.digest()).rejects.toThrow('ENOENT');
      hash.close();
    }
    const thread = new ThreadHash(files.map(({ file }) => file));
    await expect(thread.digest).rejects.toThrow('ENOENT');
  });

  it('the hash of files is of their bytes on disk, packed or not', async () => {
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
