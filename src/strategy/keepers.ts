// Saves and restores the state of all strategies: restored at the start, saved when something has happened to a
// strategy. Must never call a halted strategy, and never let the failure of one strategy affect another.
import type { Keeper } from './kept.ts';
import type { Running } from './running.ts';

/** A strategy that saves its state. */
export interface KeepingOne {
  readonly running: Running;
  readonly saver: Keeper;
}

export interface KeepersSink {
  /** The state of a strategy has changed. */
  onSave(running: Running, json: string): void;
  /** A strategy failed while its state was saved or restored. */
  halt(running: Running, reason: string): void;
}

/** The saved states of all strategies. */
export class Keepers {
  readonly #sink: KeepersSink;
  readonly #all: readonly KeepingOne[];

  constructor(all: readonly KeepingOne[], sink: KeepersSink) {
    this.#all = all;
    this.#sink = sink;
  }

  /** True when any strategy saves its state. */
  get isNeeded(): boolean {
    return this.#all.length > 0;
  }

  /** Restores the state of each strategy by its name. */
  restore(saved: Readonly<Record<string, unknown>>): void {
    for (const { saver, running } of this.#all) {
      if (running.haltedBy !== null || !Object.hasOwn(saved, running.name)) continue;
      const reason = saver.restore(saved[running.name], running.view);
      if (reason !== null) this.#sink.halt(running, reason);
    }
  }

  /** Saves the changed states of the strategies that the predicate selects. */
  keep(isSelected: (entry: KeepingOne) => boolean): void {
    for (const entry of this.#all) if (entry.running.haltedBy === null && isSelected(entry)) this.#save(entry);
  }

  #save({ saver, running }: KeepingOne): void {
    const result = saver.look();
    if (result.type === 'fault') this.#sink.halt(running, result.reason);
    if (result.type === 'changed') this.#sink.onSave(running, result.json);
  }
}
