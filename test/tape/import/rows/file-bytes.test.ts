// The bytes of a packed file are those that were packed, however they were packed, and whichever reader unpacks them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Gunzip, createGunzip, gunzipSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../../../src/base/assert.ts';
import { type FileBytes, StreamedBytes, openBytes } from '../../../../src/tape/import/rows/file-bytes.ts';
import { GzipUnpacker } from '../../../../src/tape/import/rows/gzip-unpacker.ts';
import { changeOf, linesOf, snapshotOf, subscribedTo } from '../../../support/tapes/captured-messages.ts';
import { importTexts } from '../../../support/tapes/imported-tape.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-file-bytes-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function written(bytes: Uint8Array): string {
  const file = join(folder, 'packed.gz');
  writeFileSync(file, bytes);
  return file;
}

const openUnpacker = (): GzipUnpacker => must(GzipUnpacker.create(), 'fields of a stream of zlib');

/** Bytes of which some repeat, so that little packed is much unpacked. */
const contents = fc
  .array(fc.record({ bytes: fc.uint8Array({ maxLength: 40 }), times: fc.integer({ min: 1, max: 60 }) }), {
    maxLength: 6,
  })
  .map((parts) => Buffer.concat(parts.flatMap(({ bytes, times }) => Array.from({ length: times }, () => bytes))));

/** The content of a gzip file, and the members of the file. */
const members = fc.array(fc.record({ content: contents, level: fc.integer({ min: 0, max: 9 }) }), {
  minLength: 1,
  maxLength: 4,
});
const packedFile = members.map((all) => Buffer.concat(all.map(({ content, level }) => gzipSync(content, { level }))));
const sizes = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 5 });

/** Cuts bytes into pieces of the given sizes, in turn. */
function piecesOf(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += must(pieces.at(-1), 'a piece').length)
    pieces.push(bytes.subarray(at, at + must(lengths[pieces.length % lengths.length], 'a size')));
  return pieces;
}

/** Unpacks pieces into room of the given size. */
function unpackedPieces(pieces: readonly Buffer[], roomBytes: number): Buffer {
  const unpacker = openUnpacker();
  const room = Buffer.alloc(roomBytes);
  const unpacked: Buffer[] = [];
  for (const piece of pieces) {
    unpacker.takePacked(piece);
    for (let count = unpacker.unpackInto(room); count > 0; count = unpacker.unpackInto(room))
      unpacked.push(Buffer.from(room.subarray(0, count)));
  }
  unpacker.checkEnd();
  unpacker.close();
  return Buffer.concat(unpacked);
}

/** Reads to the end. Returns the bytes, or the code of the fault. */
async function outcomeOf(file: FileBytes): Promise<unknown> {
  const room = Buffer.alloc(1000);
  const all: Buffer[] = [];
  try {
    for (let count = await file.readInto(room); count > 0; count = await file.readInto(room))
      all.push(Buffer.from(room.subarray(0, count)));
    return Buffer.concat(all);
  } catch (fault) {
    return fault instanceof Error && 'code' in fault ? `${String(fault.code)}: ${fault.message}` : fault;
  } finally {
    file.close();
  }
}

