// What all strategies keep over a restart: given back to them at the start, asked of them when something has happened.
// Must never ask one that is halted, nor let what fails at one concern another.
import type { Keeper } from './kept.ts';
import type { Running } from './running.ts';

/** A strategy that keeps something. */
export interface KeepingOne {
  readonly running: Running;
  readonly keeper: Keeper;
}

export interface KeepersSink {
  /** What a strategy keeps is not what it kept before. */
  onSave(running: Running, json: string): void;
  /** A strategy failed at keeping, or at being given back, what it keeps. */
  halt(running: Running, reason: string): void;
}

/** The state of all strategies. */
export class Keepers {
  readonly #sink: KeepersSink;
  readonly #all: readonly KeepingOne[];

  constructor(all: readonly KeepingOne[], sink: KeepersSink) {
    this.#all = all;
    this.#sink = sink;
  }

  /** Whether anybody keeps anything. */
  get isNeeded(): boolean {
    return this.#all.length > 0;
  }

  /** Gives strategies back what they kept, by their names. */
  restore(saved: Readonly<Record<string, unknown>>): void {
    for (const { keeper, running } of this.#all) {
      if (running.haltedBy !== null || !Object.hasOwn(saved, running.name)) continue;
      const reason = keeper.restore(saved[running.name], running.view);
      if (reason !== null) this.#sink.halt(running, reason);
    }
  }

  /** Has those keep what they want to keep to whom something has happened. */
  keep(isConcerned: (one: KeepingOne) => boolean): void {
    for (const one of this.#all) if (one.running.haltedBy === null && isConcerned(one)) this.#keep(one);
  }

  #keep({ keeper, running }: KeepingOne): void {
    const kept = keeper.look();
    if (kept.type === 'fault') this.#sink.halt(running, kept.reason);
    if (kept.type === 'changed') this.#sink.onSave(running, kept.json);
  }
}
