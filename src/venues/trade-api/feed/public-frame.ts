// Reduces a frame to its public part. Frames about the account are dropped; our client order ids in public messages are
// blanked. Must never let through a fill, an order, a position or a client order id.
import { type FeedProfile, privateTypesOf } from '../profiles/wire-profile.ts';
import { isRecord, parseBody } from '../wire/json-record.ts';

/** The public part of a frame; `null` when it has none. */
export type PublicPartFilter = (frame: Uint8Array) => Uint8Array | null;

/**
 * The public-part filter of a dialect. A frame is parsed only when its bytes contain the name of a private message
 * type.
 */
export function publicPartFilter(feed: FeedProfile): PublicPartFilter {
  const types = privateTypesOf(feed);
  const marks = types.map((type) => Buffer.from(JSON.stringify(type)));
  const own = wireName(feed.messages.delta.record.fields.clientOrderId);
  const ownMark = own === null ? null : Buffer.from(JSON.stringify(own));
  const naming = own === null ? null : new RegExp(`("${own}"\\s*:\\s*")(?:[^"\\\\]|\\\\.)*"`, 'g');
  return (frame) => {
    const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.length);
    if (marks.some((mark) => bytes.includes(mark)) && isOfType(bytes, types)) return null;
    if (ownMark === null || naming === null || !bytes.includes(ownMark)) return frame;
    return Buffer.from(bytes.toString().replace(naming, '$1"'));
  };
}

/** Parses a frame to confirm its type: a market may be named like a message type. */
function isOfType(bytes: Buffer, types: readonly string[]): boolean {
  const message = parseBody(bytes.toString());
  // An unreadable frame could be anything, so it counts as private.
  return !isRecord(message) || types.some((type) => message['type'] === type);
}

const wireName = (field: unknown): string | null =>
  isRecord(field) && typeof field['wire'] === 'string' ? field['wire'] : null;