describe('the bytes of a packed file', () => {
  it('packed bytes become the same bytes, in whichever members, pieces and room', () => {
    fc.assert(
      fc.property(packedFile, sizes, fc.integer({ min: 1, max: 3000 }), (packed, lengths, roomBytes) => {
        expect(unpackedPieces(piecesOf(packed, lengths), roomBytes).equals(gunzipSync(packed))).toBe(true);
      }),
    );
  });

  it('padding behind a member is no content, and hides no member behind it', () => {
    const padding = Buffer.alloc(300);
    const packed = Buffer.concat([gzipSync('one'), padding, gzipSync(''), Buffer.alloc(1), gzipSync(' two'), padding]);
    for (const roomBytes of [1, 3, 4, 8])
      for (const length of [1, 100, gzipSync('one').length, packed.length])
        expect(unpackedPieces(piecesOf(packed, [length]), roomBytes).toString()).toBe('one two');
  });

  it('bytes behind the padding that are no member are a fault', () => {
    const packed = Buffer.concat([gzipSync('one'), Buffer.alloc(300), Buffer.from('rubbish')]);
    for (const length of [1, 100, packed.length])
      expect(() => unpackedPieces(piecesOf(packed, [length]), 8)).toThrow('incorrect header check');
  });

  // A stream passes over what is behind padding, so no byte of what follows a member becomes zero.
  it('a packed file has the content and the faults that a stream of zlib finds in it', async () => {
    const place = fc.nat();
    const change = fc.record({ at: place, byte: fc.integer({ min: 1, max: 255 }) });
    const tail = fc.constantFrom(Buffer.alloc(0), Buffer.from('rubbish'), Buffer.from([0x1f]));
    await fc.assert(
      fc.asyncProperty(
        fc.record({ whole: packedFile, tail, cut: fc.option(place), change: fc.option(change) }),
        async ({ whole, tail: more, cut, change: changed }) => {
          const packed = Buffer.concat([whole.subarray(0, (cut ?? whole.length) % (whole.length + 1)), more]);
          if (changed !== null && packed.length > 0) packed[changed.at % packed.length] = changed.byte;
          const file = written(packed);
          expect(await outcomeOf(openBytes(file))).toEqual(await outcomeOf(new StreamedBytes(file)));
        },
      ),
    );
  });

  it('a file of many chunks is read to its end, and counted as it lies on disk', async () => {
    const text = Array.from({ length: 60_000 }, (_, at) => `${at} ${(at * 2_654_435_761) % 4_294_967_296}`).join('\n');
    const packed = Buffer.concat([gzipSync(text), gzipSync(text, { level: 0 })]);
    const file = written(packed);
    for (const open of [openBytes, (name: string): FileBytes => new StreamedBytes(name)]) {
      const bytes = open(file);
      const content = await outcomeOf(bytes);
      expect(Buffer.isBuffer(content) && content.equals(Buffer.from(text + text))).toBe(true);
      expect(bytes.bytesRead).toBe(packed.length);
    }
  });

  it('unpacking takes no memory but the room, however much it unpacks', () => {
    const packed = gzipSync(Buffer.alloc(32 << 20, 'presage '));
    const room = Buffer.alloc(1 << 16);
    const unpacker = openUnpacker();
    unpacker.takePacked(packed);
    const before = process.memoryUsage().arrayBuffers;
    let sum = 0;
    for (let count = unpacker.unpackInto(room); count > 0; count = unpacker.unpackInto(room)) sum += count;
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 20);
    expect(sum).toBe(32 << 20);
    unpacker.checkEnd();
    unpacker.close();
  });

  it('an import of a packed file that is cut, damaged or not packed names the file, a line and the fault', async () => {
    const lines = Array.from({ length: 30_000 }, (_, at) => JSON.stringify(changeOf(at + 3))).join('\n');
    const packed = gzipSync(`${linesOf(subscribedTo(1), snapshotOf(2))}\n${lines}`);
    const damaged = Buffer.from(packed);
    damaged.writeUInt32LE(0, packed.length - 8);
    const faults = [
      [
        packed.subarray(0, packed.length - 9),
        /file-1\.jsonl\.gz, line \d{4,}: cannot be read further: the packed file ends too early \(Z_BUF_ERROR\)$/,
      ],
      [
        damaged,
        /file-1\.jsonl\.gz, line \d{4,}: cannot be read further: the packed file is damaged \(Z_DATA_ERROR: incorrect data check\)$/,
      ],
      [
        Buffer.from('{}'),
        /file-1\.jsonl\.gz, line 1: cannot be read further: no gzip begins here, .*\(Z_DATA_ERROR: incorrect header check\)$/,
      ],
    ] as const;
    for (const [bytes, message] of faults)
      await expect(importTexts('feed-jsonl', [bytes], { ending: '.jsonl.gz' })).rejects.toThrow(message);
  });

  it.each<[string, () => void]>([
    ['do nothing', () => undefined],
    [
      'throw',
      () => {
        throw new TypeError('expected other arguments');
      },
    ],
  ])('the unpacker is not used where the undocumented fields %s', (_what, writeSync) => {
    const makeStream = (): Gunzip => {
      const gunzip = createGunzip();
      if ('_handle' in gunzip) Object.assign(gunzip._handle as object, { writeSync });
      return gunzip;
    };
    expect(GzipUnpacker.create(makeStream)).toBeNull();
    expect(GzipUnpacker.create(() => Object.assign(createGunzip(), { _writeState: null }))).toBeNull();
  });

  it('a missing packed file is the error of the system', () => {
    expect(() => openBytes(join(folder, 'none.gz'))).toThrow('ENOENT');
  });
});
