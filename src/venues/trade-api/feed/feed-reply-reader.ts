// Recognizes and decodes the feed's replies to commands. Must never cost a data frame that begins with its type more
// than a comparison of its first bytes.
import type { FeedProfile } from '../profiles/wire-profile.ts';
import type { FeedReply } from './subscription-command.ts';
import { type Codec, codecOf, tryDecode } from '../wire/codec.ts';
import { WireFault } from '../wire/wire-fault.ts';
import type { FeedErrorRecord, SubscribedRecord } from '../wire/wire-records.ts';

/** Decodes the replies of one profile's feed. */
export class FeedReplyReader {
  readonly #feed: FeedProfile;
  readonly #replyHeads: readonly Uint8Array[];
  readonly #subscribed: Codec<SubscribedRecord>;
  readonly #error: Codec<FeedErrorRecord>;

  constructor(feed: FeedProfile) {
    this.#feed = feed;
    const { subscribed, error } = feed.replies;
    this.#replyHeads = [subscribed.type, error.type].map((type) => bytesOf(JSON.stringify(type)));
    this.#subscribed = codecOf(feed.replies.subscribed.record);
    this.#error = codecOf(feed.replies.error.record);
  }

  readReply(bytes: Uint8Array): FeedReply | null {
    if (this.#isData(bytes)) return null;
    const envelope = parse(bytes);
    if (envelope === null) return null;
    const { type, id = null, sid = null, msg } = envelope;
    if (!isNumberOrNull(id) || !isNumberOrNull(sid)) return null;
    if (type === this.#feed.replies.subscribed.type && id !== null) return this.#readSubscribed(id, msg);
    return type === this.#feed.replies.error.type ? this.#readError({ id, sid }, msg) : null;
  }

  /** True when a frame starts with its type, in JSON without spaces, and cannot be a reply. */
  #isData(bytes: Uint8Array): boolean {
    if (!isAt(bytes, 0, TYPE) || bytes[TYPE.length] !== QUOTE) return false;
    for (const head of this.#replyHeads) if (isAt(bytes, TYPE.length, head)) return false;
    return true;
  }

  #readSubscribed(id: number, msg: unknown): FeedReply | null {
    const record = tryDecode(this.#subscribed, msg);
    return record instanceof WireFault ? null : { kind: 'subscribed', id, channel: record.channel, sid: record.sid };
  }

  #readError({ id, sid }: { id: number | null; sid: number | null }, msg: unknown): FeedReply | null {
    const record = tryDecode(this.#error, msg);
    if (record instanceof WireFault) return null;
    const { code, ticker, tickers } = record;
    // Id 0: the refusal answers no command.
    return {
      kind: 'refused',
      id: id === 0 ? null : id,
      sid,
      code,
      tickers: tickers ?? (ticker === null ? [] : [ticker]),
    };
  }
}

const isNumberOrNull = (found: unknown): found is number | null => found === null || typeof found === 'number';
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const TYPE = bytesOf('{"type":');
const QUOTE = 0x22;

function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

function parse(bytes: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const found: unknown = JSON.parse(new TextDecoder().decode(bytes));
    // tidy: as — presence and type of each member are checked individually.
    return typeof found === 'object' && found !== null ? (found as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}
