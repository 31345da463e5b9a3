// Trace of a simulation: a hash of all events, so that two runs can be compared, and the last lines, for reading when
// something went wrong. Must never contain anything in which two runs of one seed may legitimately differ.

/** Number of lines remembered. */
const REMEMBERED = 400;

/** All events of a simulation, as a hash and a tail. */
export class Trace {
  readonly #now: () => number;
  readonly #onLine: (line: string) => void;
  readonly #lines: string[] = [];
  readonly #counts = new Map<string, number>();
  #count = 0;
  #high = 0x811c_9dc5;
  #low = 0x1234_5678;

  /** @param now milliseconds since the simulation began. @param onLine receives every line. */
  constructor(now: () => number, onLine: (line: string) => void = () => {}) {
    this.#now = now;
    this.#onLine = onLine;
  }

  /** Records an event under a kind. */
  recordEvent(kind: string, text = ''): void {
    const line = `${this.#now().toFixed(3).padStart(10)} ${kind} ${text}`;
    this.#hash(line);
    this.#lines[this.#count % REMEMBERED] = line;
    this.#count += 1;
    this.#onLine(line);
  }

  /** Adds a long text to the hash only. */
  hashText(text: string): void {
    this.#hash(text);
  }

  /** Counts an event, mostly faults by kind. */
  addCount(kind: string, by = 1): void {
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
