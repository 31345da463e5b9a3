// The bytes of a packed file are those that were packed, however they were packed, and whichever reader unpacks them.
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
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

const openUnpacker = async (): Promise<GzipUnpacker> => must(await GzipUnpacker.create(), 'fields of a stream of zlib');

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
async function unpackedPieces(pieces: readonly Buffer[], roomBytes: number): Promise<Buffer> {
  const unpacker = await openUnpacker();
  const room = Buffer.alloc(roomBytes);
  const unpacked: Buffer[] = [];
  for (const piece of pieces) {
    unpacker.takePacked(piece);
    for (let count = await unpacker.unpackInto(room); count > 0; count = await unpacker.unpackInto(room))
      unpacked.push(Buffer.from(room.subarray(0, count)));
  }
  await unpacker.checkEnd();
  unpacker.close();
  return Buffer.concat(unpacked);
}

interface Outcome {
  readonly content: Buffer;
  /** Code and message of the fault that ended the reading. */
  readonly fault: string | null;
}

/** Reads to the end, or to a fault. */
async function outcomeOf(file: FileBytes): Promise<Outcome> {
  const room = Buffer.alloc(1000);
  const all: Buffer[] = [];
  try {
    for (let count = await file.readInto(room); count > 0; count = await file.readInto(room))
      all.push(Buffer.from(room.subarray(0, count)));
    return { content: Buffer.concat(all), fault: null };
  } catch (fault) {
    const { code = '', message } = fault as Error & { readonly code?: string };
    return { content: Buffer.concat(all), fault: `${code}: ${message}` };
  } finally {
    file.close();
  }
}

/**
 * Reads a packed file by both readers, which must find the same. What they have unpacked before a fault depends on the
 * room that each gives zlib, so one has a part of the other's.
 */
async function commonOutcomeOf(packed: Uint8Array): Promise<Outcome> {
  const file = written(packed);
  const [unpacker, stream] = [await outcomeOf(await openBytes(file)), await outcomeOf(new StreamedBytes(file))];
  expect(stream.fault).toBe(unpacker.fault);
  const common = unpacker.fault === null ? Infinity : Math.min(stream.content.length, unpacker.content.length);
  expect(stream.content.subarray(0, common).equals(unpacker.content.subarray(0, common))).toBe(true);
  return unpacker;
}

