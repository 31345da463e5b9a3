// A frame made by a simulated account, among the real feed's frames on a paper session's tape. Must never be taken for
// a frame of the venue.
import type { ByteSpan } from '../../venue.ts';

/** Beginning of a simulated frame. No frame of a venue begins like this. */
export const SIMULATED_PREFIX = Buffer.from('{"simulated":');

/** Offset of a letter that differs in most other frames. A check of this byte rules most other frames out. */
const LETTER_AT = 2;
const LETTER = SIMULATED_PREFIX[LETTER_AT];

/** Recognizes a simulated frame. */
export const isSimulatedFrame = (bytes: Uint8Array): boolean =>
  bytes[LETTER_AT] === LETTER &&
  bytes.length > SIMULATED_PREFIX.length &&
  SIMULATED_PREFIX.compare(bytes, 0, SIMULATED_PREFIX.length) === 0;

/** Tests one byte of a frame within a larger buffer. False: the frame is certainly not simulated. */
export const mayBeSimulatedFrame = ({ view, start, end }: ByteSpan): boolean =>
  start + LETTER_AT < end && view.getUint8(start + LETTER_AT) === LETTER;
