// Remembers the latest keys, to detect a repeated one. Must never grow with the file.

/** Many times the trades of any market's busiest moment. */
const RECENT_MAX = 20_000;

/** The latest keys. */
export class Recent {
  #now = new Set<string>();
  #before = new Set<string>();

  /** True when a key is among the latest 20 000 at least. Remembers the key. */
  has(key: string): boolean {
    if (this.#now.has(key) || this.#before.has(key)) return true;
    if (this.#now.size >= RECENT_MAX) {
      this.#before = this.#now;
      this.#now = new Set();
    }
    this.#now.add(key);
    return false;
  }
}
