// Remembers the last so many keys, to notice one that comes twice. Must never grow with the file.

/** As many as the busiest moment of any market has, many times over. */
const RECENT_MAX = 20_000;

/** The keys of late. */
export class Recent {
  #now = new Set<string>();
  #before = new Set<string>();

  /** Whether a key came among the last twenty thousand at least; it is remembered from now on. */
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
