// What of a frame anyone may see: all of it, unless it tells of the account. Where a venue wants a key for public channels
// too, it names our own orders to us in what it tells everybody: that name is blanked.
// Must never let a fill, an order or a position pass, nor the name of an order.
import { type FeedProfile, privateTypesOf } from './profile.ts';
import { isRecord, parseBody } from './wire/json.ts';

/** What of a frame anyone may see; `null` when nothing of it. */
export type PublicPart = (frame: Uint8Array) => Uint8Array | null;

/** How a dialect's frames are told apart. The bytes are looked at only where they hold a word that is suspicious. */
export function publicPart(feed: FeedProfile): PublicPart {
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

/** A market may well be called as a message is. */
function isOfType(bytes: Buffer, types: readonly string[]): boolean {
  const message = parseBody(bytes.toString());
  // What cannot be read may be anything.
  return !isRecord(message) || types.some((type) => message['type'] === type);
}

const wireName = (field: unknown): string | null =>
  isRecord(field) && typeof field['wire'] === 'string' ? field['wire'] : null;
