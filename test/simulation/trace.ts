// What happened in a world: a hash over all of it, so that two runs can be compared, and the last lines, to be read when
// something went wrong. Must never take in anything that two runs of one seed could disagree on for a good reason.

/** Lines remembered. */
const REMEMBERED = 400;

/** Everything that happened, as a hash and a tail. */
export class Trace {
  readonly #now: () => number;
  readonly #onLine: (line: string) => void;
  readonly #lines: string[] = [];
  readonly #counts = new Map<string, number>();
  #count = 0;
  #high = 0x811c_9dc5;
  #low = 0x1234_5678;

  /** @param now milliseconds since the world began. @param onLine is handed every line, for whoever wants all of them. */
  constructor(now: () => number, onLine: (line: string) => void = () => {}) {
    this.#now = now;
    this.#onLine = onLine;
  }

  /** Notes something under a kind. */
  note(kind: string, text = ''): void {
    const line = `${this.#now().toFixed(3).padStart(10)} ${kind} ${text}`;
    this.#hash(line);
    this.#lines[this.#count % REMEMBERED] = line;
    this.#count += 1;
    this.#onLine(line);
  }

  /** Takes something long into the hash only. */
  hash(text: string): void {
    this.#hash(text);
  }

  /** Counts something: faults by kind, mostly. */
  count(kind: string, by = 1): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + by);
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The last lines, oldest first. */
  tail(count = REMEMBERED): string[] {
    const lines =
      this.#count <= REMEMBERED
        ? this.#lines
        : [...this.#lines.slice(this.#count % REMEMBERED), ...this.#lines.slice(0, this.#count % REMEMBERED)];
    return lines.slice(-count);
  }

  get digest(): string {
    return [this.#high, this.#low].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('');
  }

  #hash(text: string): void {
    let high = this.#high;
    let low = this.#low;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      high = Math.imul(high ^ code, 0x0100_0193);
      low = Math.imul(low ^ code ^ (high >>> 15), 0x85eb_ca6b);
    }
    this.#high = high;
    this.#low = low;
  }
}
