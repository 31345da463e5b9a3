// The journal of a simulated bot: passes everything to the real one, records which orders were journaled, and can kill
// the process before its orders are on disk or right after.
import type { Command, PlaceCommand } from '../../../src/domain/venue-command.ts';
import type { TapedNotice } from '../../../src/tape/format/input-lines.ts';
import type { Journal } from '../../../src/tape/journal/journal-port.ts';
import type { Input } from '../../../src/venue.ts';
import { DiskDeath } from '../../support/tapes/memory-storage.ts';

/** A journaled order. */
export interface JournaledOrder {
  readonly command: PlaceCommand;
  /** Number of journal entries: an order that was refused for rate is journaled again before it is sent again. */
  times: number;
}

export interface BotJournalOptions {
  /** The real journal. */
  readonly inner: Journal;
  /** Journaled orders by client order id, over all lives of the bot. Never removed. */
  readonly journaled: Map<string, JournaledOrder>;
  readonly onCommands: (commands: readonly Command[]) => void;
  /** Called around the journaling of orders; `true` when the process dies at that moment. */
  readonly diesAt: (moment: 'journaling' | 'journaled') => boolean;
  /** Called when the disk died in the middle of a write, and the process with it. */
  readonly onDiskDeath: () => void;
}

/** A journal that records what it has written. */
export class BotJournal implements Journal {
  readonly #options: BotJournalOptions;

  constructor(options: BotJournalOptions) {
    this.#options = options;
  }

  writeInput(input: Input): void {
    this.#write(() => this.#options.inner.writeInput(input));
  }

  writeNotices(notices: readonly TapedNotice[]): void {
    this.#write(() => this.#options.inner.writeNotices(notices));
  }

  writeCommands(commands: readonly Command[]): void {
    const { inner, journaled, onCommands, diesAt } = this.#options;
    const places = commands.filter((command) => command.type === 'place');
    if (places.length > 0 && diesAt('journaling')) return;
    if (!this.#write(() => inner.writeCommands(commands))) return;
    for (const command of places) {
      const known = journaled.get(command.clientOrderId);
      journaled.set(command.clientOrderId, { command, times: (known?.times ?? 0) + 1 });
    }
    onCommands(commands);
    if (places.length > 0) diesAt('journaled');
  }

  /** Returns `false` when the process died of the write. The session handles any other fault. */
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
