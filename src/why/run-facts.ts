// Records the facts of a backtest while it runs, for later questions. Must never change the run.
import type { EngineEvent } from '../domain/event.ts';
import type { Engine, EngineOptions } from '../engine.ts';
import type { Notice } from '../execution/engine-notice.ts';
import type { BoundStrategy } from '../strategy/strategy-definition.ts';
import { FactStore } from './fact-store.ts';
import { RecordedEngine } from './recorded-engine.ts';
import { WhyRecorder } from './why-recorder.ts';

export interface RunFactsOptions {
  /** Name of the run. */
  readonly session: string;
  readonly version: string;
  /** End of the recording. Microseconds. */
  readonly toUs: number;
  /** Called once the run has passed `toUs`. */
  readonly onPassed: () => void;
}

/** Records one run. Each fact refers to an event of the run by its number, from 1. */
export class RunFacts {
  readonly store = FactStore.createStore();
  readonly #options: RunFactsOptions;
  readonly #recorder = new WhyRecorder(this.store);
  #strategies: readonly string[] = [];
  #count = 0;
  #fromUs = 0;
  #atUs = 0;

  constructor(options: RunFactsOptions) {
    this.#options = options;
    this.store.beginBatch();
  }

  /** Callbacks of the run. */
  readonly hooks = {
    observe: (notice: Notice): void => this.#recorder.receiveNotice(notice),
    makeEngine: (options: EngineOptions): Engine =>
      new RecordedEngine(options, (engine, event) => this.#afterEvent(engine, event)),
    listenTo: (strategies: readonly BoundStrategy[]): readonly BoundStrategy[] => {
      this.#strategies = strategies.map(({ name }) => name);
      return this.#recorder.listenTo(strategies);
    },
  };

  #afterEvent(engine: Engine, event: EngineEvent): void {
    this.#count += 1;
    this.#atUs = engine.state.now;
    if (this.#count === 1) this.#fromUs = this.#atUs;
    this.#recorder.afterEvent(engine, event, this.#count);
    if (this.#atUs > this.#options.toUs) this.#options.onPassed();
  }

  /** Ends the recording at the end of the run, or once `toUs` has passed. */
  finishRun(): void {
    const { session, version } = this.#options;
    this.#recorder.flush();
    this.store.setSession({
      session,
      fromUs: this.#fromUs,
      toUs: this.#atUs,
      inputs: this.#count,
      version,
      hash: '',
      strategies: [...this.#strategies],
      end: 'the run ended',
      isOver: true,
      position: null,
      hole: null,
      difference: null,
    });
    this.store.endBatch();
  }
}
