// One reader of the live overview. Must never queue rows: each message is made from the present state.
import type { ConsoleBot, LiveReader } from '../bots/console-bot.ts';
import type { PartChange } from './pending-parts.ts';
import type { LiveMessage, MessageSource } from './live-message.ts';
import { WakeUp } from './wake-up.ts';

/** Makes the overview for one reader. */
export class OverviewStream implements LiveReader, MessageSource {
  readonly #bots: readonly ConsoleBot[];
  readonly #wakeUp = new WakeUp();
  readonly #nowMs: () => number;

  constructor(bots: readonly ConsoleBot[], nowMs: () => number) {
    this.#bots = bots;
    this.#nowMs = nowMs;
    for (const bot of bots) bot.addReader(this);
  }

  onChange({ parts, isSnapshot }: PartChange): void {
    if (isSnapshot === true || parts.includes('session') || parts.includes('link')) this.#wakeUp.signal();
  }

  readonly composeMessages = (): readonly LiveMessage[] => {
    this.#wakeUp.clear();
    return [{ event: 'overview', data: { atUs: this.#nowMs() * 1000, bots: this.#bots.map((bot) => bot.row()) } }];
  };

  readonly changed = (): Promise<void> => this.#wakeUp.untilSignaled();

  readonly close = (): void => {
    for (const bot of this.#bots) bot.removeReader(this);
  };
}
