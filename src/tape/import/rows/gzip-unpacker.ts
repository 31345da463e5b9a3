// Unpacks gzip into memory of the caller, on a thread of Node.js. A stream of zlib unpacks on such a thread as well, but
// makes a new buffer for each chunk, and V8 collects garbage because of these buffers. Must never be the only way to
// unpack: it uses fields of such a stream that Node.js does not document.
import { setTimeout as pause } from 'node:timers/promises';
import { type Gunzip, constants, createGunzip, gzipSync } from 'node:zlib';

/** The smallest that zlib accepts. The stream's own buffer stays unused. */
const CHUNK_BYTES_MIN = 64;
const NOTHING = Buffer.alloc(0);
/** An unpacker that does not answer for a sample within this time is not used. */
const SAMPLE_MS_MAX = 2000;

type WriteStep = [
  flush: number,
  packed: Uint8Array,
  packedAt: number,
  packedBytes: number,
  room: Uint8Array,
  roomAt: number,
  roomBytes: number,
];

type ErrorListener = (message: string, number: number, code: string) => void;

/** Undocumented fields of a stream of zlib, the same in Node.js 20, 22, 24 and 26. */
interface GunzipFields {
  readonly _handle: GunzipHandle;
  /** After a step: the free bytes of the room, and the unread packed bytes. */
  readonly _writeState: Uint32Array;
}

/**
 * The part of the stream that unpacks. After a step it calls `cb`, or `onerror` when the step failed. A symbol leads from
 * here to the stream, which takes the bytes of each step itself unless it is destroyed.
 */
interface GunzipHandle {
  write(...step: WriteStep): void;
  [owner: symbol]: unknown;
}

/** Packed bytes that are damaged, or end too early. */
export class GzipFault extends Error {
  override readonly name = 'GzipFault';
  /** The name that zlib gives the fault. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** Makers of streams, and whether their streams unpack a sample. */
const soundness = new WeakMap<typeof createGunzip, Promise<boolean>>();

/** Unpacks the members of a gzip file, one after another. The caller must always call `close`. */
export class GzipUnpacker {
  readonly #gunzip: Gunzip & GunzipFields;
  /** Packed bytes that were not unpacked yet. */
  #packed: Uint8Array = NOTHING;
  /** Memory that the thread writes to; kept until the step has ended. */
  #room: Uint8Array = NOTHING;

  private constructor(gunzip: Gunzip & GunzipFields) {
    this.#gunzip = gunzip;
    const { _handle: handle } = gunzip;
    for (const owner of ownersOf(handle, gunzip)) handle[owner] = Object.create(gunzip, { destroyed: { value: true } });
  }

  /**
   * Resolves to `null` if the streams of this Node.js lack these fields, or if they do not unpack a sample correctly.
   * @param makeStream Makes a stream of zlib. Default: that of Node.js.
   */
  static async create(makeStream: typeof createGunzip = createGunzip): Promise<GzipUnpacker | null> {
    let isSound = soundness.get(makeStream);
    if (isSound === undefined) soundness.set(makeStream, (isSound = unpacksSample(GzipUnpacker.#open(makeStream))));
    return (await isSound) ? GzipUnpacker.#open(makeStream) : null;
  }

  static #open(makeStream: typeof createGunzip): GzipUnpacker | null {
    const gunzip = makeStream({ chunkSize: CHUNK_BYTES_MIN });
    if (hasFields(gunzip)) return new GzipUnpacker(gunzip);
    gunzip.close();
    return null;
  }

  /** Takes the next packed bytes, once `unpackInto` has resolved to 0. They must not change until it does so again. */
  takePacked(bytes: Uint8Array): void {
    this.#packed = bytes;
  }

  /**
   * Unpacks as much as the room takes. Resolves to the number of bytes; to 0 when it needs further packed bytes.
   * @throws {GzipFault} when the packed bytes are damaged.
   */
  async unpackInto(room: Uint8Array): Promise<number> {
    for (;;) {
      const before = this.#packed.length;
      const count = await this.#step(room, constants.Z_NO_FLUSH);
      if (count > 0 || this.#packed.length === 0) return count;
      if (this.#packed.length === before) throw new GzipFault('unpacking makes no progress', 'Z_BUF_ERROR');
    }
  }

  /**
   * Checks that the packed bytes are complete, once `unpackInto` has resolved to 0.
   * @throws {GzipFault} when they end too early.
   */
  async checkEnd(): Promise<void> {
    await this.#step(Buffer.alloc(1), constants.Z_FINISH);
  }

  async #step(room: Uint8Array, flush: number): Promise<number> {
    const packed = this.#packed;
    this.#room = room;
    const { _handle: handle, _writeState: state } = this.#gunzip;
    await new Promise<void>((resolve, reject) => {
      const onerror: ErrorListener = (message, _number, code) => reject(new GzipFault(message, code));
      Object.assign(handle, { cb: resolve, onerror });
      handle.write(flush, packed, 0, packed.length, room, 0, room.length);
    });
    const [freeBytes = 0, unreadBytes = 0] = state;
    const unread = packed.subarray(packed.length - unreadBytes);
    // zlib leaves the padding behind a member unread, although there is room.
    this.#packed = freeBytes > 0 ? withoutPadding(unread) : unread;
    return this.#room.length - freeBytes;
  }

  /** Ends a step that is under way, too: its promise then stays open, or resolves. */
  close(): void {
    this.#gunzip.close();
  }
}

/** The symbols that lead from a handle to its stream. */
const ownersOf = (handle: object, gunzip: Gunzip): readonly symbol[] =>
  Object.getOwnPropertySymbols(handle).filter((symbol) => Reflect.get(handle, symbol) === gunzip);

/** Returns the bytes from the first that is not zero on. */
function withoutPadding(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0);
  return start < 0 ? NOTHING : bytes.subarray(start);
}

function hasFields(gunzip: Gunzip): gunzip is Gunzip & GunzipFields {
  if (!('_handle' in gunzip && '_writeState' in gunzip)) return false;
  const { _handle: handle, _writeState: state } = gunzip;
  if (typeof handle !== 'object' || handle === null || !(state instanceof Uint32Array)) return false;
  return 'write' in handle && ownersOf(handle, gunzip).length > 0;
}

const SAMPLE = ['presage '.repeat(40), 'unpacks'];

/** Resolves to true if an unpacker returns a known text of two members, padded, step by step. */
async function unpacksSample(unpacker: GzipUnpacker | null): Promise<boolean> {
  if (unpacker === null) return false;
  const late = new AbortController();
  try {
    return await Promise.race([returnsSample(unpacker), pause(SAMPLE_MS_MAX, false, { signal: late.signal })]);
  } catch {
    return false;
  } finally {
    late.abort();
    unpacker.close();
  }
}

async function returnsSample(unpacker: GzipUnpacker): Promise<boolean> {
  const expected = SAMPLE.join('');
  const room = Buffer.alloc(100);
  let text = '';
  unpacker.takePacked(Buffer.concat(SAMPLE.flatMap((part) => [gzipSync(part), Buffer.alloc(3)])));
  let count = await unpacker.unpackInto(room);
  for (; count > 0 && text.length < expected.length; count = await unpacker.unpackInto(room))
    text += room.toString('latin1', 0, count);
  await unpacker.checkEnd();
  return count === 0 && text === expected;
}
