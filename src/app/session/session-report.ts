// The report of a live or paper session: gathered while it runs, written at its end as one page, as after a backtest.
// Must never hold the session up, and must never decide how it ends.
import type { BotConfig } from '../../config/bot-config.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import type { Engine } from '../../engine.ts';
import type { RunFacts } from '../../report/record/run-record.ts';
import { RunRecorder } from '../../report/record/run-recorder.ts';
import { reportOfRun } from '../../report/statement/statement.ts';
import { reservePage, writePage } from '../report-page.ts';
import { strategyFacts } from '../strategy/strategy-facts.ts';

/** How often the clock is looked at: mids are looked up this much late at the most. */
const LOOK_EVERY_MS = 100;

export interface SessionReportOptions {
  /** Where the page is written. */
  readonly file: string;
  readonly engine: Engine;
  readonly config: BotConfig;
  readonly isPaper: boolean;
  readonly seed: number;
  readonly now: () => number;
}

/** Gathers a session's report. */
export class SessionReport {
  readonly #options: SessionReportOptions;
  readonly #keeper: RunRecorder;
  readonly #looking: NodeJS.Timeout;

  /**
   * @throws {UsageError} when the file cannot be written: better told before the session than after it.
   */
  constructor(options: SessionReportOptions) {
    this.#options = options;
    reservePage(options.file);
    this.#keeper = new RunRecorder({ engine: options.engine });
    this.#looking = setInterval(() => this.#keeper.onTimePassed(options.now()), LOOK_EVERY_MS);
  }

  onNotice(notice: Notice): void {
    this.#keeper.onNotice(notice);
  }

  /** Writes the page. Once. */
  close(): void {
    clearInterval(this.#looking);
    writePage(this.#options.file, reportOfRun(this.#keeper.runRecord(this.#facts())));
  }

  #facts(): RunFacts {
    const { config, isPaper, seed, now } = this.#options;
    return {
      kind: isPaper ? 'paper' : 'live',
      ...strategyFacts(config.strategies),
      to: now(),
      isPartial: false,
      seed,
      decisionHash: '',
      models: isPaper ? (config.paper?.simulation ?? {}) : {},
      coverage: null,
      events: 0,
    };
  }
}
