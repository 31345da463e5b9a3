// One subscription of one connection: number, markets, and message sequence. Must never use a number of the sequence
// without sending a message with it.
import type { Ticker } from '../../domain/ids.ts';
import type { Channel } from '../../venues/trade-api/wire/wire-records.ts';
import type { MessageRecipient, EncodedMessage } from './feed-encoder.ts';

/** Options of a subscription. */
export interface FeedSubscriptionOptions {
  readonly sid: number;
  readonly channel: Channel;
  /** `null` subscribes to every market. */
  readonly tickers: readonly Ticker[] | null;
  readonly recipient: MessageRecipient;
  /** True when acknowledgments omit the list of markets. */
  readonly skipsList: boolean;
  readonly send: (text: string) => void;
}

/** A subscription to one channel: numbers its messages and sends them. */
export class FeedSubscription {
  readonly sid: number;
  readonly channel: Channel;
  readonly recipient: MessageRecipient;
  readonly skipsList: boolean;
  /** `null` subscribes to every market. */
  readonly tickers: Set<Ticker> | null;
  readonly #send: (text: string) => void;
  #seq = 0;
  /** The start of the messages of one type, which is that of the last message. */
  #head = '';
  #headType = '';

  constructor({ sid, channel, tickers, recipient, skipsList, send }: FeedSubscriptionOptions) {
    this.sid = sid;
    this.channel = channel;
    this.recipient = recipient;
    this.skipsList = skipsList;
    this.tickers = tickers === null ? null : new Set(tickers);
    this.#send = send;
  }

  /** Takes the next number of the sequence. A message must be sent with it. */
  nextSeq(): number {
    return ++this.#seq;
  }

  /**
   * Sends a message.
   * @param id Id of the command that requested the message, if any.
   */
  sendMessage(message: EncodedMessage, id: number | null = null): void {
    const seq = message.hasSeq ? `,"seq":${this.nextSeq()}` : '';
    this.#send(`${this.#headOf(message.type, id)}${seq},"msg":${message.body(this.recipient)}}`);
  }

  #headOf(type: string, id: number | null): string {
    if (id !== null) return `{"type":${JSON.stringify(type)},"id":${id},"sid":${this.sid}`;
    if (type === this.#headType) return this.#head;
    this.#headType = type;
    return (this.#head = `{"type":${JSON.stringify(type)},"sid":${this.sid}`);
  }
}
