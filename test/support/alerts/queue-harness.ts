// A queue with a clock of its own and a record of everything that it sent and saved.
import { AlertQueue, type AlertDelivery, type DeliveryOutcome } from '../../../src/alerts/queue/alert-queue.ts';
import { type QueueChange, stateAfter } from '../../../src/alerts/queue/queue-changes.ts';
import type { TargetPolicy } from '../../../src/alerts/queue/target-lane.ts';
import type { AlertDraft } from '../../../src/alerts/record/alert-record.ts';
import { aDraft } from './alert-drafts.ts';

/** A delivery and its time. */
export interface SentDelivery extends AlertDelivery {
  readonly atMs: number;
}

export const aPolicy = (given: Partial<TargetPolicy> = {}): TargetPolicy => ({
  name: 'phone',
  severity: 'info',
  quiet: null,
  ...given,
});

/** Monday noon, in UTC. */
export const NOON = Date.UTC(2026, 10, 23, 12);

export class QueueHarness {
  nowMs = NOON;
  /** Outcome of each delivery. */
  answer: (delivery: AlertDelivery) => DeliveryOutcome = () => ({ type: 'sent' });
  readonly attempts: SentDelivery[] = [];
  readonly sent: SentDelivery[] = [];
  readonly changes: QueueChange[];
  readonly queue: AlertQueue;
  #ids = 0;

  constructor(targets: readonly TargetPolicy[] = [aPolicy()], earlier: readonly QueueChange[] = []) {
    this.changes = [...earlier];
    this.#ids = earlier.length * 10;
    this.queue = new AlertQueue({
      bot: 'demo',
      link: null,
      targets,
      state: stateAfter(earlier),
      makeId: () => `id-${++this.#ids}`,
      random: () => 0.5,
      onChange: (change) => void this.changes.push(change),
    });
  }

  fire(given: Partial<AlertDraft> = {}): void {
    this.queue.submitAct({ type: 'firing', draft: aDraft(given) }, this.nowMs);
  }

  end(code = 'feed-down', scope = ''): void {
    this.queue.submitAct({ type: 'over', code, scope, happened: 'It is over.' }, this.nowMs);
  }

  endExcept(code: string, scopes: readonly string[]): void {
    this.queue.submitAct({ type: 'over-except', code, scopes, happened: 'It is over.' }, this.nowMs);
  }

  /** Sends what is due now. */
  step(): void {
    for (const delivery of this.queue.takeDeliveries(this.nowMs)) {
      const sent = { ...delivery, atMs: this.nowMs };
      this.attempts.push(sent);
      const outcome = this.answer(delivery);
      if (outcome.type === 'sent') this.sent.push(sent);
      this.queue.onOutcome(delivery.target, outcome, this.nowMs);
    }
  }

  /** Lets time pass, in steps of a second. */
  pass(ms: number, stepMs = 1000): void {
    for (const end = this.nowMs + ms; this.nowMs < end; this.step()) this.nowMs += stepMs;
  }

  get codes(): string[] {
    return this.sent.map(({ message }) => (message.state === 'over' ? `over ${message.code}` : message.code));
  }
}
