// The frame in an entry of a tape, without a copy: it is read where it is in the chunk of the file. Must never be kept
// after the next entry is read.
import { must } from '../../base/assert.ts';
import { EPOCH, type Micros } from '../../domain/units.ts';
import type { ByteSpan, Frame } from '../../venue.ts';
import type { Entry } from './tape-line.ts';

/** The frame of each entry in turn. Its bytes are sliced out only on demand. */
export class SpannedFrame implements Frame {
  readonly type = 'frame';
  at: Micros = EPOCH;
  span: ByteSpan | undefined = undefined;
  #entry: Entry | null = null;

  /** Points the frame to an entry of kind `frame`. */
  setEntry(entry: Entry, span: ByteSpan): this {
    this.at = entry.at;
    this.span = span;
    this.#entry = entry;
    return this;
  }

  get bytes(): Uint8Array {
    return must(this.#entry, 'the entry of a frame').payload;
  }
}
