// Sends commands to a `trade-api` exchange and returns the raw outcomes. Builds, signs, sends once, and never rejects.
// Must never send an order twice: when the outcome is unknown, the caller must look the order up.
import type { PlaceCommand, RequestCommand } from '../../domain/command.ts';
import { type Micros, type Qty, fromMillis, fromSeconds } from '../../domain/units.ts';
import { ClockOffset, type ClockSample } from '../../state/clock-offset.ts';
import {
  type HttpClient,
  type HttpHeaders,
  type HttpOutcome,
  type HttpRequest,
  headerOf,
} from '../../transport/http.ts';
import type { Answer, AnswerOutcome, Gateway } from '../../venue.ts';
import { type Scheduler, systemScheduler } from '../../transport/scheduler.ts';
import { Authorizer, type Credential, type RequestSigner, type SignedHeaders } from './authorize.ts';
import { type Guards, NO_GUARDS } from './guards.ts';
import { type MadeGroup, OrderGroups } from './order-groups.ts';
import type { WireProfile } from './profile.ts';
import { type BuiltRequest, RequestBuilder } from './requests.ts';
import { Shards } from './shards.ts';
import { parseError } from './wire/errors.ts';
import { WireFault } from './wire/fault.ts';

export interface TradeApiGatewayOptions {
  readonly profile: WireProfile;
  readonly http: HttpClient;
  /** `null` reads public data only, and sends nothing that needs a key. */
  readonly credential: Credential | null;
  /** Guard rails that the venue enforces. Default: none. */
  readonly guards?: Guards;
  /**
   * Contracts that may trade in any fifteen seconds before the venue cancels all resting orders. Default: unlimited.
   */
  readonly orderGroupQty?: Qty | null;
  /** Shards of markets, as reads report them. */
  readonly shards?: Shards;
  /** Our clock. */
  readonly clock: () => Micros;
  /** Receives a sample of the venue's clock from each answer, before the answer is dated. */
  readonly onVenueTime?: (sample: ClockSample) => void;
  /** Replaces signing with the credential, for environments without keys. */
  readonly signer?: RequestSigner;
  readonly scheduler?: Scheduler;
  /** Total time allowed for a request. */
  readonly orderTimeoutMs: number;
  readonly readTimeoutMs: number;
}

/** A `Gateway` over one HTTP client. */
export class TradeApiGateway implements Gateway {
  readonly #options: TradeApiGatewayOptions;
  readonly #builder: RequestBuilder;
  readonly #groups: OrderGroups | null;
  /** Builders of orders that belong to an order group, by group id. */
  readonly #buildersByGroup = new Map<string, RequestBuilder>();
  readonly #shards: Shards;
  readonly #authorizer: RequestSigner | null;
  readonly #offset = new ClockOffset();

  constructor(options: TradeApiGatewayOptions) {
    const { profile, credential, guards } = options;
    this.#options = options;
    this.#builder = new RequestBuilder(profile, guards);
    this.#shards = options.shards ?? new Shards();
    this.#groups = this.#makeGroups();
    this.#authorizer = options.signer ?? (credential === null ? null : this.#makeAuthorizer(credential));
  }

