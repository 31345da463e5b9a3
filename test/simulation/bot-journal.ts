// The journal of a simulated bot: hands everything on to the real one, knows which orders were written down, and is where
// a process may be told to die: before its orders are on disk, or right after.
import type { Command } from '../../src/domain/command.ts';
import type { Journal } from '../../src/tape/journal.ts';
import type { Input } from '../../src/venue.ts';

export interface BotJournalOptions {
  /** The real journal. */
  readonly inner: Journal | null;
  /** How often each order was written down, by its client id: over all the bot's lives. */
  readonly written: Map<string, number>;
  readonly onCommands: (commands: readonly Command[]) => void;
  /** Asked around the writing of orders; `true` when the process dies of it. */
  readonly dies: (moment: 'journaling' | 'journaled') => boolean;
}

/** A journal that knows what it has written. */
export class BotJournal implements Journal {
  readonly #options: BotJournalOptions;

  constructor(options: BotJournalOptions) {
    this.#options = options;
  }

  input(input: Input): void {
    this.#options.inner?.input(input);
  }

  commands(commands: readonly Command[]): void {
    const { inner, written, onCommands, dies } = this.#options;
    const places = commands.filter((command) => command.type === 'place');
    if (places.length > 0 && dies('journaling')) return;
    inner?.commands(commands);
    for (const { clientOrderId } of places) written.set(clientOrderId, (written.get(clientOrderId) ?? 0) + 1);
    onCommands(commands);
    if (places.length > 0) dies('journaled');
  }
}
