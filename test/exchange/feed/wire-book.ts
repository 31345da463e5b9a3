// A book built from feed messages by the wire's rules: a check on the exchange that shares no code with it. Must never
// tolerate a gap, an unknown level or a crossed book.
import type { JsonAnswer } from '../api/json-answer.ts';

/** Prices in cents of the YES scale. */
export class WireBook {
  readonly bids = new Map<number, number>();
  readonly asks = new Map<number, number>();
  readonly #isOnYesScale: boolean;

  constructor(isOnYesScale: boolean) {
    this.#isOnYesScale = isOnYesScale;
  }

  applySnapshot(message: JsonAnswer): void {
    this.bids.clear();
    this.asks.clear();
    for (const [leg, side] of [
      ['yes', this.bids],
      ['no', this.asks],
    ] as const) {
      const levels = message.at(`msg.${leg}`);
      if (levels === undefined) continue;
      if (!Array.isArray(levels) || levels.length === 0) throw new Error(`an empty ${leg} side is to be absent`);
      for (const [price, count] of levels as [number, number][]) side.set(this.#priceOf(leg, price), count);
    }
  }

  applyDelta(message: JsonAnswer): void {
    const leg = message.text('msg.side') === 'yes' ? 'yes' : 'no';
    const side = leg === 'yes' ? this.bids : this.asks;
    const price = this.#priceOf(leg, message.number('msg.price'));
    const count = (side.get(price) ?? 0) + message.number('msg.delta');
    if (count < 0) throw new Error(`level ${leg} ${price} falls to ${count}`);
    if (count === 0) side.delete(price);
    else side.set(price, count);
    const bid = Math.max(...this.bids.keys());
    const ask = Math.min(...this.asks.keys());
    if (bid >= ask) throw new Error(`book is crossed: ${bid} bid, ${ask} ask`);
  }

  /** The book in the form of the REST answer. */
  toRest(): unknown {
    const ascending = (side: Map<number, number>, turn: (price: number) => number): [number, number][] =>
      [...side].map(([price, count]): [number, number] => [turn(price), count]).sort(([a], [b]) => a - b);
    return {
      orderbook: { yes: ascending(this.bids, (price) => price), no: ascending(this.asks, (price) => 100 - price) },
    };
  }

  #priceOf(leg: 'yes' | 'no', price: number): number {
    return leg === 'no' && !this.#isOnYesScale ? 100 - price : price;
  }
}

/** The books of one subscription, which share its sequence. */
export class WireBooks {
  readonly byTicker = new Map<string, WireBook>();
  readonly #sid: number;
  readonly #isOnYesScale: boolean;
  seq = 0;

  constructor(sid: number, isOnYesScale = false) {
    this.#sid = sid;
    this.#isOnYesScale = isOnYesScale;
  }

  applyMessage(message: JsonAnswer): void {
    if (message.at('sid') !== this.#sid || message.at('seq') === undefined) return;
    const seq = message.number('seq');
    if (seq !== this.seq + 1) throw new Error(`gap: ${this.seq} is followed by ${seq}`);
    this.seq = seq;
    const type = message.text('type');
    if (type === 'orderbook_snapshot') this.bookOf(message.text('msg.market_ticker')).applySnapshot(message);
    else if (type === 'orderbook_delta') this.bookOf(message.text('msg.market_ticker')).applyDelta(message);
  }

  bookOf(ticker: string): WireBook {
    let book = this.byTicker.get(ticker);
    if (book === undefined) this.byTicker.set(ticker, (book = new WireBook(this.#isOnYesScale)));
    return book;
  }
}
