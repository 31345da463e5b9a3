// A frame that no venue sent: what a simulated account was told, among the real feed's frames on a paper session's tape.
// Must never be taken for the venue's word.
import type { ByteSpan } from '../venue.ts';

/** How it begins: no venue's frame does. */
export const SIMULATED = Buffer.from('{"simulated":');

/** The first of its letters tells it from most others. */
const LETTER_AT = 2;
const LETTER = SIMULATED[LETTER_AT];

/** Whether a frame is one. */
export const isSimulatedFrame = (bytes: Uint8Array): boolean =>
  bytes[LETTER_AT] === LETTER && bytes.length > SIMULATED.length && SIMULATED.compare(bytes, 0, SIMULATED.length) === 0;

/** Whether a frame that is a part of a larger piece may be one: what says no is certain. */
export const maySimulate = ({ view, start, end }: ByteSpan): boolean =>
  start + LETTER_AT < end && view.getUint8(start + LETTER_AT) === LETTER;
