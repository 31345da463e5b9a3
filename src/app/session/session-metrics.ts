// The metrics of one running session: counts of its notices, and its figures at each scrape. Must never act on the
// counts.
import type { AlertServiceFigures } from '../../alerts/delivery/alert-service.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import { type BotFigures, botFigures } from '../../metrics/bot-figures.ts';
import { MachineMeter } from '../../metrics/machine-meter.ts';
import { TradeCounts } from '../../metrics/trade-counts.ts';
import type { LiveSessionPart } from '../../runtime/follow/follow-messages.ts';
import type { SessionMeter } from '../../runtime/session/session-meter.ts';

/** The parts of a session that are measured. */
export interface SessionMetricsOptions {
  readonly readSession: () => LiveSessionPart;
  readonly meter: SessionMeter;
  readonly readAlerts?: (() => AlertServiceFigures | null) | undefined;
  readonly folder: string;
  readonly gc: boolean;
}

/** Metrics of one session. */
export class SessionMetrics {
  readonly #options: SessionMetricsOptions;
  readonly #trades = new TradeCounts();
  readonly #machine: MachineMeter;

  constructor(options: SessionMetricsOptions) {
    this.#options = options;
    this.#machine = new MachineMeter(options);
  }

  countNotice(notice: Notice): void {
    this.#trades.countNotice(notice);
  }

  async readFigures(): Promise<BotFigures> {
    const machine = await this.#machine.read();
    const { readSession, readAlerts, meter } = this.#options;
    const alerts = readAlerts?.() ?? null;
    const figures = botFigures({ session: readSession(), trades: this.#trades, meter: meter.read(), machine });
    return alerts === null ? figures : { ...figures, alerts: { sent: [...alerts.sent], waiting: alerts.waiting } };
  }

  close(): void {
    this.#machine.close();
  }
}
