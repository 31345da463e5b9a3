// Sends the alerts of one process: takes acts (conditions that were seen or have ended), and hands messages to the
// targets. Must never make a source wait, never throw into one, and never log a secret. All work is done in turns of
// the event loop: a worker thread would seem alive while that loop hangs.
import { randomUUID } from 'node:crypto';
import type { Logger } from '../../log.ts';
import { type Scheduler, type Timer, systemScheduler } from '../../transport/scheduler.ts';
import { AlertQueue, type AlertDelivery } from '../queue/alert-queue.ts';
import type { QueueChange } from '../queue/queue-changes.ts';
import type { AlertAct } from '../record/alert-record.ts';
import type { AlertTarget, SendResult } from '../targets/alert-target.ts';
import { ActRing } from './act-ring.ts';
import { AlertFile } from './alert-file.ts';

/** Options of the service. */
export interface AlertServiceOptions {
  readonly bot: string;
  readonly link: string | null;
  readonly targets: readonly AlertTarget[];
  /** `null` keeps the queue in memory only. */
  readonly file: string | null;
  readonly log: Logger;
  readonly scheduler?: Scheduler;
  /** Wall clock, milliseconds. Default: the machine's. */
  readonly now?: () => number;
  /** Default: `Math.random`. */
  readonly random?: () => number;
}

/** Result of a delivery, as the metrics name it. */
export type AlertResult = 'sent' | 'failed' | 'dropped';

/** Deliveries since the process started, and the number of records that wait for more than the end of quiet hours. */
export interface AlertServiceFigures {
  readonly sent: readonly { readonly target: string; readonly result: AlertResult; readonly count: number }[];
  readonly waiting: number;
}

const RESULTS = { sent: 'sent', refused: 'failed', 'given-up': 'failed', dropped: 'dropped' } as const;

const TICK_MS = 1000;

/** The alerts of one process. */
export class AlertService {
  readonly #options: AlertServiceOptions;
  readonly #scheduler: Scheduler;
  readonly #now: () => number;
  readonly #ring = new ActRing();
  readonly #file: AlertFile;
  readonly #queue: AlertQueue;
  readonly #targets: ReadonlyMap<string, AlertTarget>;
  readonly #sending = new Set<Promise<void>>();
  /** Number of finished records, by target and result. */
  readonly #settled = new Map<string, { readonly target: string; readonly result: AlertResult; count: number }>();
  #isDrainScheduled = false;
  #isClosed = false;
  #timer: Timer | null = null;

