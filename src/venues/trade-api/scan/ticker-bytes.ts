// Finds market indices by the bytes of their tickers, so that a lookup needs no string. Must never guess: the hash only
// selects the slot, and every byte is compared.
import type { MarketIndex, TickerTable } from '../../../domain/ids.ts';
import { type FrameBytes, lowestZero, QUOTES } from './frame-bytes.ts';

/** Printable ASCII without quotes and backslashes: text that JSON does not escape. */
const PLAIN = /^[ !#-[\]-~]+$/;
const EMPTY = -1;
const FIRST_SLOTS = 1024;
const HASH_SEED = 0x811c9dc5 | 0;

/** FNV-1a over 32-bit words. The high bits are folded into the low ones, which choose the slot. */
function hashStep(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x01000193);
  return product ^ (product >>> 15);
}

/** A byte-level copy of a `TickerTable`. Tickers that are not `PLAIN` are left to the codec. */
export class TickerBytes {
  /** Position of the last found ticker's closing quote. */
  end = 0;
  readonly #table: TickerTable;
  /** Version of the table that was copied, and the number of its tickers copied so far. */
  #version: number;
  #copiedCount = 0;
  /** Each market's ticker as words: its bytes, the closing quote, and zeros to the end of the word. */
  #words: Int32Array = new Int32Array(FIRST_SLOTS * 4);
  /** Start of each market's words; one more entry marks the end. */
  #starts: Int32Array = new Int32Array(FIRST_SLOTS / 2 + 1);
  #slots = new Int32Array(FIRST_SLOTS).fill(EMPTY);

  constructor(table: TickerTable) {
    this.#table = table;
    this.#version = table.version;
  }

  /** The index of the market whose ticker is at a position, up to a quote; -1 when unknown. */
  findMarket(frame: FrameBytes, start: number): MarketIndex | -1 {
    const { view, end } = frame;
    let hash = HASH_SEED;
    for (let at = start; at < end; at += 4) {
      const word = view.getInt32(at, true);
      const found = lowestZero(word ^ QUOTES);
      if (found === 0) {
        hash = hashStep(hash, word);
        continue;
      }
      const length = (31 - Math.clz32(found & -found)) >>> 3;
      this.end = at + length;
      return this.#lookUp(view, start, hashStep(hash, lowBytes(word, length + 1)));
    }
    return EMPTY;
  }

  #lookUp(view: DataView, start: number, hash: number): MarketIndex | -1 {
    if (this.#version !== this.#table.version) this.#clear();
    const found = this.#probe(view, start, hash);
    if (found >= 0 || this.#copiedCount === this.#table.size) return found;
    this.#synchronize();
    return this.#probe(view, start, hash);
  }

  #probe(view: DataView, start: number, hash: number): MarketIndex | -1 {
    const slots = this.#slots;
    const last = slots.length - 1;
    for (let slot = hash & last; ; slot = (slot + 1) & last) {
      const index = slots[slot] ?? EMPTY;
      if (index === EMPTY) return EMPTY;
      if (this.#isAt(view, start, index)) return index as MarketIndex;
    }
  }

  #isAt(view: DataView, start: number, index: number): boolean {
    const words = this.#words;
    const from = this.#starts[index] ?? 0;
    const length = this.end - start;
    const last = (length >>> 2) + from;
    if ((this.#starts[index + 1] ?? 0) !== last + 1) return false;
    let at = start;
    for (let i = from; i < last; i++, at += 4) if (view.getInt32(at, true) !== words[i]) return false;
    return lowBytes(view.getInt32(at, true), (length & 3) + 1) === words[last];
  }

  /** An index was reassigned, so earlier entries may be wrong. */
  #clear(): void {
    this.#version = this.#table.version;
    this.#copiedCount = 0;
    this.#words.fill(0);
    this.#slots.fill(EMPTY);
  }

  #synchronize(): void {
    const names = this.#table.tickersByIndex();
    for (; this.#copiedCount < names.length; this.#copiedCount++) {
      this.#addTicker(this.#copiedCount, names[this.#copiedCount] ?? '');
    }
  }

  /** A missing ticker, or one that is not `PLAIN`, takes no words and no slot. */
  #addTicker(index: number, name: string): void {
    const start = this.#starts[index] ?? 0;
    const text = PLAIN.test(name) ? `${name}"` : '';
    const wordCount = (text.length + 3) >>> 2;
    this.#makeRoom(index, start + wordCount);
    for (let i = 0; i < text.length; i++) {
      const place = start + (i >>> 2);
      this.#words[place] = (this.#words[place] ?? 0) | (text.charCodeAt(i) << ((i & 3) * 8));
    }
    this.#starts[index + 1] = start + wordCount;
    this.#insert(index);
  }

  #insert(index: number): void {
    const start = this.#starts[index] ?? 0;
    const end = this.#starts[index + 1] ?? 0;
    if (start === end) return;
    let hash = HASH_SEED;
    for (let i = start; i < end; i++) hash = hashStep(hash, this.#words[i] ?? 0);
    const last = this.#slots.length - 1;
    let slot = hash & last;
    while (this.#slots[slot] !== EMPTY) slot = (slot + 1) & last;
    this.#slots[slot] = index;
  }

  /** Grows the tables. At most half of the slots are used, so that a search is short. */
  #makeRoom(index: number, wordsEnd: number): void {
    if (wordsEnd > this.#words.length) this.#words = grown(this.#words, wordsEnd * 2);
    if (index + 2 <= this.#starts.length && (index + 1) * 2 <= this.#slots.length) return;
    this.#starts = grown(this.#starts, this.#starts.length * 2);
    this.#slots = new Int32Array(this.#slots.length * 2).fill(EMPTY);
    for (let other = 0; other < index; other++) this.#insert(other);
  }
}

const lowBytes = (word: number, count: number): number => word & (-1 >>> (32 - count * 8));

function grown(old: Int32Array, length: number): Int32Array {
  const fresh = new Int32Array(length);
  fresh.set(old);
  return fresh;
}
