// Sends several new orders, or several cancels, in one request. Must never let one order that cannot be written keep the
// others back.
import type { BatchedCommand, CancelCommand } from '../../../domain/venue-command.ts';
import type { Micros } from '../../../domain/units.ts';
import type { AnswerOutcome, BatchAnswers } from '../../../venue.ts';
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
export interface BatchOutcome extends Pick<BatchAnswers, 'refusedFor'> {
  readonly outcomes: readonly { readonly command: BatchedCommand; readonly outcome: AnswerOutcome }[];
  /** The venue's clock, from the date of its answer; `null` without one. */
  readonly venueAt: Micros | null;
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
    const { profile, deliver } = this.#options;
    const outcomes = new Map<BatchedCommand, AnswerOutcome>();
    const cancels = commands.filter((command) => command.type === 'cancel');
    const bodies = cancels.length > 0 ? null : await this.#placeBodies(commands, outcomes);
    const leaving = commands.filter((command) => !outcomes.has(command));
    if (leaving.length === 0) return { outcomes: inSequence(commands, outcomes), venueAt: null, refusedFor: null };
    const whole = await deliver(bodies === null ? this.#cancelBatch(cancels) : this.#placeBatch(bodies), signal);
    const split = splitOutcome(profile, leaving, whole);
    leaving.forEach((command, index) => outcomes.set(command, split.outcomes[index] ?? whole));
    return {
      outcomes: inSequence(commands, outcomes),
      venueAt: whole.type === 'answered' ? whole.venueAt : null,
      refusedFor: split.refusedFor,
    };
  }

  /** The bodies of the orders that can be written. The others get their outcome at once. */
  async #placeBodies(
    commands: readonly BatchedCommand[],
    outcomes: Map<BatchedCommand, AnswerOutcome>,
  ): Promise<readonly string[]> {
    const bodies: string[] = [];
    for (const command of commands) {
      const pending = this.#options.requestOf(command);
      const request = pending instanceof Promise ? await pending : pending;
      if (typeof request === 'string') outcomes.set(command, { type: 'not-sent', reason: request });
      else bodies.push(request.body ?? '');
    }
    return bodies;
  }

  /** A request with the body that each order would have by itself. */
  #placeBatch(bodies: readonly string[]): BuiltRequest {
    return this.#request(
      'createOrders',
      this.#emptyBatch.replace('[]', () => `[${bodies.join(',')}]`),
    );
  }

  #cancelBatch(commands: readonly CancelCommand[]): BuiltRequest {
    const { profile, guards = NO_VENUE_GUARDS } = this.#options;
    const { subaccount } = guards;
    const orders = commands.map(({ venueOrderId: orderId, ticker }) => ({ orderId, ticker, subaccount, shard: null }));
    return this.#request('cancelOrders', codecOf(profile.records.cancelOrders).encodeText({ orders }));
  }

  #request(name: 'createOrders' | 'cancelOrders', body: string): BuiltRequest {
    const { profile, prepareSignatures } = this.#options;
    const endpoint = endpointOf(profile, name);
    const path = pathOf(profile, name);
    prepareSignatures({ method: endpoint.method, path });
    return { endpoint, path, body };
  }
}

const inSequence = (
  commands: readonly BatchedCommand[],
  outcomes: ReadonlyMap<BatchedCommand, AnswerOutcome>,
): BatchOutcome['outcomes'] =>
  commands.flatMap((command) => {
    const outcome = outcomes.get(command);
    return outcome === undefined ? [] : [{ command, outcome }];
  });