  constructor(options: AlertServiceOptions) {
    const { bot, link, targets, file, log } = options;
    this.#options = options;
    this.#scheduler = options.scheduler ?? systemScheduler;
    this.#now = options.now ?? Date.now;
    this.#targets = new Map(targets.map((target) => [target.policy.name, target]));
    this.#file = new AlertFile({
      file,
      onLost: (reason) => log.error({ file, reason }, 'alerts that wait are kept in memory only: their file is lost'),
      onRegained: () => log.info({ file }, 'alerts that wait are kept in their file again'),
    });
    this.#queue = new AlertQueue({
      bot,
      link,
      targets: targets.map(({ policy }) => policy),
      state: this.#file.state,
      makeId: randomUUID,
      random: options.random ?? Math.random,
      onChange: (change) => this.#onChange(change),
    });
    this.#scheduleTick();
  }

  get waiting(): number {
    return this.#queue.countDue(this.#now());
  }

  get figures(): AlertServiceFigures {
    return { sent: [...this.#settled.values()], waiting: this.waiting };
  }

  /** Returns at once. */
  submitActs(acts: readonly AlertAct[]): void {
    if (acts.length === 0 || this.#isClosed) return;
    for (const act of acts) this.#ring.push(act);
    if (this.#isDrainScheduled) return;
    this.#isDrainScheduled = true;
    this.#scheduler.soon(() => {
      this.#isDrainScheduled = false;
      this.#advance();
    });
  }

  #scheduleTick(): void {
    this.#timer = this.#scheduler.after(TICK_MS, () => {
      this.#advance();
      if (!this.#isClosed) this.#scheduleTick();
    });
  }

  /** A fault here is logged: it is no reason to stop trading. */
  #advance(): void {
    if (this.#isClosed) return;
    try {
      const nowMs = this.#now();
      if (this.#ring.dropped > 0)
        this.#options.log.warn({ dropped: this.#ring.dropped }, 'more alerts at once than the ring holds');
      for (const act of this.#ring.takeActs()) this.#queue.submitAct(act, nowMs);
      for (const delivery of this.#queue.takeDeliveries(nowMs)) this.#start(delivery);
      this.#file.maintain(() => this.#queue.compactChanges(), nowMs);
    } catch (fault) {
      this.#options.log.error({ err: fault }, 'the alerts could not be handled');
    }
  }

  #start(delivery: AlertDelivery): void {
    const sending = this.#send(delivery).catch((fault: unknown) =>
      this.#options.log.error({ err: fault }, 'an alert could not be handled'),
    );
    this.#sending.add(sending);
    void sending.finally(() => this.#sending.delete(sending));
  }

  async #send({ target, message, records }: AlertDelivery): Promise<void> {
    const result = await this.#targets.get(target)?.send(message);
    if (result === undefined) return;
    this.#queue.onOutcome(target, result.outcome, this.#now());
    this.#logResult(result, { target, records, id: message.id, code: message.code });
  }

  #logResult({ outcome, words }: SendResult, fields: Record<string, unknown>): void {
    const { log } = this.#options;
    if (outcome.type === 'sent') log.info(fields, 'alert sent');
    else if (outcome.type === 'refused') log.error({ ...fields, answer: words }, 'the receiver refused an alert');
    else log.warn({ ...fields, answer: words }, 'an alert was not delivered; it is tried again');
  }

  #onChange(change: QueueChange): void {
    this.#file.appendChange(change);
    if (change.type === 'settled') this.#countSettled(change.target, RESULTS[change.outcome]);
    if (change.type !== 'settled' || change.outcome === 'sent' || change.outcome === 'refused') return;
    this.#options.log.error({ target: change.target, id: change.id }, `alert not delivered: ${change.outcome}`);
  }

  #countSettled(target: string, result: AlertResult): void {
    const key = `${result} ${target}`;
    const known = this.#settled.get(key) ?? { target, result, count: 0 };
    known.count += 1;
    this.#settled.set(key, known);
  }

  /**
   * Sends due records for at most the given time, and saves the rest for the next start.
   * @param withinMs milliseconds.
   */
  async close(withinMs: number): Promise<void> {
    if (this.#isClosed) return;
    await this.#drain(withinMs);
    if (!this.#file.isTakenOver()) this.#queue.saveCounts();
    this.#isClosed = true;
    if (this.#timer) this.#scheduler.cancel(this.#timer);
    await this.#waitAtMost(this.#file.flush(), FLUSH_MS_MAX);
  }

  async #drain(withinMs: number): Promise<void> {
    const endAt = this.#scheduler.now() + withinMs;
    this.#advance();
    for (let left = withinMs; left > 0 && this.waiting > 0; left = endAt - this.#scheduler.now()) {
      await this.#waitAtMost(Promise.allSettled(this.#sending), Math.min(left, TICK_MS));
      await this.#waitAtMost(NEVER, Math.min(left, DRAIN_PAUSE_MS));
      if (this.#file.isTakenOver()) return;
      this.#advance();
    }
  }

  async #waitAtMost(awaited: Promise<unknown>, limitMs: number): Promise<void> {
    let timer: Timer | null = null;
    const timedOut = new Promise<void>((resolve) => {
      timer = this.#scheduler.after(limitMs, resolve);
    });
    await Promise.race([awaited, timedOut]);
    if (timer) this.#scheduler.cancel(timer);
  }
}

const NEVER = new Promise<never>(() => undefined);
const DRAIN_PAUSE_MS = 50;
/** Longest wait for the last lines on a slow disk. */
const FLUSH_MS_MAX = 2000;
