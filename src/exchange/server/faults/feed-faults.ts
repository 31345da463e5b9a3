// What can happen to a message of the feed, one small piece a fault, and what a connection remembers of it: silence,
// lateness, a message held back. Must never send a message after one that it is to come before, but by a rule.
import type { FeedRule } from '../../../config/fault-config.ts';
import type { Micros } from '../../../domain/units.ts';
import type { SetTimer } from '../../driver.ts';
import type { FramePassage } from '../faults.ts';

/** What a connection's faults work with. */
export interface FeedFaultTools {
  readonly now: () => Micros;
  readonly later: SetTimer;
}

const MICROS_PER_MS = 1000;
/** A message held back goes after so long, when no other comes that it could follow. */
const HOLD_MS = 100;
const NOISE = '\u0000\u0007 not a message';

/** One connection. */
export class FaultyLine {
  readonly #tools: FeedFaultTools;
  readonly #waiting: (() => void)[] = [];
  #silentUntil = -Infinity;
  /** When the last message that waits goes. */
  #releaseAt = -Infinity;
  #slowed = 0;
  #held: (() => void) | null = null;

  constructor(tools: FeedFaultTools) {
    this.#tools = tools;
  }

  /** Whether nothing comes through. */
  get isSilent(): boolean {
    return this.#tools.now() < this.#silentUntil;
  }

  /** Sends a message as the rules that strike it say. Not to be asked while the line is silent. */
  pass(passage: FramePassage, rules: readonly FeedRule[]): void {
    let texts: readonly string[] = [passage.text];
    let delay = 0;
    let isHeld = false;
    for (const rule of rules) {
      switch (rule.fault) {
        case 'close':
          return passage.end(rule.code);
        case 'cut':
          return passage.hangUp();
        case 'end-channel':
          if (passage.channel === null) break;
          return passage.endChannel(passage.channel);
        case 'silence':
          this.#silentUntil = this.#tools.now() + (rule.lasting ?? Infinity);
          return;
        case 'lose':
          return;
        case 'duplicate':
          texts = [...texts, ...texts];
          break;
        case 'garbage':
          texts = texts.map((text) => (rule.body === 'half' ? text.slice(0, text.length >> 1) : NOISE));
          break;
        case 'slow':
          delay += rule.by + rule.growing * this.#slowed++;
          break;
        case 'reorder':
          isHeld = true;
          break;
      }
    }
    const send = (): void => texts.forEach((text) => this.isSilent || passage.send(text));
    if (isHeld && this.#held === null) this.#hold(send);
    else this.#queue(send, delay);
  }

  /** The connection is gone: what waits is lost with it. */
  drop(): void {
    this.#waiting.length = 0;
    this.#held = null;
  }

  #hold(send: () => void): void {
    this.#held = send;
    this.#tools.later(HOLD_MS, () => {
      if (this.#held === send) this.#release();
    });
  }

  #release(): void {
    const held = this.#held;
    this.#held = null;
    if (held !== null) this.#queue(held, 0);
  }

  /** First come, first gone: what is not late waits behind what is. */
  #queue(send: () => void, delay: number): void {
    const now = this.#tools.now();
    const at = Math.max(now + delay, this.#releaseAt);
    if (at <= now && this.#waiting.length === 0) send();
    else {
      this.#releaseAt = at;
      this.#waiting.push(send);
      this.#tools.later((at - now) / MICROS_PER_MS, () => this.#waiting.shift()?.());
    }
    if (this.#held !== null) this.#release();
  }
}
