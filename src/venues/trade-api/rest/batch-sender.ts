// Sends several new orders, or several cancels, in one request. Must never let one order keep the others back: an order
// that cannot be written does not leave, and one whose order group must be created first leaves by itself.
import { must } from '../../../base/assert.ts';
import type { BatchedCommand, CancelCommand } from '../../../domain/venue-command.ts';
import type { Micros } from '../../../domain/units.ts';
import type { AnswerOutcome, BatchRefusal } from '../../../venue.ts';
import { type WireProfile, endpointOf, pathOf } from '../profiles/wire-profile.ts';
import type { SignableRequest } from '../signing/sign-text.ts';
import { codecOf } from '../wire/codec.ts';
import { splitOutcome } from './batch-answers.ts';
import type { BuiltRequest } from './request-builder.ts';
import { type VenueGuards, NO_VENUE_GUARDS } from './venue-guards.ts';

export interface BatchSenderOptions {
  readonly profile: WireProfile;
  readonly guards?: VenueGuards | undefined;
  /** The request of a command sent by itself. A string is the reason why there is none. */
  readonly requestOf: (command: BatchedCommand) => BuiltRequest | string | Promise<BuiltRequest | string>;
  readonly deliver: (request: BuiltRequest, signal: AbortSignal) => Promise<AnswerOutcome>;
  /** Called for each request whose path is the same for every batch. */
  readonly prepareSignatures: (request: SignableRequest) => void;
}

/** The outcome of a batch, for each of its commands. */
export interface BatchOutcome {
  readonly outcomes: readonly { readonly command: BatchedCommand; readonly outcome: AnswerOutcome }[];
  readonly refusal: BatchRefusal | null;
  /** The venue's clock, from the date of its answer; `null` without one. */
  readonly venueAt: Micros | null;
}

/** A command, and the request that it would be by itself. */
interface Ready {
  readonly command: BatchedCommand;
  readonly request: BuiltRequest;
}

/** Writes the batches of one session, and splits their answers. */
export class BatchSender {
  readonly #options: BatchSenderOptions;
  readonly #emptyBatch: string;

  constructor(options: BatchSenderOptions) {
    this.#options = options;
    this.#emptyBatch = codecOf(options.profile.records.createOrders).encodeText({ orders: [] });
  }

  /** Sends a batch. All its commands are of one type. */
  async sendBatch(commands: readonly BatchedCommand[], signal: AbortSignal): Promise<BatchOutcome> {
    const outcomes = new Map<BatchedCommand, AnswerOutcome>();
    const ready: Ready[] = [];
    const later: Promise<void>[] = [];
    for (const command of commands) {
      const made = this.#options.requestOf(command);
      if (typeof made === 'string') outcomes.set(command, notSent(made));
      else if (made instanceof Promise) later.push(this.#sendLater(command, made, { signal, outcomes }));
      else ready.push({ command, request: made });
    }
    const sent = await this.#sendReady(ready, signal);
    ready.forEach(({ command }, index) => outcomes.set(command, must(sent.outcomes[index], 'an outcome')));
    await Promise.all(later);
    return {
      outcomes: commands.map((command) => ({ command, outcome: must(outcomes.get(command), 'an outcome') })),
      refusal: sent.refusal,
      venueAt: sent.venueAt,
    };
  }

  async #sendLater(
    command: BatchedCommand,
    made: Promise<BuiltRequest | string>,
    { signal, outcomes }: { readonly signal: AbortSignal; readonly outcomes: Map<BatchedCommand, AnswerOutcome> },
  ): Promise<void> {
    const request = await made;
    const outcome = typeof request === 'string' ? notSent(request) : await this.#options.deliver(request, signal);
    outcomes.set(command, outcome);
  }

  async #sendReady(
    ready: readonly Ready[],
    signal: AbortSignal,
  ): Promise<Omit<BatchOutcome, 'outcomes'> & { readonly outcomes: readonly AnswerOutcome[] }> {
    const { profile, deliver } = this.#options;
    const [first] = ready;
    if (first === undefined) return { outcomes: [], refusal: null, venueAt: null };
    const whole = await deliver(ready.length === 1 ? first.request : this.#batchOf(ready), signal);
    const venueAt = whole.type === 'answered' ? whole.venueAt : null;
    if (ready.length === 1) return { outcomes: [whole], refusal: null, venueAt };
    const commands = ready.map(({ command }) => command);
    return { ...splitOutcome(profile, commands, whole), venueAt };
  }

  #batchOf(ready: readonly Ready[]): BuiltRequest {
    const cancels = ready.map(({ command }) => command).filter((command) => command.type === 'cancel');
    if (cancels.length > 0) return this.#request('cancelOrders', this.#cancelsText(cancels));
    // Each order has the body that it would have by itself.
    const bodies = ready.map(({ request }) => request.body ?? '').join(',');
    return this.#request(
      'createOrders',
      this.#emptyBatch.replace('[]', () => `[${bodies}]`),
    );
  }

  #cancelsText(commands: readonly CancelCommand[]): string {
    const { profile, guards = NO_VENUE_GUARDS } = this.#options;
    const { subaccount } = guards;
    const orders = commands.map(({ venueOrderId: orderId, ticker }) => ({ orderId, ticker, subaccount, shard: null }));
    return codecOf(profile.records.cancelOrders).encodeText({ orders });
  }

  #request(name: 'createOrders' | 'cancelOrders', body: string): BuiltRequest {
    const { profile, prepareSignatures } = this.#options;
    const endpoint = endpointOf(profile, name);
    const path = pathOf(profile, name);
    prepareSignatures({ method: endpoint.method, path });
    return { endpoint, path, body };
  }
}

const notSent = (reason: string): AnswerOutcome => ({ type: 'not-sent', reason });
