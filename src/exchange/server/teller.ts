// Facts as the feed tells them: which channel, about which market, for whose eyes, and the message's text, written once.
// Must never tell an account's own affairs to another.
import type { Ticker } from '../../domain/ids.ts';
import type { FeedMessage, FeedMessages, WireProfile } from '../../venues/trade-api/profile.ts';
import { type Codec, codecOf } from '../../venues/trade-api/wire/codec.ts';
import type { Channel, DeltaRecord, SnapshotRecord } from '../../venues/trade-api/wire/records.ts';
import type { BookView, Fact, MarketStats } from '../output.ts';
import type { AccountName } from '../input.ts';
import { ownerOf } from '../purses.ts';
import { fillRecord, orderRecord, positionRecord } from './account-records.ts';
import {
  bookRecord,
  feeRecord,
  groupRecord,
  lifeRecord,
  orderGroupRecord,
  printRecord,
  tickerRecord,
} from './market-records.ts';
import type { RecordSpec } from '../../venues/trade-api/wire/spec.ts';
import { onYesScale } from '../../venues/trade-api/wire/yes-scale.ts';

/** Who is told: the account behind a connection, if any, and on which scale. */
export interface Ear {
  readonly account: AccountName | null;
  readonly isOnYesScale: boolean;
}

/** One message, to be given a place in each subscription that hears it. */
export interface Told {
  readonly type: string;
  readonly channel: Channel;
  readonly hasSeq: boolean;
  /** `null` for messages that are about no single market. */
  readonly ticker: Ticker | null;
  /** The one account that may hear it; `null` for everyone. */
  readonly account: AccountName | null;
  /** The message's own part, as JSON. */
  readonly body: (ear: Ear) => string;
}

/** A pair of codecs of one record: as the profile spells it, and on the YES scale. */
interface Scales<T> {
  readonly plain: Codec<T>;
  readonly yes: Codec<T>;
}

const scalesOf = <T>(record: RecordSpec<T>): Scales<T> => ({
  plain: codecOf(record),
  yes: codecOf(onYesScale(record)),
});

type BookDelta = Extract<Fact, { type: 'book-delta' }>;

/** Puts facts into the words of a profile's feed. */
export class Teller {
  readonly #messages: FeedMessages;
  readonly #resultIn: WireProfile['feed']['resultIn'];
  readonly #delta: Scales<DeltaRecord>;
  readonly #snapshot: Scales<SnapshotRecord>;
  readonly #unlistedSnapshot: Scales<SnapshotRecord>;

  constructor({ feed }: WireProfile) {
    this.#messages = feed.messages;
    this.#resultIn = feed.resultIn;
    const { delta, snapshot } = feed.messages;
    this.#delta = scalesOf(delta.record);
    this.#snapshot = scalesOf(snapshot.record);
    this.#unlistedSnapshot = scalesOf(feed.unlistedSnapshot ?? snapshot.record);
  }

  /** How a fact is told; `null` for facts that the feed passes over. */
  tell(fact: Fact): Told | null {
    const { ticker, print, fill, order, position, marketLife, eventLife, feeChange, group } = this.#messages;
    switch (fact.type) {
      case 'book-delta':
        return this.#tellDelta(fact);
      case 'print':
        return told(print, fact.print.ticker, () => printRecord(fact.print));
      case 'ticker':
        return told(ticker, fact.ticker, () => tickerRecord(fact.ticker, fact.stats, fact.at));
      case 'market': {
        const { word } = fact;
        return word === null
          ? null
          : told(marketLife, null, () => lifeRecord(fact.market, { word, resultIn: this.#resultIn }));
      }
      case 'order':
        return { ...told(order, fact.order.ticker, () => orderRecord(fact.order)), account: ownerOf(fact.account) };
      case 'fill':
        return { ...told(fill, fact.fill.ticker, () => fillRecord(fact.fill)), account: ownerOf(fact.account) };
      case 'position':
        return {
          ...told(position, fact.position.ticker, () => positionRecord(fact.position)),
          account: ownerOf(fact.account),
        };
      case 'group':
        return told(eventLife, null, () => groupRecord(fact.group));
      case 'fees':
        return told(feeChange, null, () => feeRecord(fact.eventTicker, fact.fees));
      case 'order-group':
        if (group === null) return null;
        return { ...told(group, null, () => orderGroupRecord(fact.group, fact)), account: ownerOf(fact.account) };
      case 'exchange':
      case 'forgotten':
      case 'settlement':
        return null;
    }
  }

  /** A whole book at the moment of the call; `undefined` is the empty one of a market that is not listed. */
  snapshot(ticker: Ticker, book: BookView | undefined): Told {
    const { type, channel, hasSeq } = this.#messages.snapshot;
    const record = { ticker, ...bookRecord(book) };
    const { plain, yes } = book === undefined ? this.#unlistedSnapshot : this.#snapshot;
    const body = ({ isOnYesScale }: Ear): string => JSON.stringify((isOnYesScale ? yes : plain).encode(record));
    return { type, channel, hasSeq, ticker, account: null, body };
  }

  /** Where a market stands. */
  ticker(ticker: Ticker, stats: MarketStats, at: BookDelta['at']): Told {
    return told(this.#messages.ticker, ticker, () => tickerRecord(ticker, stats, at));
  }

  /** A level's change carries the order's name for its owner alone. */
  #tellDelta({ ticker, side, price, change, owner, at }: BookDelta): Told {
    const { type, channel, hasSeq } = this.#messages.delta;
    const record = { ticker, side, price, change, clientOrderId: null, at };
    const written = new Map<string, string>();
    const whose = ownerOf(owner.account);
    const body = ({ account, isOnYesScale }: Ear): string => {
      const isOwn = account === whose && owner.clientOrderId !== null;
      const kind = `${isOnYesScale} ${isOwn}`;
      let text = written.get(kind);
      if (text === undefined) {
        const codec = isOnYesScale ? this.#delta.yes : this.#delta.plain;
        const own = isOwn ? { ...record, clientOrderId: owner.clientOrderId } : record;
        written.set(kind, (text = JSON.stringify(codec.encode(own))));
      }
      return text;
    };
    return { type, channel, hasSeq, ticker, account: null, body };
  }
}

/** A message that is the same for all who hear it. */
function told<T>({ type, channel, hasSeq, record }: FeedMessage<T>, ticker: Ticker | null, valueOf: () => T): Told {
  let text: string | null = null;
  const body = (): string => (text ??= JSON.stringify(codecOf(record).encode(valueOf())));
  return { type, channel, hasSeq, ticker, account: null, body };
}
