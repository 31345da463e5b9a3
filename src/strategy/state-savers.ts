// Saves and restores the states of all strategies. Must never call a halted strategy, and never let the failure of one
// strategy affect another.
import type { StateSaver } from './state-saver.ts';
import type { RunningStrategy } from './running-strategy.ts';

/** A strategy that saves its state. */
export interface SavingStrategy {
  readonly running: RunningStrategy;
  readonly saver: StateSaver;
}

export interface StateSaversSink {
  /** Called when the state of a strategy has changed. */
  onSave(running: RunningStrategy, json: string): void;
  /** Called when a strategy failed while its state was saved or restored. */
  haltStrategy(running: RunningStrategy, reason: string): void;
}

/** The saved states of all strategies. */
export class StateSavers {
  readonly #sink: StateSaversSink;
  readonly #all: readonly SavingStrategy[];

  constructor(all: readonly SavingStrategy[], sink: StateSaversSink) {
    this.#all = all;
    this.#sink = sink;
  }

  get isNeeded(): boolean {
    return this.#all.length > 0;
  }

  restore(saved: Readonly<Record<string, unknown>>): void {
    for (const { saver, running } of this.#all) {
      if (running.haltedBy !== null || !Object.hasOwn(saved, running.name)) continue;
      const reason = saver.restore(saved[running.name], running.view);
      if (reason !== null) this.#sink.haltStrategy(running, reason);
    }
  }

  saveStates(isSelected: (entry: SavingStrategy) => boolean): void {
    for (const entry of this.#all) if (entry.running.haltedBy === null && isSelected(entry)) this.#save(entry);
  }

  #save({ saver, running }: SavingStrategy): void {
    const result = saver.readState();
    if (result.type === 'fault') this.#sink.haltStrategy(running, result.reason);
    if (result.type === 'changed') this.#sink.onSave(running, result.json);
  }
}
