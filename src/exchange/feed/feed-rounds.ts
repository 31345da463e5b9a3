// Writes the waiting messages of many feed connections in short rounds. A pause of twice its length follows each long
// round, so that the feed takes at most a third of the event loop and requests are answered in between. Must never write
// one connection twice while another of the same round still waits.

/** Something that waits to be written. */
export interface RoundMember {
  /** Writes everything that waits. */
  flush(): void;
}

/** Longest part of a round without a pause, in milliseconds. */
const PART_MS = 2;
/** A shorter part has no pause after it: a few subscribers get each message at once. */
const PAUSED_ABOVE_MS = 0.5;
/** The pause after a part, as a multiple of its time. */
const PAUSE_FACTOR = 2;
/** Members written between two looks at the clock. */
const MEMBERS_PER_LOOK = 8;

/** The rounds of one feed server. */
export class FeedRounds {
  #waiting: RoundMember[] = [];
  #written = 0;
  #isPlanned = false;

  /** Adds a member to the end of the round. The caller adds it once until its `flush`. */
  add(member: RoundMember): void {
    this.#waiting.push(member);
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(this.#write);
  }

  readonly #write = (): void => {
    const begunAt = performance.now();
    this.#isPlanned = false;
    let tookMs = 0;
    while (this.#written < this.#waiting.length && tookMs < PART_MS) {
      this.#writeSome();
      tookMs = performance.now() - begunAt;
    }
    this.#plan(tookMs);
  };

  #writeSome(): void {
    const end = Math.min(this.#written + MEMBERS_PER_LOOK, this.#waiting.length);
    while (this.#written < end) this.#waiting[this.#written++]?.flush();
    if (this.#written < this.#waiting.length) return;
    this.#waiting = [];
    this.#written = 0;
  }

  /** Plans the next part; a pause is planned even if nothing waits, since what comes meanwhile waits for its end. */
  #plan(tookMs: number): void {
    if (tookMs > PAUSED_ABOVE_MS) setTimeout(this.#write, tookMs * PAUSE_FACTOR);
    else if (this.#waiting.length > 0) setImmediate(this.#write);
    else return;
    this.#isPlanned = true;
  }
}
