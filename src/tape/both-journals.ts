// Writes one session to two places: its own journal, and a recording the operator asked for. Must never let a command
// leave before both have written it.
import type { Command } from '../domain/command.ts';
import type { Input } from '../venue.ts';
import type { Journal } from './journal.ts';

/** Two journals as one. A fault of either is a fault of both. */
export class BothJournals implements Journal {
  readonly #first: Journal;
  readonly #second: Journal;

  constructor(first: Journal, second: Journal) {
    this.#first = first;
    this.#second = second;
  }

  input(input: Input): void {
    this.#first.input(input);
    this.#second.input(input);
  }

  commands(commands: readonly Command[]): void {
    this.#first.commands(commands);
    this.#second.commands(commands);
  }
}
