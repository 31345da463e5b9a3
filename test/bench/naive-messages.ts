// The feed's messages as a simple client reads them: one zod schema for every message.
import { z } from 'zod';

const levels = z.array(z.tuple([z.number().int(), z.number().int()])).optional();

/** Every message that a naive client reads. */
export const naiveMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('orderbook_delta'),
    sid: z.number().int(),
    seq: z.number().int(),
    msg: z.object({
      market_ticker: z.string(),
      price: z.number().int().min(1).max(99),
      delta: z.number().int(),
      side: z.enum(['yes', 'no']),
      ts: z.number().int().optional(),
    }),
  }),
  z.object({
    type: z.literal('orderbook_snapshot'),
    sid: z.number().int(),
    seq: z.number().int(),
    msg: z.object({ market_ticker: z.string(), yes: levels, no: levels }),
  }),
  z.object({
    type: z.literal('subscribed'),
    id: z.number().int(),
    msg: z.object({ channel: z.string(), sid: z.number().int() }),
  }),
]);

type Message = z.output<typeof naiveMessage>;
type Delta = Extract<Message, { type: 'orderbook_delta' }>['msg'];

/** A book as two maps from cents to contracts. */
interface NaiveBook {
  readonly yes: Map<number, number>;
  readonly no: Map<number, number>;
}

/** Books by ticker. */
export class NaiveBooks {
  readonly #books = new Map<string, NaiveBook>();

  /** Reads a message and updates the books; returns the change, if it was one. */
  hear(text: string): Delta | null {
    const message = naiveMessage.parse(JSON.parse(text));
    if (message.type === 'subscribed') return null;
    if (message.type === 'orderbook_snapshot') {
      const { market_ticker: ticker, yes = [], no = [] } = message.msg;
      this.#books.set(ticker, { yes: new Map(yes), no: new Map(no) });
      return null;
    }
    const { market_ticker: ticker, side, price, delta } = message.msg;
    const levels = this.#books.get(ticker)?.[side];
    if (!levels) throw new Error(`naive client: no book of ${ticker}`);
    const left = (levels.get(price) ?? 0) + delta;
    if (left === 0) levels.delete(price);
    else levels.set(price, left);
    return message.msg;
  }

  /** The best level of a side; 0 when there is none. */
  best(ticker: string, side: 'yes' | 'no'): number {
    return Math.max(0, ...(this.#books.get(ticker)?.[side].keys() ?? []));
  }
}

/** The message that subscribes to books. */
export const subscribeTo = (tickers: readonly string[]): string =>
  JSON.stringify({ id: 1, cmd: 'subscribe', params: { channels: ['orderbook_delta'], market_tickers: tickers } });
