// Alerts of the watchdog process: a dead or hanging bot, and the canceled orders. They have a separate queue and file:
// the bot writes to its own until its death. Must never delay a cancel.
import { join } from 'node:path';
import { AlertService } from '../../alerts/delivery/alert-service.ts';
import type { AlertDraft } from '../../alerts/record/alert-record.ts';
import { type Strike, draftOfStrike, strikeCode } from '../../alerts/record/strike-drafts.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import type { Logger } from '../../log.ts';
import type { CancelSweepResult } from '../../runtime/session/cancel-sweep.ts';
import { botNameOf, openTargets } from '../alerts/open-alerts.ts';
import { UsageError } from '../usage-error.ts';

/** Name of the file with the watchdog's waiting alerts, in the data folder. */
export const WATCHDOG_ALERTS_FILE = 'alerts.watchdog.jsonl';

/** Maximum wait for the cancels, milliseconds. A later result is a second message. */
const CANCELED_WITHIN_MS = 5000;

export interface StrikeAlertsOptions {
  readonly config: Pick<BotConfig, 'alerts'>;
  readonly file: string;
  readonly dataFolder: string;
  readonly log: Logger;
}

/** The watchdog's alerts. */
export class StrikeAlerts {
  readonly #options: StrikeAlertsOptions;
  readonly #service: AlertService;
  /** The bot is the parent of this process for as long as it lives. */
  readonly #pid = process.ppid;
  #reporting: Promise<unknown> = Promise.resolve();

  private constructor(options: StrikeAlertsOptions, service: AlertService) {
    this.#options = options;
    this.#service = service;
  }

  /**
   * Opens the targets of a config. Returns `null` without the section `alerts`, and when a secret cannot be used:
   * cancels matter more.
   */
  static open(options: StrikeAlertsOptions): StrikeAlerts | null {
    const { config, file, dataFolder, log } = options;
    if (config.alerts === undefined) return null;
    try {
      const service = new AlertService({
        bot: botNameOf(file),
        link: config.alerts.link ?? null,
        targets: openTargets(config.alerts),
        file: join(dataFolder, WATCHDOG_ALERTS_FILE),
        log,
      });
      return new StrikeAlerts(options, service);
    } catch (fault) {
      if (!(fault instanceof UsageError)) throw fault;
      log.error({ problem: fault.message }, 'the watchdog sends no alerts');
      return null;
    }
  }

  /**
   * Reports a dead or hanging bot, and the result of `canceling`. If the cancels take long, the result follows in a
   * second message.
   */
  reportStrike(strike: Pick<Strike, 'cause' | 'session' | 'silentMs'>, canceling: Promise<CancelSweepResult>): void {
    const whole: Strike = {
      ...strike,
      bot: botNameOf(this.#options.file),
      configFile: this.#options.file,
      pid: this.#pid,
      at: new Date().toISOString(),
    };
    this.#reporting = Promise.all([this.#reporting, this.#report(whole, canceling)]);
  }

  async #report(strike: Strike, canceling: Promise<CancelSweepResult>): Promise<void> {
    const early = await Promise.race([canceling, pause(CANCELED_WITHIN_MS)]);
    this.#fire(draftOfStrike(strike, early));
    if (early !== null) return;
    const draft = draftOfStrike(strike, await canceling);
    // A scope of its own makes the result a separate message.
    this.#fire({ ...draft, scope: `${draft.scope}/result` });
  }

  #fire(draft: AlertDraft): void {
    this.#service.submitActs([{ type: 'firing', draft }]);
  }

  onReturn(session: string): void {
    const happened = 'The bot gives signs of life again. The account stays halted until a person resumes it.';
    this.#service.submitActs([{ type: 'over', code: strikeCode('hung'), scope: session, happened }]);
  }

  /** Waits for the delivery of the alerts, at most for the given time. The next watchdog sends the rest. */
  async close(withinMs: number): Promise<void> {
    await this.#reporting;
    await this.#service.close(withinMs);
  }
}

const pause = (ms: number): Promise<null> => new Promise((resolve) => void setTimeout(() => resolve(null), ms).unref());
