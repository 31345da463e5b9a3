// Packs the calls of a strategy about a market in a few bytes each: there are as many calls as changes of the touch.
// Must never lose a call.
import type { Asked } from './why-facts.ts';

const MINUTE_US = 60_000_000;
/** Price of a side without quotes. */
const NO_SIDE = -1;

/** Number of the minute that a time is in. */
export const minuteOf = (atUs: number): number => Math.floor(atUs / MINUTE_US);

/** Calls of one minute. Each call is packed as its difference to the call before. */
export class AskMinute {
  readonly minute: number;
  readonly #bytes: number[] = [];
  #last = { atUs: 0, seq: 0, bid: 0, ask: 0 };

  constructor(minute: number) {
    this.minute = minute;
    this.#last.atUs = minute * MINUTE_US;
  }

  addCall({ atUs, seq, bid, ask }: Asked): void {
    const next = { atUs, seq, bid: bid ?? NO_SIDE, ask: ask ?? NO_SIDE };
    for (const name of FIELDS) this.#pushNumber(next[name] - this.#last[name]);
    this.#last = next;
  }

  /** Writes a number, seven bits a byte, with its sign in the lowest bit. */
  #pushNumber(value: number): void {
    let rest = value < 0 ? -2 * value - 1 : 2 * value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes.push((rest % 128) + 128);
    this.#bytes.push(rest);
  }

  toBytes(): Buffer {
    return Buffer.from(this.#bytes);
  }
}

const FIELDS = ['atUs', 'seq', 'bid', 'ask'] as const;

/** Unpacks the calls of one minute, the earliest first. */
export function unpackAsks(minute: number, bytes: Uint8Array): Asked[] {
  const asks: Asked[] = [];
  const last = { atUs: minute * MINUTE_US, seq: 0, bid: 0, ask: 0 };
  for (let at = 0; at < bytes.length;) {
    for (const name of FIELDS) {
      const { value, end } = numberAt(bytes, at);
      last[name] += value;
      at = end;
    }
    asks.push({ atUs: last.atUs, seq: last.seq, bid: sideOf(last.bid), ask: sideOf(last.ask) });
  }
  return asks;
}

const sideOf = (price: number): number | null => (price === NO_SIDE ? null : price);

function numberAt(bytes: Uint8Array, from: number): { readonly value: number; readonly end: number } {
  let [value, weight, at] = [0, 1, from];
  for (;;) {
    const byte = bytes[at] ?? 0;
    at += 1;
    value += (byte % 128) * weight;
    weight *= 128;
    if (byte < 128) break;
  }
  return { value: value % 2 === 0 ? value / 2 : -(value + 1) / 2, end: at };
}
