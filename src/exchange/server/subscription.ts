// One subscription of one connection: its number, its markets, and the sequence that all its messages share. Pure. Must
// never use a number of its sequence without sending a message with it.
import type { Ticker } from '../../domain/ids.ts';
import type { Channel } from '../../venues/trade-api/wire/records.ts';
import type { Ear, Told } from './teller.ts';

/** Options of a subscription. */
export interface SubscriptionOptions {
  readonly sid: number;
  readonly channel: Channel;
  /** `null` subscribes to every market. */
  readonly tickers: readonly Ticker[] | null;
  readonly ear: Ear;
  /** True when acknowledgments omit the list of markets. */
  readonly skipsList: boolean;
  readonly send: (text: string) => void;
}

/** A subscription. */
export class Subscription {
  readonly sid: number;
  readonly channel: Channel;
  readonly ear: Ear;
  readonly skipsList: boolean;
  /** `null` subscribes to every market. */
  readonly tickers: Set<Ticker> | null;
  readonly #send: (text: string) => void;
  #seq = 0;

  constructor({ sid, channel, tickers, ear: recipient, skipsList, send }: SubscriptionOptions) {
    this.sid = sid;
    this.channel = channel;
    this.ear = recipient;
    this.skipsList = skipsList;
    this.tickers = tickers === null ? null : new Set(tickers);
    this.#send = send;
  }

  /** The next number of the sequence. */
  takeSeq(): number {
    return ++this.#seq;
  }

  /** Sends a message; `id` is that of the command that asked for it, if any. */
  deliver(message: Told, id: number | null = null): void {
    const commandId = id === null ? '' : `,"id":${id}`;
    const seq = message.hasSeq ? `,"seq":${this.takeSeq()}` : '';
    const head = `{"type":${JSON.stringify(message.type)}${commandId},"sid":${this.sid}${seq},"msg":`;
    this.#send(`${head}${message.body(this.ear)}}`);
  }
}
