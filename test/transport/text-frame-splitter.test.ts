// Bytes of a WebSocket cut anywhere: the splitter and `ws` together report what `ws` alone reports, in the same order.
import * as ws from 'ws';
import * as fc from 'fast-check';
import type { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { TextFrameSplitter } from '../../src/transport/text-frame-splitter.ts';

const BYTES_MAX = 100_000;

/** `ws` exports its reader of frames, but its types do not declare it. */
const { Receiver } = ws as unknown as { Receiver: new (options: object) => Writable };

/** A reader of `ws` whose events go to a list. */
function receiverInto(events: string[]): Writable {
  const receiver = new Receiver({ isServer: false, maxPayload: BYTES_MAX, skipUTF8Validation: true });
  receiver.on('message', (bytes: Buffer, isBinary: boolean) => {
    events.push(`${isBinary ? 'binary' : 'text'} ${bytes.toString('latin1')}`);
  });
  for (const name of ['ping', 'pong'])
    receiver.on(name, (body: Buffer) => events.push(`${name} ${body.toString('latin1')}`));
  receiver.on('conclude', (code: number) => events.push(`close ${code}`));
  receiver.on('error', (error) => events.push(error.message));
  return receiver;
}

async function settled(events: readonly string[]): Promise<readonly string[]> {
  await new Promise((resolve) => setImmediate(resolve));
  return events;
}

function readByWs(pieces: readonly Buffer[]): Promise<readonly string[]> {
  const events: string[] = [];
  const receiver = receiverInto(events);
  for (const piece of pieces) receiver.write(piece);
  return settled(events);
}

async function readSplit(pieces: readonly Buffer[]): Promise<{ events: readonly string[]; taken: number }> {
  const events: string[] = [];
  const receiver = receiverInto(events);
  let taken = 0;
  const splitter = new TextFrameSplitter(
    {
      onText: (bytes) => {
        taken += 1;
        events.push(`text ${bytes.toString('latin1')}`);
      },
      onOther: (bytes) => void receiver.write(bytes),
    },
    BYTES_MAX,
  );
  for (const piece of pieces) splitter.split(piece);
  return { events: await settled(events), taken };
}

interface FrameSpec {
  readonly first: number;
  readonly length: number;
  readonly isMasked?: boolean;
  /** Bytes of length: as few as can hold it, if not stated. */
  readonly lengthBytes?: number | undefined;
}

const TEXT = 0x81;

/** One frame. Its payload counts up from the length, so that no two lengths look alike. */
function frame({ first, length, isMasked = false, lengthBytes }: FrameSpec): Buffer {
  const size = lengthBytes ?? (length < 126 ? 0 : length < 65_536 ? 2 : 8);
  const head = Buffer.alloc(2 + size + (isMasked ? 4 : 0));
  head[0] = first;
  head[1] = (size === 0 ? length : size === 2 ? 126 : 127) | (isMasked ? 0x80 : 0);
  if (size === 2) head.writeUInt16BE(length, 2);
  if (size === 8) head.writeBigUInt64BE(BigInt(length), 2);
  const payload = Buffer.alloc(length);
  for (let at = 0; at < length; at++) payload[at] = (length + at) & 0x7f;
  return Buffer.concat([head, payload]);
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => Math.min(place, bytes.length)), bytes.length].toSorted((a, b) => a - b);
  return ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end)).filter((piece) => piece.length > 0);
}

const length = fc.oneof(fc.nat({ max: 300 }), fc.constantFrom(0, 1, 125, 126, 127, 65_535, 65_536, 70_000, BYTES_MAX));
const text = length.map((count): FrameSpec => ({ first: TEXT, length: count }));
const control = fc.record({ first: fc.constantFrom(0x89, 0x8a), length: fc.nat({ max: 125 }) });
const odd = fc.record({
  // A fragment, its continuation, binary, close, compressed text, an unknown opcode, and those that are taken.
  first: fc.constantFrom(0x01, 0x80, 0x82, 0x88, 0xc1, 0x83, TEXT, 0x89),
  length: fc.oneof(length, fc.constant(BYTES_MAX + 1)),
  isMasked: fc.boolean(),
  lengthBytes: fc.constantFrom(undefined, 8),
});
const frames = (...kinds: fc.Arbitrary<FrameSpec>[]): fc.Arbitrary<FrameSpec[]> =>
  fc.array(fc.oneof(...kinds), { maxLength: 8, size: 'max' });
/** Many small distances fall into headers, large ones into payloads. */
const places = fc.array(fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 150_000 })), { maxLength: 12, size: 'max' });

describe('the bytes of a connection', () => {
  it('texts are taken, pings and pongs are passed on, all in the order of their bytes', async () => {
    const property = fc.asyncProperty(frames(text, text, control), places, async (specs, cuts) => {
      const pieces = cut(Buffer.concat(specs.map(frame)), cuts);
      const { events, taken } = await readSplit(pieces);
      expect(events).toEqual(await readByWs(pieces));
      expect(taken).toBe(specs.filter(({ first }) => first === TEXT).length);
      expect(events).toHaveLength(specs.length);
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it('frames of other kinds, and all after them, are read by `ws`', async () => {
    const property = fc.asyncProperty(frames(text, control, odd), places, async (specs, cuts) => {
      const pieces = cut(Buffer.concat(specs.map(frame)), cuts);
      expect((await readSplit(pieces)).events).toEqual(await readByWs(pieces));
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it.each<[string, FrameSpec, string]>([
    [
      'a ping longer than the protocol allows',
      { first: 0x89, length: 126 },
      'Invalid WebSocket frame: invalid payload length 126',
    ],
    ['a masked text', { first: TEXT, length: 3, isMasked: true }, 'Invalid WebSocket frame: MASK must be clear'],
    ['a masked ping', { first: 0x89, length: 3, isMasked: true }, 'Invalid WebSocket frame: MASK must be clear'],
    ['a compressed text', { first: 0xc1, length: 3 }, 'Invalid WebSocket frame: RSV1 must be clear'],
    ['a fragmented ping', { first: 0x09, length: 3 }, 'Invalid WebSocket frame: FIN must be set'],
    ['an unknown opcode', { first: 0x83, length: 3 }, 'Invalid WebSocket frame: invalid opcode 3'],
    ['a text that is too long', { first: TEXT, length: BYTES_MAX + 1 }, 'Max payload size exceeded'],
    ['a close', { first: 0x88, length: 0 }, 'close 1005'],
  ])('%s is the last event: no text after it is taken', async (_kind, spec, last) => {
    const around = frame({ first: TEXT, length: 2 });
    const { events } = await readSplit([Buffer.concat([around, frame(spec), around])]);
    expect(events).toEqual(['text \u0002\u0003', last]);
  });

  it('bytes that are no frames end as with `ws` alone', async () => {
    const property = fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 40 })), async (parts) => {
      const pieces = parts.map((part) => Buffer.from(part)).filter((piece) => piece.length > 0);
      expect((await readSplit(pieces)).events).toEqual(await readByWs(pieces));
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it('a message that comes byte by byte is one message', async () => {
    const bytes = frame({ first: TEXT, length: 200 });
    const { events, taken } = await readSplit(Array.from(bytes, (byte) => Buffer.of(byte)));
    expect(events).toEqual([`text ${bytes.subarray(4).toString('latin1')}`]);
    expect(taken).toBe(1);
  });

  it('a message longer than the bound is refused before its payload arrives', async () => {
    const head = frame({ first: TEXT, length: BYTES_MAX + 1 }).subarray(0, 10);
    expect((await readSplit([head])).events).toEqual(['Max payload size exceeded']);
  });
});
