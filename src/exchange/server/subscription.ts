// One subscription of one connection: its number, its markets, and the sequence that all its messages share. Pure.
// Must never give out a number of its sequence without a message that carries it.
import type { Ticker } from '../../domain/ids.ts';
import type { Channel } from '../../venues/trade-api/wire/records.ts';
import type { Ear, Told } from './teller.ts';

/** What a subscription is made of. */
export interface SubscriptionOptions {
  readonly sid: number;
  readonly channel: Channel;
  /** `null` follows every market. */
  readonly tickers: readonly Ticker[] | null;
  readonly ear: Ear;
  /** Whether acknowledgments leave the list of markets out. */
  readonly skipsList: boolean;
  readonly send: (text: string) => void;
}

/** A subscription. */
export class Subscription {
  readonly sid: number;
  readonly channel: Channel;
  readonly ear: Ear;
  readonly skipsList: boolean;
  /** `null` follows every market. */
  readonly tickers: Set<Ticker> | null;
  readonly #send: (text: string) => void;
  #seq = 0;

  constructor({ sid, channel, tickers, ear, skipsList, send }: SubscriptionOptions) {
    this.sid = sid;
    this.channel = channel;
    this.ear = ear;
    this.skipsList = skipsList;
    this.tickers = tickers === null ? null : new Set(tickers);
    this.#send = send;
  }

  /** The next number of the sequence. */
  takeSeq(): number {
    return ++this.#seq;
  }

  /** Sends a message; `id` is the command's that asked for it. */
  deliver(told: Told, id: number | null = null): void {
    const asked = id === null ? '' : `,"id":${id}`;
    const seq = told.hasSeq ? `,"seq":${this.takeSeq()}` : '';
    const head = `{"type":${JSON.stringify(told.type)}${asked},"sid":${this.sid}${seq},"msg":`;
    this.#send(`${head}${told.body(this.ear)}}`);
  }
}
