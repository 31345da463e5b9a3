// The report of a live or paper session: collected while the session runs, written as one page at its end. Must never
// delay the session, nor decide how it ends.
import type { BotConfig } from '../../config/bot-config.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import type { Engine } from '../../engine.ts';
import type { RunFacts } from '../../report/record/run-record.ts';
import { RunRecorder } from '../../report/record/run-recorder.ts';
import { reportOfRun } from '../../report/statement/statement.ts';
import { checkPage, writePage } from '../report-page.ts';
import { strategyFacts } from '../strategy/strategy-facts.ts';

/** The recorder learns the time at this interval, milliseconds: mids are sampled at most this late. */
const SAMPLE_EVERY_MS = 100;

export interface SessionReportOptions {
  readonly file: string;
  readonly engine: Engine;
  readonly config: BotConfig;
  readonly isPaper: boolean;
  readonly seed: number;
  readonly now: () => number;
}

/** Collects a session's report. */
export class SessionReport {
  readonly #options: SessionReportOptions;
  readonly #recorder: RunRecorder;
  readonly #timer: NodeJS.Timeout;

  /**
   * Fails before the session rather than after it.
   * @throws {UsageError} when the file cannot be written.
   */
  constructor(options: SessionReportOptions) {
    this.#options = options;
    checkPage(options.file);
    this.#recorder = new RunRecorder({ engine: options.engine });
    this.#timer = setInterval(() => this.#recorder.onTimePassed(options.now()), SAMPLE_EVERY_MS);
  }

  onNotice(notice: Notice): void {
    this.#recorder.onNotice(notice);
  }

  /** Writes the page. Called once. */
  close(): void {
    clearInterval(this.#timer);
    writePage(this.#options.file, reportOfRun(this.#recorder.runRecord(this.#facts())));
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
