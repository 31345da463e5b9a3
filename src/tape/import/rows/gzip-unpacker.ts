// Unpacks gzip into memory of the caller, on the same thread. A stream of zlib makes a new buffer for each chunk, has V8
// collect garbage for the sake of these buffers, and comes back through the event loop each time. Must never be the only
// way to unpack: it uses fields of such a stream that Node.js does not document.
import { type Gunzip, constants, createGunzip, gzipSync } from 'node:zlib';

/** The smallest that zlib accepts. The stream's own buffer stays unused. */
const CHUNK_BYTES_MIN = 64;
const NOTHING = Buffer.alloc(0);

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
  readonly _handle: {
    /** Called within `writeSync` when that fails. */
    readonly onerror: ErrorListener;
    writeSync(...step: WriteStep): void;
  };
  /** After a `writeSync`: the free bytes of the room, and the unread packed bytes. */
  readonly _writeState: Uint32Array;
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
const soundness = new WeakMap<typeof createGunzip, boolean>();

/** Unpacks the members of a gzip file, one after another. The caller must always call `close`. */
export class GzipUnpacker {
  readonly #gunzip: Gunzip & GunzipFields;
  /** Packed bytes that were not unpacked yet. */
  #packed: Uint8Array = NOTHING;
  #fault: GzipFault | null = null;

  private constructor(gunzip: Gunzip & GunzipFields) {
    this.#gunzip = gunzip;
    const onerror: ErrorListener = (message, _number, code) => {
      this.#fault = new GzipFault(message, code);
    };
    Object.assign(gunzip._handle, { onerror });
  }

  /**
   * Returns `null` if the streams of this Node.js lack these fields, or if they do not unpack a sample correctly.
   * @param makeStream Makes a stream of zlib. Default: that of Node.js.
   */
  static create(makeStream: typeof createGunzip = createGunzip): GzipUnpacker | null {
    let isSound = soundness.get(makeStream);
    if (isSound === undefined) soundness.set(makeStream, (isSound = unpacksSample(GzipUnpacker.#open(makeStream))));
    return isSound ? GzipUnpacker.#open(makeStream) : null;
  }

  static #open(makeStream: typeof createGunzip): GzipUnpacker | null {
    const gunzip = makeStream({ chunkSize: CHUNK_BYTES_MIN });
    if (hasFields(gunzip)) return new GzipUnpacker(gunzip);
    gunzip.close();
    return null;
  }

  /** Takes the next packed bytes, once `unpackInto` has returned 0. They must not change until it does so again. */
  takePacked(bytes: Uint8Array): void {
    this.#packed = bytes;
  }

  /**
   * Unpacks as much as the room takes. Returns the number of bytes; 0 when it needs further packed bytes.
   * @throws {GzipFault} when the packed bytes are damaged.
   */
  unpackInto(room: Uint8Array): number {
    for (;;) {
      const before = this.#packed.length;
      const count = this.#write(room, constants.Z_NO_FLUSH);
      if (count > 0 || this.#packed.length === 0) return count;
      if (this.#packed.length === before) throw new GzipFault('unpacking makes no progress', 'Z_BUF_ERROR');
    }
  }

  /**
   * Checks that the packed bytes are complete, once `unpackInto` has returned 0.
   * @throws {GzipFault} when they end too early.
   */
  checkEnd(): void {
    this.#write(Buffer.alloc(1), constants.Z_FINISH);
  }

  #write(room: Uint8Array, flush: number): number {
    const packed = this.#packed;
    this.#gunzip._handle.writeSync(flush, packed, 0, packed.length, room, 0, room.length);
    if (this.#fault !== null) throw this.#fault;
    const [freeBytes = 0, unreadBytes = 0] = this.#gunzip._writeState;
    const unread = packed.subarray(packed.length - unreadBytes);
    // zlib leaves the padding behind a member unread, although there is room.
    this.#packed = freeBytes > 0 ? withoutPadding(unread) : unread;
    return room.length - freeBytes;
  }

  close(): void {
    this.#gunzip.close();
  }
}

/** Returns the bytes from the first that is not zero on. */
function withoutPadding(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0);
  return start < 0 ? NOTHING : bytes.subarray(start);
}

function hasFields(gunzip: Gunzip): gunzip is Gunzip & GunzipFields {
  if (!('_handle' in gunzip && '_writeState' in gunzip)) return false;
  const { _handle: handle, _writeState: state } = gunzip;
  return typeof handle === 'object' && handle !== null && 'writeSync' in handle && state instanceof Uint32Array;
}

const SAMPLE = ['presage '.repeat(40), 'unpacks'];

/** True if an unpacker returns a known text of two members, padded, step by step. */
function unpacksSample(unpacker: GzipUnpacker | null): boolean {
  if (unpacker === null) return false;
  const expected = SAMPLE.join('');
  const room = Buffer.alloc(100);
  let text = '';
  try {
    unpacker.takePacked(Buffer.concat(SAMPLE.flatMap((part) => [gzipSync(part), Buffer.alloc(3)])));
    let count = unpacker.unpackInto(room);
    for (; count > 0 && text.length < expected.length; count = unpacker.unpackInto(room))
      text += room.toString('latin1', 0, count);
    unpacker.checkEnd();
    return count === 0 && text === expected;
  } catch {
    return false;
  } finally {
    unpacker.close();
  }
}
