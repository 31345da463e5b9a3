// Measures a session: the arriving inputs, and the time that an order or a cancel spends in each stage. Must never
// decide anything, and never cost more than some additions.
import type { Micros } from '../../domain/units.ts';
import type { Command, FeedCommand, RequestCommand } from '../../domain/venue-command.ts';
import type { Answer, Input } from '../../venue.ts';
import { type LatencyCounts, LatencyHistogram } from './latency-histogram.ts';

/**
 * Stages of an order. `frame_to_intent` lasts from the receipt of a frame to the end of the engine's step.
 * `intent_to_send` lasts from there to the call of the gateway, with the write of the journal and any wait for the
 * budget. `send_to_ack` lasts from the first byte of a new, amended or decreased order to the venue's answer.
 * `cancel_to_ack` lasts from the event that caused a cancel to the venue's answer.
 */
export const ORDER_STAGES = ['frame_to_intent', 'intent_to_send', 'send_to_ack', 'cancel_to_ack'] as const;
export type OrderStage = (typeof ORDER_STAGES)[number];

/** Kinds of input: a frame of the feed, a change of the connection, an answer to a request, a session event. */
export const INPUT_KINDS = ['frame', 'signal', 'answer', 'event'] as const;
export type InputKind = (typeof INPUT_KINDS)[number];

/** Commands that repair a feed or a book, from the mildest to the most drastic. */
export const RESYNC_STEPS = ['resync', 'renew', 'renew-private', 'reconnect'] as const;
export type ResyncStep = (typeof RESYNC_STEPS)[number];

/** The counts of a meter as plain numbers. */
export interface MeterFigures {
  readonly inputs: Readonly<Record<InputKind, number>>;
  readonly stages: Readonly<Record<OrderStage, LatencyCounts>>;
  /** Writes of the journal that orders waited for. */
  readonly journalWrites: LatencyCounts;
  readonly resyncs: Readonly<Record<ResyncStep, number>>;
}

/** Measures one session. */
export class SessionMeter {
  readonly #stages: Readonly<Record<OrderStage, LatencyHistogram>> = {
    frame_to_intent: new LatencyHistogram(),
    intent_to_send: new LatencyHistogram(),
    send_to_ack: new LatencyHistogram(),
    cancel_to_ack: new LatencyHistogram(),
  };
  readonly #journalWrites = new LatencyHistogram();
  readonly #resyncs: Record<ResyncStep, number> = { resync: 0, renew: 0, 'renew-private': 0, reconnect: 0 };
  #frames = 0;
  #signals = 0;
  #answers = 0;
  #events = 0;
  /** Time of receipt of the current frame; `null` while the current input is no frame. */
  #frameAt: Micros | null = null;
  /** Time of the event in the latest step that released commands. `#decidedAt` is when that step ended. */
  #eventAt = 0;
  #decidedAt = 0;

  onInput(input: Input): void {
    this.#frameAt = null;
    if (input.type === 'frame') {
      this.#frames += 1;
      this.#frameAt = input.at;
    } else if (input.type === 'answer') this.#answers += 1;
    else if (input.type === 'event') this.#events += 1;
    else this.#signals += 1;
  }

  /** Records the end of a step that released commands. `eventAt` is the time of the step's event. */
  onDecided(commands: readonly Command[], eventAt: Micros, now: Micros): void {
    this.#eventAt = eventAt;
    this.#decidedAt = now;
    if (this.#frameAt !== null && commands.some((command) => command.createdAt >= eventAt && isOfOrder(command)))
      this.#stages.frame_to_intent.addDuration(now - this.#frameAt);
  }

  /** Records that the step's commands have been written to the journal. */
  onJournaled(now: Micros): void {
    this.#journalWrites.addDuration(now - this.#decidedAt);
  }

  /** Returns when a command was decided: at the end of the current step, or at an earlier event when it has waited. */
  decidedAt({ createdAt }: Command): number {
    return createdAt >= this.#eventAt ? this.#decidedAt : createdAt;
  }

  onFeedCommand({ type }: FeedCommand): void {
    if (type !== 'subscribe' && type !== 'unsubscribe') this.#resyncs[type] += 1;
  }

  onSend(command: RequestCommand, decidedAt: number, now: Micros): void {
    if (isOfOrder(command)) this.#stages.intent_to_send.addDuration(now - decidedAt);
  }

  /** Records an answer. Only an answer of the venue is an acknowledgment. */
  onAnswer({ command, outcome, at, askedAt }: Answer): void {
    if (outcome.type !== 'answered' || !isOfOrder(command)) return;
    if (command.type === 'cancel') this.#stages.cancel_to_ack.addDuration(at - command.createdAt);
    else this.#stages.send_to_ack.addDuration(at - askedAt);
  }

  read(): MeterFigures {
    const stages = this.#stages;
    return {
      inputs: { frame: this.#frames, signal: this.#signals, answer: this.#answers, event: this.#events },
      stages: {
        frame_to_intent: stages.frame_to_intent.read(),
        intent_to_send: stages.intent_to_send.read(),
        send_to_ack: stages.send_to_ack.read(),
        cancel_to_ack: stages.cancel_to_ack.read(),
      },
      journalWrites: this.#journalWrites.read(),
      resyncs: { ...this.#resyncs },
    };
  }
}

function isOfOrder({ type }: Command): boolean {
  return type === 'place' || type === 'cancel' || type === 'amend' || type === 'decrease';
}
