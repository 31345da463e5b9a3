// Writes one session to two places: its own journal, and a recording that the operator asked for. Must never let a
// command leave before both have written it.
import type { Command } from '../../domain/venue-command.ts';
import type { Input } from '../../venue.ts';
import type { TapedNotice } from '../format/input-lines.ts';
import type { Journal } from './journal-port.ts';

/** Two journals as one. A fault of either is thrown. */
export class BothJournals implements Journal {
  readonly #first: Journal;
  readonly #second: Journal;

  constructor(first: Journal, second: Journal) {
    this.#first = first;
    this.#second = second;
  }

  writeInput(input: Input): void {
    this.#first.writeInput(input);
    this.#second.writeInput(input);
  }

  writeNotices(notices: readonly TapedNotice[]): void {
    this.#first.writeNotices(notices);
    this.#second.writeNotices(notices);
  }

  writeCommands(commands: readonly Command[]): void {
    this.#first.writeCommands(commands);
    this.#second.writeCommands(commands);
  }
}