describe('the bytes of a packed file', () => {
  it('packed bytes become the same bytes, in whichever members, pieces and room', async () => {
    await fc.assert(
      fc.asyncProperty(packedFile, sizes, fc.integer({ min: 1, max: 3000 }), async (packed, lengths, roomBytes) => {
        const unpacked = await unpackedPieces(piecesOf(packed, lengths), roomBytes);
        expect(unpacked.equals(gunzipSync(packed))).toBe(true);
      }),
    );
  });

  it('padding behind a member is no content, and hides no member behind it', async () => {
    const padding = Buffer.alloc(300);
    const packed = Buffer.concat([gzipSync('one'), padding, gzipSync(''), Buffer.alloc(1), gzipSync(' two'), padding]);
    for (const roomBytes of [1, 3, 4, 8])
      for (const length of [1, 100, gzipSync('one').length, packed.length])
        expect(String(await unpackedPieces(piecesOf(packed, [length]), roomBytes))).toBe('one two');
  });

  it('bytes behind the padding that are no member are a fault', async () => {
    const packed = Buffer.concat([gzipSync('one'), Buffer.alloc(300), Buffer.from('rubbish')]);
    for (const length of [1, 100, packed.length])
      await expect(unpackedPieces(piecesOf(packed, [length]), 8)).rejects.toThrow('incorrect header check');
  });

  const ONE = gzipSync('one');
  const TWO = gzipSync(' two');
  const zeros = (count: number): Buffer => Buffer.alloc(count);
  const CHUNK = 1 << 18;
  const NOISE = Buffer.from(Array.from({ length: 300_000 }, (_, at) => ((at * 2_654_435_761) >>> 13) & 255));
  const LONG = gzipSync(NOISE, { level: 0 });
  /** The content of a member that ends where a chunk of the file ends. */
  const FULL = NOISE.subarray(0, CHUNK - (gzipSync(NOISE.subarray(0, CHUNK - 100), { level: 0 }).length - CHUNK + 100));
  const EARLY = 'Z_BUF_ERROR: unexpected end of file';
  const NO_HEADER = 'Z_DATA_ERROR: incorrect header check';

  const WHOLE_CHUNK = gzipSync(FULL, { level: 0 });

  it.each<[string, readonly Buffer[], string | Buffer]>([
    ['a member without content', [gzipSync('')], ''],
    ['a member', [ONE], 'one'],
    ['several members', [ONE, TWO, gzipSync(''), ONE], 'one twoone'],
    ['padding at the end', [ONE, zeros(1)], 'one'],
    ['much padding at the end', [ONE, zeros(3 * CHUNK)], 'one'],
    ['padding between members', [ONE, zeros(5), TWO, zeros(700), gzipSync(''), zeros(1), ONE], 'one twoone'],
    ['chunks of padding between members', [ONE, zeros(2 * CHUNK + 3), TWO], 'one two'],
    ['padding where a chunk begins', [WHOLE_CHUNK, zeros(9), TWO], Buffer.concat([FULL, Buffer.from(' two')])],
    ['a member where a chunk begins', [WHOLE_CHUNK, TWO], Buffer.concat([FULL, Buffer.from(' two')])],
    ['the end where a chunk ends', [WHOLE_CHUNK], FULL],
    ['a long member behind padding', [ONE, zeros(9), LONG], Buffer.concat([Buffer.from('one'), NOISE])],
  ])('both readers find the content of a packed file: %s', async (_what, parts, expected) => {
    const { content, fault } = await commonOutcomeOf(Buffer.concat(parts));
    expect(fault).toBeNull();
    expect(content.equals(Buffer.from(expected))).toBe(true);
  });

  it('the chunk of the table ends where the member ends', () => expect(WHOLE_CHUNK).toHaveLength(CHUNK));

  it.each<[string, readonly Buffer[], string]>([
    ['an empty file', [], EARLY],
    ['nothing but padding', [zeros(20)], NO_HEADER],
    ['padding at the head', [zeros(3), ONE], NO_HEADER],
    ['text', [Buffer.from('{"a":1}')], NO_HEADER],
    ['a cut header', [ONE.subarray(0, 5)], EARLY],
    ['a cut body', [ONE.subarray(0, 12)], EARLY],
    ['a cut checksum', [ONE.subarray(0, -3)], EARLY],
    ['a cut second member', [ONE, TWO.subarray(0, 7)], EARLY],
    ['a cut member behind padding', [ONE, zeros(4), TWO.subarray(0, -2)], EARLY],
    ['rubbish behind a member', [ONE, Buffer.from('rubbish')], NO_HEADER],
    ['rubbish where a chunk begins', [WHOLE_CHUNK, Buffer.from('rubbish')], NO_HEADER],
    ['rubbish behind padding', [ONE, zeros(300), Buffer.from('rubbish')], NO_HEADER],
    ['one byte behind a member', [ONE, Buffer.from([0x1f])], EARLY],
    ['one byte behind padding', [ONE, zeros(2), Buffer.from('x')], EARLY],
  ])('both readers find the fault of a packed file: %s', async (_what, parts, expected) => {
    const { fault } = await commonOutcomeOf(Buffer.concat(parts));
    expect(fault).toBe(expected);
  });

  it('both readers find the same in any packed file: padded, cut, changed, or with something behind it', async () => {
    const place = fc.nat();
    const change = fc.record({ at: place, byte: fc.nat({ max: 255 }) });
    const tail = fc.constantFrom(
      zeros(0),
      zeros(5),
      Buffer.from('rubbish'),
      Buffer.from([0x1f]),
      Buffer.from([0x1f, 0x8b]),
    );
    const padded = fc
      .array(fc.tuple(packedFile, fc.nat({ max: 20 })), { minLength: 1, maxLength: 3 })
      .map((parts) => Buffer.concat(parts.flatMap(([packed, padding]) => [packed, zeros(padding)])));
    await fc.assert(
      fc.asyncProperty(
        fc.record({ whole: padded, tail, cut: fc.option(place), change: fc.option(change) }),
        async ({ whole, tail: more, cut, change: changed }) => {
          const packed = Buffer.concat([whole.subarray(0, (cut ?? whole.length) % (whole.length + 1)), more]);
          if (changed !== null && packed.length > 0) packed[changed.at % packed.length] = changed.byte;
          await commonOutcomeOf(packed);
        },
      ),
    );
  });

  it('a file of many chunks is read to its end, and counted as it lies on disk', async () => {
    const text = Array.from({ length: 60_000 }, (_, at) => `${at} ${(at * 2_654_435_761) % 4_294_967_296}`).join('\n');
    const packed = Buffer.concat([gzipSync(text), gzipSync(text, { level: 0 })]);
    const file = written(packed);
    for (const open of [openBytes, (name: string): FileBytes | Promise<FileBytes> => new StreamedBytes(name)]) {
      const bytes = await open(file);
      const { content, fault } = await outcomeOf(bytes);
      expect(fault).toBeNull();
      expect(content.equals(Buffer.from(text + text))).toBe(true);
      expect(bytes.bytesRead).toBe(packed.length);
    }
  });

  it('unpacking takes no memory but the room, however much it unpacks', async () => {
    const packed = gzipSync(Buffer.alloc(32 << 20, 'presage '));
    const room = Buffer.alloc(1 << 16);
    const unpacker = await openUnpacker();
    unpacker.takePacked(packed);
    const before = process.memoryUsage().arrayBuffers;
    let sum = 0;
    for (let count = await unpacker.unpackInto(room); count > 0; count = await unpacker.unpackInto(room)) sum += count;
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 20);
    expect(sum).toBe(32 << 20);
    await unpacker.checkEnd();
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
  ])('the unpacker is not used where the undocumented fields %s', async (_what, write) => {
    const makeStream = (): Gunzip => {
      const gunzip = createGunzip();
      if ('_handle' in gunzip) Object.assign(gunzip._handle as object, { write });
      return gunzip;
    };
    expect(await GzipUnpacker.create(makeStream)).toBeNull();
    expect(await GzipUnpacker.create(() => Object.assign(createGunzip(), { _writeState: null }))).toBeNull();
  });

  it('the unpacker is not used where no symbol leads to the stream', async () => {
    const makeStream = (): Gunzip => {
      const gunzip = createGunzip();
      const handle = '_handle' in gunzip ? (gunzip._handle as object) : {};
      for (const symbol of Object.getOwnPropertySymbols(handle))
        if (Reflect.get(handle, symbol) === gunzip) Reflect.set(handle, symbol, null);
      return gunzip;
    };
    expect(await GzipUnpacker.create(makeStream)).toBeNull();
  });

  it('a file that is closed while it is unpacked reads nothing more, whichever file has its number then', async () => {
    const packed = gzipSync(randomBytes(3 << 20));
    const first = await openBytes(written(packed));
    const room = Buffer.alloc(1 << 18);
    expect(await first.readInto(room)).toBeGreaterThan(0);
    first.close();
    const second = join(folder, 'second');
    writeFileSync(second, Buffer.alloc(1 << 20));
    const other = openSync(second, 'r');
    try {
      // Several turns of the event loop: the step under way ends in one of them.
      for (let turn = 0; turn < 20; turn++) await pause(5);
      expect(readSync(other, Buffer.alloc(2 << 20))).toBe(1 << 20);
    } finally {
      closeSync(other);
    }
  });

  it('a missing packed file is the error of the system', async () => {
    await expect(openBytes(join(folder, 'none.gz'))).rejects.toThrow('ENOENT');
  });
});
