// A scanned line equals the line read by the slow parser; and every usual line is scanned.
import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/units.ts';
import { LineBuffer } from '../../../src/tape/format/line-buffer.ts';
import { FrameLineScanner } from '../../../src/tape/format/frame-line-scanner.ts';
import {
  CONTENT_AT,
  ENTRY_KINDS,
  NEWLINE,
  checksumOf,
  readChecksum,
  readLine,
} from '../../../src/tape/format/tape-line.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const chains = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const texts = fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.replaceAll('\n', ' '));
const numbers = fc.oneof(fc.nat(30), fc.nat(2 ** 31 - 1), fc.maxSafeNat());

/** A line as written, and its offset among other bytes. */
const lines = fc
  .record({
    seq: numbers,
    at: numbers,
    chain: chains,
    text: texts,
    kind: fc.constantFrom(...ENTRY_KINDS, ...(['frame', 'frame', 'frame'] as const)),
    before: fc.nat(9),
    behind: fc.nat(9),
  })
  .map(({ seq, at, chain, text, kind, before, behind }) => {
    const buffer = new LineBuffer({ seq: Math.max(0, seq - 1), chain });
    buffer.addLine(kind, micros(at), text);
    const line = Buffer.from(buffer.gatheredLines());
    return { chain, bytes: Buffer.concat([Buffer.alloc(before, 120), line, Buffer.alloc(behind, 10)]), from: before };
  });

function scanned(bytes: Buffer, from: number, chain: number) {
  const scan = new FrameLineScanner();
  scan.setBytes(bytes);
  return scan.scanLine(from, bytes.length, chain | 0) ? scan : null;
}

/** Result of the slow parser for the line at an offset; `null` when it refuses the line. */
function readSlowly(bytes: Buffer, from: number, chain: number) {
  const line = bytes.subarray(from, bytes.indexOf(NEWLINE, from));
  const content = readLine(line);
  const sum = checksumOf(line.subarray(CONTENT_AT), chain);
  return content !== null && readChecksum(line) === sum ? { ...content, sum } : null;
}

describe('a scanned line', () => {
  it('a scanned line equals the line read slowly, whole or damaged', () => {
    fc.assert(
      fc.property(lines, fc.option(fc.record({ at: fc.nat(), bit: fc.nat(7) })), ({ bytes, from, chain }, wound) => {
        if (wound !== null) {
          const at = from + (wound.at % (bytes.indexOf(NEWLINE, from) - from));
          bytes[at]! ^= 1 << wound.bit;
        }
        const scan = scanned(bytes, from, chain);
        if (scan === null) return;
        const slow = readSlowly(bytes, from, chain);
        expect(slow).not.toBeNull();
        const { seq, at, kind, sum, payload } = slow!;
        expect({ seq: scan.seq, at: scan.at, kind: scan.kind, chain: scan.chain >>> 0 }).toEqual({
          seq,
          at,
          kind,
          chain: sum,
        });
        expect(bytes.subarray(scan.payloadAt, scan.end).equals(payload)).toBe(true);
      }),
      { numRuns: runCount(3000) },
    );
  });

  it('any frame of usual length is scanned', () => {
    fc.assert(
      fc.property(
        chains,
        fc.integer({ min: 1, max: 2 ** 31 }),
        fc.integer({ min: 0, max: 2 ** 53 - 1 }),
        (chain, seq, at) => {
          const buffer = new LineBuffer({ seq, chain });
          buffer.addFrame(micros(at), Buffer.from('{"type":"orderbook_delta","sid":1}'));
          expect(scanned(Buffer.from(buffer.gatheredLines()), 0, chain)).not.toBeNull();
        },
      ),
    );
  });

  it("the scanner's checksum equals the library's", () => {
    fc.assert(
      fc.property(texts, chains, (text, chain) => {
        const buffer = new LineBuffer({ seq: 6, chain });
        buffer.addLine('frame', micros(1_795_000_000_000_000), text);
        const content = Buffer.from(buffer.gatheredLines()).subarray(CONTENT_AT, -1);
        expect(scanned(Buffer.from(buffer.gatheredLines()), 0, chain)?.chain).toBe(crc32(content, chain) | 0);
      }),
    );
  });

  it('a line of another kind, or one that continues from another line, is not scanned', () => {
    const buffer = new LineBuffer({ seq: 6, chain: 77 });
    buffer.addLine('event', micros(1_795_000_000_000_000), '{"kind":"timer","at":1795000000000000}');
    buffer.addLine('frame', micros(1_795_000_000_000_000), '{"type":"orderbook_delta"}');
    const bytes = Buffer.from(buffer.gatheredLines());
    expect(scanned(bytes, 0, 77)).toBeNull();
    expect(scanned(bytes, bytes.indexOf(NEWLINE) + 1, 78)).toBeNull();
  });
});
