// Encodes facts as feed messages. The text of a fact is written once for all recipients that see the same. Must never
// show one account's private data to another.
import type { Ticker } from '../../domain/ids.ts';
import type { FeedMessage, FeedMessages, WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';
import { type Codec, codecOf } from '../../venues/trade-api/wire/codec.ts';
import type { Channel, DeltaRecord, SnapshotRecord } from '../../venues/trade-api/wire/wire-records.ts';
import type { BookView, Fact, MarketStats } from '../machine/exchange-output.ts';
import type { AccountName } from '../machine/exchange-input.ts';
import { ownerOf } from '../accounts/collateral-accounts.ts';
import { fillRecord, orderRecord, positionRecord } from '../endpoints/account-encoders.ts';
import {
  bookRecord,
  feeRecord,
  groupRecord,
  lifecycleRecord,
  orderGroupRecord,
  printRecord,
  tickerRecord,
} from '../endpoints/market-encoders.ts';
import type { RecordSpec } from '../../venues/trade-api/wire/record-spec.ts';
import { onYesScale } from '../../venues/trade-api/wire/yes-scale.ts';

/** The recipient of a message: the account of its connection, if any, and the price scale. */
export interface MessageRecipient {
  readonly account: AccountName | null;
  readonly isOnYesScale: boolean;
}

/** One message, before a subscription adds its id and a sequence number. */
export interface EncodedMessage {
  readonly type: string;
  readonly channel: Channel;
  readonly hasSeq: boolean;
  /** `null` for messages that are not about a single market. */
  readonly ticker: Ticker | null;
  /** The one account that may see the message; `null` for everyone. */
  readonly account: AccountName | null;
  readonly body: (recipient: MessageRecipient) => string;
}

/** Two codecs of one record: as the profile encodes it, and on the YES scale. */
interface Scales<T> {
  readonly plain: Codec<T>;
  readonly yes: Codec<T>;
}

const scalesOf = <T>(record: RecordSpec<T>): Scales<T> => ({
  plain: codecOf(record),
  yes: codecOf(onYesScale(record)),
});

type BookDelta = Extract<Fact, { type: 'book-delta' }>;

/** Encodes facts for a profile's feed. */
export class FeedEncoder {
  readonly #messages: FeedMessages;
  readonly #resultIn: WireProfile['feed']['changesWithResult'];
  readonly #delta: Scales<DeltaRecord>;
  readonly #snapshot: Scales<SnapshotRecord>;
  readonly #unlistedSnapshot: Scales<SnapshotRecord>;

  constructor({ feed }: WireProfile) {
    this.#messages = feed.messages;
    this.#resultIn = feed.changesWithResult;
    const { delta, snapshot } = feed.messages;
    this.#delta = scalesOf(delta.record);
    this.#snapshot = scalesOf(snapshot.record);
    this.#unlistedSnapshot = scalesOf(feed.unlistedSnapshot ?? snapshot.record);
  }

  /** Encodes a fact; `null` for facts that the feed does not publish. */
  encodeFact(fact: Fact): EncodedMessage | null {
    const { ticker, print, fill, order, position, marketLife, eventLife, feeChange, group } = this.#messages;
    switch (fact.type) {
      case 'book-delta':
        return this.#encodeDelta(fact);
      case 'print':
        return encoded(print, fact.print.ticker, () => printRecord(fact.print));
      case 'ticker':
        return encoded(ticker, fact.ticker, () => tickerRecord(fact.ticker, fact.stats, fact.at));
      case 'market': {
        const { word } = fact;
        return word === null
          ? null
          : encoded(marketLife, null, () => lifecycleRecord(fact.market, { word, resultIn: this.#resultIn }));
      }
      case 'order':
        return { ...encoded(order, fact.order.ticker, () => orderRecord(fact.order)), account: ownerOf(fact.account) };
      case 'fill':
        return { ...encoded(fill, fact.fill.ticker, () => fillRecord(fact.fill)), account: ownerOf(fact.account) };
      case 'position':
        return {
          ...encoded(position, fact.position.ticker, () => positionRecord(fact.position)),
          account: ownerOf(fact.account),
        };
      case 'group':
        return encoded(eventLife, null, () => groupRecord(fact.group));
      case 'fees':
        return encoded(feeChange, null, () => feeRecord(fact.eventTicker, fact.fees));
      case 'order-group':
        if (group === null) return null;
        return { ...encoded(group, null, () => orderGroupRecord(fact.group, fact)), account: ownerOf(fact.account) };
      case 'exchange':
      case 'forgotten':
      case 'settlement':
        return null;
    }
  }

  /** Encodes a whole book. `undefined` stands for the empty book of a market that is not listed. */
  encodeSnapshot(ticker: Ticker, book: BookView | undefined): EncodedMessage {
    const { type, channel, hasSeq } = this.#messages.snapshot;
    const record = { ticker, ...bookRecord(book) };
    const { plain, yes } = book === undefined ? this.#unlistedSnapshot : this.#snapshot;
    const body = ({ isOnYesScale }: MessageRecipient): string => (isOnYesScale ? yes : plain).encodeText(record);
    return { type, channel, hasSeq, ticker, account: null, body };
  }

  encodeTicker(ticker: Ticker, stats: MarketStats, at: BookDelta['at']): EncodedMessage {
    return encoded(this.#messages.ticker, ticker, () => tickerRecord(ticker, stats, at));
  }

  /** A level change includes the client order id for the order's owner only. */
  #encodeDelta({ ticker, side, price, change, owner, at }: BookDelta): EncodedMessage {
    const { type, channel, hasSeq } = this.#messages.delta;
    const record = { ticker, side, price, change, clientOrderId: null, at };
    const texts: (string | undefined)[] = [];
    const owningAccount = ownerOf(owner.account);
    const body = ({ account, isOnYesScale }: MessageRecipient): string => {
      const isOwn = account === owningAccount && owner.clientOrderId !== null;
      const kind = (isOnYesScale ? 2 : 0) + (isOwn ? 1 : 0);
      let text = texts[kind];
      if (text === undefined) {
        const codec = isOnYesScale ? this.#delta.yes : this.#delta.plain;
        const shown = isOwn ? { ...record, clientOrderId: owner.clientOrderId } : record;
        texts[kind] = text = codec.encodeText(shown);
      }
      return text;
    };
    return { type, channel, hasSeq, ticker, account: null, body };
  }
}

/** Encodes a message that is the same for every recipient. */
function encoded<T>(
  { type, channel, hasSeq, record }: FeedMessage<T>,
  ticker: Ticker | null,
  valueOf: () => T,
): EncodedMessage {
  let text: string | null = null;
  const body = (): string => (text ??= codecOf(record).encodeText(valueOf()));
  return { type, channel, hasSeq, ticker, account: null, body };
}