  #makeAuthorizer(credential: Credential): Authorizer {
    const { profile, scheduler = systemScheduler } = this.#options;
    const prepared = [{ method: profile.endpoints.createOrder.method, path: this.#builder.createPath }];
    return new Authorizer({ profile, credential, prepared, scheduler, venueNow: () => this.#venueNow() });
  }

  #makeGroups(): OrderGroups | null {
    const { profile, orderGroupQty: limit = null, guards, orderTimeoutMs: timeoutMs } = this.#options;
    if (limit === null) return null;
    const { subaccount } = guards ?? NO_GUARDS;
    return new OrderGroups({ profile, limit, subaccount, send: (request) => this.#deliver(request, { timeoutMs }) });
  }

  /** The headers that open the feed; `null` without a key. */
  signHandshake(): SignedHeaders | Promise<SignedHeaders> | null {
    return this.#authorizer?.headersOf({ method: 'GET', path: this.#options.profile.feed.path }) ?? null;
  }

  async send(command: RequestCommand, signal: AbortSignal): Promise<Answer> {
    const askedAt = this.#options.clock();
    const outcome = await this.#sendCommand(command, signal);
    if (outcome.type === 'answered' && outcome.venueAt !== null) this.#recordVenueTime(askedAt, outcome.venueAt);
    return { type: 'answer', at: this.#options.clock(), askedAt, command, outcome };
  }

  #recordVenueTime(sentAt: Micros, venueAt: Micros): void {
    const { clock, onVenueTime } = this.#options;
    onVenueTime?.({ sentAt, receivedAt: clock(), venueAt });
    this.#offset.observe({ sentAt, receivedAt: clock(), venueAt });
  }

  async warm(): Promise<void> {
    await this.#authorizer?.warm();
    await this.#options.http.warm();
  }

  async stop(): Promise<void> {
    await this.#groups?.close();
    this.#authorizer?.stop();
    await this.#options.http.stop();
  }

  async #sendCommand(command: RequestCommand, signal: AbortSignal): Promise<AnswerOutcome> {
    const { orderTimeoutMs, readTimeoutMs } = this.#options;
    const pending = this.#builderOf(command);
    const builder = pending instanceof Promise ? await pending : pending;
    const request = typeof builder === 'string' ? builder : buildOrExplain(builder, command);
    if (typeof request === 'string') return { type: 'not-sent', reason: request };
    const timeoutMs = command.type === 'read' ? readTimeoutMs : orderTimeoutMs;
    const outcome = await this.#deliver(request, { signal, timeoutMs });
    if (command.type === 'place') this.#checkGroup(command, outcome);
    return outcome;
  }

  /** Marks the shard's order group as triggered when the refusal says so. The normalizer halts on the same refusal. */
  #checkGroup({ ticker }: PlaceCommand, outcome: AnswerOutcome): void {
    if (this.#groups === null || outcome.type !== 'answered' || outcome.status < 400) return;
    const { code } = parseError(outcome.status, outcome.body);
    if (code === this.#options.profile.errors.groupSpent) this.#groups.spent(this.#shards.of(ticker));
  }

  /** The builder for a command; for a new order, the one with its order group. A string says why there is none. */
  #builderOf(command: RequestCommand): RequestBuilder | string | Promise<RequestBuilder | string> {
    if (command.type !== 'place' || this.#groups === null) return this.#builder;
    const group = this.#groups.on(this.#shards.of(command.ticker));
    return group instanceof Promise
      ? group.then((made) => this.#builderWithGroup(made))
      : this.#builderWithGroup(group);
  }

  #builderWithGroup(group: MadeGroup): RequestBuilder | string {
    if ('reason' in group) return group.reason;
    const { profile, guards = NO_GUARDS } = this.#options;
    const known = this.#buildersByGroup.get(group.groupId);
    const builder = known ?? new RequestBuilder(profile, { ...guards, groupId: group.groupId });
    this.#buildersByGroup.set(group.groupId, builder);
    return builder;
  }

  async #deliver(request: BuiltRequest, how: Pick<HttpRequest, 'timeoutMs' | 'signal'>): Promise<AnswerOutcome> {
    const signed = this.#headersOf(request);
    // A synchronous signer must lead to a synchronous send, within this turn.
    const headers = signed instanceof Promise ? await signed : signed;
    if (typeof headers === 'string') return { type: 'not-sent', reason: headers };
    const { endpoint, path, body } = request;
    const { method } = endpoint;
    return this.#outcomeOf(await this.#options.http.request({ ...how, method, path, headers, body }));
  }

  /** The headers of a request, synchronously if the signer is synchronous. A string says why there are none. */
  #headersOf({ endpoint, path, body }: BuiltRequest): SignedHeaders | string | Promise<SignedHeaders | string> {
    const plain: SignedHeaders = body === null ? {} : { 'content-type': 'application/json' };
    const { method, auth } = endpoint;
    if (!auth) return plain;
    if (this.#authorizer === null) return `${method} ${endpoint.path} needs a key, and none is configured`;
    const proof = this.#authorizer.headersOf({ method, path });
    if (!(proof instanceof Promise)) return { ...plain, ...proof };
    // The platform's message is dropped: it may describe the key.
    return proof.then(
      (late) => ({ ...plain, ...late }),
      () => `${method} ${endpoint.path} could not be signed`,
    );
  }

  #outcomeOf(outcome: HttpOutcome): AnswerOutcome {
    if (outcome.type !== 'answered') return outcome;
    const { status, body, headers } = outcome;
    return { type: 'answered', status, body, retryAfter: this.#retryAfterOf(headers), venueAt: venueAtOf(headers) };
  }

  #retryAfterOf(headers: HttpHeaders): Micros | null {
    if (this.#options.profile.limits.retryAfterOn429 === 'absent') return null;
    const text = headerOf(headers, 'retry-after')?.trim() ?? '';
    return /^\d{1,6}(\.\d{1,6})?$/.test(text) ? fromSeconds(Number(text)) : null;
  }

  #venueNow(): Micros {
    return this.#offset.venueTime(this.#options.clock());
  }
}

/** The venue's time in an answer's `Date` header, in whole seconds rounded down. */
function venueAtOf(headers: HttpHeaders): Micros | null {
  const text = headerOf(headers, 'date');
  const milliseconds = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(milliseconds) ? null : fromMillis(milliseconds);
}

/** The request of a command. A string says why it cannot be built. */
function buildOrExplain(builder: RequestBuilder, command: RequestCommand): BuiltRequest | string {
  try {
    return builder.build(command);
  } catch (fault) {
    if (fault instanceof WireFault || fault instanceof RangeError) return fault.message;
    throw fault;
  }
}
