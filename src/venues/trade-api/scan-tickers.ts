// Market numbers by the bytes of their tickers, so that a frame's ticker need not become a string to be looked up.
// Must never guess: a hash only says where to look, and every byte is compared.
import type { MarketIndex, TickerTable } from '../../domain/ids.ts';

/** FNV-1a, a byte at a time. */
const HASH_SEED = 0x811c9dc5 | 0;
const HASH_PRIME = 0x01000193;
const QUOTE = 0x22;
/** Printable ASCII without quotes and backslashes: what stands on the wire as it is. */
const PLAIN = /^[ !#-[\]-~]+$/;

const EMPTY = -1;
const FIRST_SLOTS = 1024;

/** Follows a `TickerTable`, by bytes. Tickers outside printable ASCII are left to whoever reads strings. */
export class TickerBytes {
  /** Where the text that was last looked for ended: at its closing quote. */
  end = 0;
  readonly #table: TickerTable;
  #followed = 0;
  /** Where each market's ticker begins in `#text`; one more for the end of the last. */
  #starts = new Int32Array(FIRST_SLOTS / 2 + 1);
  #text = new Uint8Array(FIRST_SLOTS * 16);
  #slots = new Int32Array(FIRST_SLOTS).fill(EMPTY);

  constructor(table: TickerTable) {
    this.#table = table;
  }

  /**
   * The number of the market whose ticker stands there, up to a quote, or -1. `end` is then the position of the quote;
   * a text with escapes, or without an end, is no ticker.
   */
  find(bytes: Uint8Array, start: number): MarketIndex | -1 {
    let hash = HASH_SEED;
    let at = start;
    for (; bytes[at] !== QUOTE; at++) {
      if (at >= bytes.length) return EMPTY;
      hash = Math.imul(hash ^ (bytes[at] ?? 0), HASH_PRIME);
    }
    this.end = at;
    const found = this.#probe(bytes, start, hash);
    if (found >= 0 || this.#followed === this.#table.size) return found;
    this.#follow();
    return this.#probe(bytes, start, hash);
  }

  #probe(bytes: Uint8Array, start: number, hash: number): MarketIndex | -1 {
    const slots = this.#slots;
    const last = slots.length - 1;
    for (let slot = hash & last; ; slot = (slot + 1) & last) {
      const index = slots[slot] ?? EMPTY;
      if (index === EMPTY) return EMPTY;
      if (this.#isAt(index, bytes, start)) return index as MarketIndex;
    }
  }

  #isAt(index: number, bytes: Uint8Array, start: number): boolean {
    const text = this.#text;
    const from = this.#starts[index] ?? 0;
    const length = (this.#starts[index + 1] ?? 0) - from;
    if (length !== this.end - start) return false;
    for (let i = 0; i < length; i++) if (text[from + i] !== bytes[start + i]) return false;
    return true;
  }

  #follow(): void {
    for (; this.#followed < this.#table.size; this.#followed++) {
      const index = this.#followed as MarketIndex;
      this.#add(index, this.#table.tickerOf(index));
    }
  }

  #add(index: MarketIndex, name: string): void {
    const start = this.#starts[index] ?? 0;
    const length = PLAIN.test(name) ? name.length : 0;
    this.#makeRoom(index, start + length);
    for (let i = 0; i < length; i++) this.#text[start + i] = name.charCodeAt(i);
    this.#starts[index + 1] = start + length;
    this.#insert(index);
  }

  #insert(index: number): void {
    const start = this.#starts[index] ?? 0;
    const end = this.#starts[index + 1] ?? 0;
    if (start === end) return;
    let hash = HASH_SEED;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ (this.#text[i] ?? 0), HASH_PRIME);
    const last = this.#slots.length - 1;
    let slot = hash & last;
    while (this.#slots[slot] !== EMPTY) slot = (slot + 1) & last;
    this.#slots[slot] = index;
  }

  /** At most half of the slots are ever used, so that a search is short. */
  #makeRoom(index: number, textLength: number): void {
    if (textLength > this.#text.length) this.#text = grown(this.#text, new Uint8Array(textLength * 2));
    if (index + 2 <= this.#starts.length && (index + 1) * 2 <= this.#slots.length) return;
    this.#starts = grown(this.#starts, new Int32Array(this.#starts.length * 2));
    this.#slots = new Int32Array(this.#slots.length * 2).fill(EMPTY);
    for (let other = 0; other < index; other++) this.#insert(other);
  }
}

function grown<T extends Uint8Array | Int32Array>(old: T, fresh: T): T {
  fresh.set(old);
  return fresh;
}
