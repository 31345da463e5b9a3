// Injects faults into the messages of one feed connection, and holds their state: silence, delays, a message held back.
// Must never change the sequence of messages except by a `reorder` rule.
import type { FeedRule } from '../../config/fault-config.ts';
import type { Micros } from '../../domain/units.ts';
import type { SetTimer } from '../session/exchange-driver.ts';
import type { PendingFrame } from './fault-injector.ts';

/** Clock and timers of the injection. */
export interface FeedInjectionTools {
  readonly now: () => Micros;
  readonly later: SetTimer;
}

const MICROS_PER_MS = 1000;
/** Longest time that a message is held back for the next message, in milliseconds. */
const HOLD_MS = 100;
const NOISE = '\u0000\u0007 not a message';

/** One feed connection with injected faults. */
export class FaultyConnection {
  readonly #tools: FeedInjectionTools;
  readonly #waiting: (() => void)[] = [];
  #silentUntil = -Infinity;
  /** Time at which the last waiting message is sent. */
  #releaseAt = -Infinity;
  #delayedCount = 0;
  #held: (() => void) | null = null;

  constructor(tools: FeedInjectionTools) {
    this.#tools = tools;
  }

  get isSilent(): boolean {
    return this.#tools.now() < this.#silentUntil;
  }

  /** Sends a message with the faults of the rules that apply. Must not be called while the connection is silent. */
  sendWithFaults(passage: PendingFrame, rules: readonly FeedRule[]): void {
    let texts: readonly string[] = [passage.text];
    let delay = 0;
    let isHeld = false;
    for (const rule of rules) {
      switch (rule.fault) {
        case 'close':
          return passage.closeWith(rule.code);
        case 'cut':
          return passage.terminate();
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
          delay += rule.by + rule.growing * this.#delayedCount++;
          break;
        case 'reorder':
          isHeld = true;
          break;
      }
    }
    const send = (): void => texts.forEach((text) => this.isSilent || passage.send(text));
    if (isHeld && this.#held === null) this.#holdBack(send);
    else this.#queueSend(send, delay);
  }

  discardWaiting(): void {
    this.#waiting.length = 0;
    this.#held = null;
  }

  #holdBack(send: () => void): void {
    this.#held = send;
    this.#tools.later(HOLD_MS, () => {
      if (this.#held === send) this.#releaseHeld();
    });
  }

  #releaseHeld(): void {
    const held = this.#held;
    this.#held = null;
    if (held !== null) this.#queueSend(held, 0);
  }

  /** First in, first out: a message without delay waits behind a delayed one. */
  #queueSend(send: () => void, delay: number): void {
    const now = this.#tools.now();
    const at = Math.max(now + delay, this.#releaseAt);
    if (at <= now && this.#waiting.length === 0) send();
    else {
      this.#releaseAt = at;
      this.#waiting.push(send);
      this.#tools.later((at - now) / MICROS_PER_MS, () => this.#waiting.shift()?.());
    }
    if (this.#held !== null) this.#releaseHeld();
  }
}
