// A hash of the engine's decisions: SHA-256 over the commands in their sequence, each with its time. Must never depend
// on anything else.
import { createHash } from 'node:crypto';
import type { Command } from '../src/domain/venue-command.ts';
import type { Micros } from '../src/domain/units.ts';
import { decisionText } from './decision-text.ts';

/** Text is collected up to this length before it is hashed. Characters. */
const PART_LENGTH_MIN = 65_536;

/** Hashes commands as they leave. */
export class DecisionHash {
  readonly #hash = createHash('sha256');
  readonly #onText: ((text: string, command: Command, at: Micros) => void) | undefined;
  #part = '';
  count = 0;

  /** @param onText receives each decision and its hashed line. */
  constructor(onText?: (text: string, command: Command, at: Micros) => void) {
    this.#onText = onText;
  }

  addDecision(command: Command, at: Micros): void {
    const text = `${at} ${decisionText(command)}\n`;
    this.count += 1;
    this.#part += text;
    this.#onText?.(text, command, at);
    if (this.#part.length < PART_LENGTH_MIN) return;
    this.#hash.update(this.#part);
    this.#part = '';
  }

  digest(): string {
    return this.#hash.copy().update(this.#part).digest('hex');
  }
}
