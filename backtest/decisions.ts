// What the engine decided, as one name: SHA-256 over every command in order, each with the time it left.
// Must never depend on anything but the commands and their times.
import { createHash } from 'node:crypto';
import type { Command } from '../src/domain/command.ts';
import type { Micros } from '../src/domain/units.ts';
import { canonicalJson } from '../src/tape/canonical.ts';

/** Commands are hashed so many at a time. */
const PART_LENGTH_MIN = 65_536;

/** Takes commands as they leave. */
export class Decisions {
  readonly #hash = createHash('sha256');
  readonly #onText: ((text: string, command: Command, at: Micros) => void) | undefined;
  #part = '';
  count = 0;

  /** @param onText is told each decision as its line. */
  constructor(onText?: (text: string, command: Command, at: Micros) => void) {
    this.#onText = onText;
  }

  take(command: Command, at: Micros): void {
    const text = `${at} ${canonicalJson(command)}\n`;
    this.count += 1;
    this.#part += text;
    this.#onText?.(text, command, at);
    if (this.#part.length < PART_LENGTH_MIN) return;
    this.#hash.update(this.#part);
    this.#part = '';
  }

  /** The name of all decisions so far. */
  digest(): string {
    return this.#hash.copy().update(this.#part).digest('hex');
  }
}
