// Sends several new orders, or several cancels, in one request. Must never let one order keep the others back: an order
// that cannot be written does not leave, and one whose order group must be created first leaves by itself.
import { must } from '../../../base/assert.ts';
import type { BatchedCommand, CancelCommand } from '../../../domain/venue-command.ts';
import type { Micros } from '../../../domain/units.ts';
import type { AnswerOutcome, BatchRefusal, LastLook } from '../../../venue.ts';
import type { HttpRequest } from '../../../transport/http-client.ts';
import { type WireProfile, endpointOf, pathOf } from '../profiles/wire-profile.ts';
import type { SignedHeaders } from '../signing/authorizer.ts';
import type { SignableRequest } from '../signing/sign-text.ts';
import { codecOf } from '../wire/codec.ts';
import { splitOutcome } from './batch-answers.ts';
import type { BuiltRequest } from './request-builder.ts';
import { type VenueGuards, NO_VENUE_GUARDS } from './venue-guards.ts';

/** The request of a command, or the reason why there is none. Later when its order group must be created first. */
export type PendingRequest = BuiltRequest | string | Promise<BuiltRequest | string>;

/** The headers of a request, or the reason why there are none. Later when another thread signs. */
export type PendingHeaders = SignedHeaders | string | Promise<SignedHeaders | string>;

/** The time allowed for a request, and the ways to give it up: a signal, and a last look after each wait. */
export interface Sending {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly lastLook: LastLook | undefined;
}

/** The terms of one request to the client. */
export type Delivery = Pick<HttpRequest, 'timeoutMs' | 'signal' | 'lastLook'>;

export interface BatchSenderOptions {
  readonly profile: WireProfile;
  readonly guards?: VenueGuards | undefined;
  /** The request of a command sent by itself. */
  readonly requestOf: (command: BatchedCommand) => PendingRequest;
  readonly sign: (request: BuiltRequest) => PendingHeaders;
  readonly deliver: (
    request: BuiltRequest,
    headers: SignedHeaders | string,
    delivery: Delivery,
  ) => Promise<AnswerOutcome>;
  readonly sendAlone: (command: BatchedCommand, request: PendingRequest, sending: Sending) => Promise<AnswerOutcome>;
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
interface Pending {
  readonly command: BatchedCommand;
  readonly request: PendingRequest;
}
interface Ready extends Pending {
  readonly request: BuiltRequest;
}

interface SignedBatch {
  readonly request: BuiltRequest;
  readonly headers: SignedHeaders | string;
  readonly sending: Sending;
}

/** Added once for each command, when its outcome is known. */
type Outcomes = Map<BatchedCommand, AnswerOutcome>;

/** Writes the batches of one session, and splits their answers. */
export class BatchSender {
  readonly #options: BatchSenderOptions;
  readonly #emptyBatch: string;

  constructor(options: BatchSenderOptions) {
    this.#options = options;
    this.#emptyBatch = codecOf(options.profile.records.createOrders).encodeText({ orders: [] });
  }

  /** Sends a batch. All its commands are of one type. */
  async sendBatch(commands: readonly BatchedCommand[], sending: Sending): Promise<BatchOutcome> {
    const outcomes: Outcomes = new Map();
    const ready: Ready[] = [];
    const later: Promise<AnswerOutcome>[] = [];
    for (const command of commands) {
      const made = this.#options.requestOf(command);
      if (typeof made === 'string') outcomes.set(command, notSent(made));
      else if (made instanceof Promise) later.push(this.#sendAlone({ command, request: made }, sending, outcomes));
      else ready.push({ command, request: made });
    }
    const { refusal, venueAt } = await this.#sendReady(ready, sending, outcomes);
    await Promise.all(later);
    return {
      outcomes: commands.map((command) => ({ command, outcome: must(outcomes.get(command), 'an outcome') })),
      refusal,
      venueAt,
    };
  }

  async #sendAlone({ command, request }: Pending, sending: Sending, outcomes: Outcomes): Promise<AnswerOutcome> {
    const outcome = await this.#options.sendAlone(command, request, sending);
    outcomes.set(command, outcome);
    return outcome;
  }

  /** Sends what may leave in one request. Each wait, for a signature or a connection, may leave fewer orders. */
  async #sendReady(
    ready: readonly Ready[],
    sending: Sending,
    outcomes: Outcomes,
  ): Promise<Omit<BatchOutcome, 'outcomes'>> {
    const [first] = ready;
    if (first === undefined) return { refusal: null, venueAt: null };
    if (ready.length === 1)
      return { refusal: null, venueAt: venueTimeIn(await this.#sendAlone(first, sending, outcomes)) };
    const request = this.#batchOf(ready);
    const signed = this.#options.sign(request);
    if (!(signed instanceof Promise)) return this.#deliver(ready, { request, headers: signed, sending }, outcomes);
    const headers = await signed;
    const leaving = ready.filter(({ command }) => mayLeave(command, sending, outcomes));
    if (leaving.length < ready.length) return this.#sendReady(leaving, sending, outcomes);
    return this.#deliver(ready, { request, headers, sending }, outcomes);
  }

  async #deliver(
    ready: readonly Ready[],
    { request, headers, sending }: SignedBatch,
    outcomes: Outcomes,
  ): Promise<Omit<BatchOutcome, 'outcomes'>> {
    const { profile, deliver } = this.#options;
    const { timeoutMs, signal } = sending;
    let leaving = ready;
    const lastLook = (): string | null => {
      leaving = ready.filter(({ command }) => mayLeave(command, sending, outcomes));
      return leaving.length < ready.length ? 'not every order of the batch may leave' : null;
    };
    const whole = await deliver(request, headers, { timeoutMs, signal, lastLook });
    if (leaving.length < ready.length) return this.#sendReady(leaving, sending, outcomes);
    const commands = ready.map(({ command }) => command);
    const split = splitOutcome(profile, commands, whole);
    commands.forEach((command, index) => outcomes.set(command, must(split.outcomes[index], 'an outcome')));
    return { refusal: split.refusal, venueAt: venueTimeIn(whole) };
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

/** Looks at a command after a wait. One that must not leave any more is not sent. */
function mayLeave(command: BatchedCommand, { lastLook }: Sending, outcomes: Outcomes): boolean {
  const blocked = lastLook?.(command) ?? null;
  if (blocked !== null) outcomes.set(command, notSent(blocked));
  return blocked === null;
}

const venueTimeIn = (outcome: AnswerOutcome): Micros | null => (outcome.type === 'answered' ? outcome.venueAt : null);

/** The outcome of a request that did not leave. */
export const notSent = (reason: string): AnswerOutcome => ({ type: 'not-sent', reason });
