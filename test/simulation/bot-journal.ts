// The journal of a simulated bot: hands everything on to the real one, knows which orders were written down, and is where
// a process may be told to die: before its orders are on disk, or right after.
import type { Command, PlaceCommand } from '../../src/domain/command.ts';
import type { Journal } from '../../src/tape/journal.ts';
import type { Input } from '../../src/venue.ts';
import { DiskDeath } from '../support/memory-storage.ts';

/** An order that was written down. */
export interface Written {
  readonly command: PlaceCommand;
  /** How often: an order that was refused for rate is written down again before it leaves again. */
  times: number;
}

export interface BotJournalOptions {
  /** The real journal. */
  readonly inner: Journal;
  /** Orders that were written down, by their client id: over all the bot's lives. */
  readonly written: Map<string, Written>;
  readonly onCommands: (commands: readonly Command[]) => void;
  /** Asked around the writing of orders; `true` when the process dies of it. */
  readonly dies: (moment: 'journaling' | 'journaled') => boolean;
  /** The disk died in the middle of a write, and the process with it. */
  readonly onDiskDeath: () => void;
}

/** A journal that knows what it has written. */
export class BotJournal implements Journal {
  readonly #options: BotJournalOptions;

  constructor(options: BotJournalOptions) {
    this.#options = options;
  }

  input(input: Input): void {
    this.#write(() => this.#options.inner.input(input));
  }

  commands(commands: readonly Command[]): void {
    const { inner, written, onCommands, dies } = this.#options;
    const places = commands.filter((command) => command.type === 'place');
    if (places.length > 0 && dies('journaling')) return;
    if (!this.#write(() => inner.commands(commands))) return;
    for (const command of places) {
      const known = written.get(command.clientOrderId);
      written.set(command.clientOrderId, { command, times: (known?.times ?? 0) + 1 });
    }
    onCommands(commands);
    if (places.length > 0) dies('journaled');
  }

  /** `false` when the process died of it. What else fails is the session's to hear. */
  #write(write: () => void): boolean {
    try {
      write();
      return true;
    } catch (fault) {
      if (!(fault instanceof Error && fault.cause instanceof DiskDeath)) throw fault;
      this.#options.onDiskDeath();
      return false;
    }
  }
}
