// Sends commands to a `trade-api` exchange and returns the raw outcomes. Must never reject, nor send an order twice:
// after an unknown outcome the caller must look the order up.
import type { OrderBatch, PlaceCommand, RequestCommand } from '../../../domain/venue-command.ts';
import { type Micros, type Qty, fromMillis, fromSeconds } from '../../../domain/units.ts';
import { OPERATOR } from '../../../state/account/orders.ts';
import { ClockOffset, type ClockSample } from '../../../state/feed/clock-offset.ts';
import {
  type HttpClient,
  type HttpHeaders,
  type HttpOutcome,
  type HttpRequest,
  headerOf,
} from '../../../transport/http-client.ts';
import type { Answer, AnswerOutcome, BatchAnswers, Gateway, LastLook } from '../../../venue.ts';
import { type Scheduler, systemScheduler } from '../../../transport/scheduler.ts';
import {
  Authorizer,
  type Credential,
  type RequestSigner,
  type SignedHeaders,
  type SigningPlace,
} from '../signing/authorizer.ts';
import { type VenueGuards, NO_VENUE_GUARDS } from './venue-guards.ts';
import { type LeftGroup, type OrderGroupResult, SessionOrderGroups } from './session-order-groups.ts';
import type { WireProfile } from '../profiles/wire-profile.ts';
import { type BuiltRequest, RequestBuilder } from './request-builder.ts';
import { MarketShards } from './market-shards.ts';
import {
  BatchSender,
  type Delivery,
  type PendingHeaders,
  type PendingRequest,
  type Sending,
  notSent,
} from './batch-sender.ts';
import { decodeError } from '../wire/error-body.ts';
import { WireFault } from '../wire/wire-fault.ts';

export interface TradeApiGatewayOptions {
  readonly profile: WireProfile;
  readonly http: HttpClient;
  /** `null` without a key: then nothing is sent that needs a key. */
  readonly credential: Credential | null;
  /** Guard rails that the venue enforces. Default: none. */
  readonly guards?: VenueGuards;
  /**
   * When this many contracts trade within fifteen seconds, the venue cancels the resting orders. Default: unlimited.
   */
  readonly orderGroupQty?: Qty | null;
  /** Called at the stop with each order group that stands or may stand at the venue. */
  readonly onGroupLeft?: (group: LeftGroup) => void;
  readonly shards?: MarketShards;
  readonly clock: () => Micros;
  /** Receives the venue's time from each answer to a command, if the answer has it. */
  readonly onVenueTime?: (sample: ClockSample) => void;
  /** Replaces signing with the credential, for environments without keys. */
  readonly signer?: RequestSigner;
  /** The place where signatures are computed. Default: `loop`. */
  readonly signingPlace?: SigningPlace;
  readonly scheduler?: Scheduler;
  /** Time allowed for a whole request that changes orders, and for a whole read. */
  readonly orderTimeoutMs: number;
  readonly readTimeoutMs: number;
}

const UNCONFIRMED_GROUP = 'the venue did not confirm the creation of an order group: an empty one may stand there';

/** A `Gateway` over one HTTP client. */
export class TradeApiGateway implements Gateway {
  readonly #options: TradeApiGatewayOptions;
  readonly #builder: RequestBuilder;
  readonly #groups: SessionOrderGroups | null;
  readonly #batches: BatchSender;
  readonly #buildersByGroup = new Map<string, RequestBuilder>();
  readonly #shards: MarketShards;
  readonly #authorizer: RequestSigner | null;
  readonly #offset = new ClockOffset();

  constructor(options: TradeApiGatewayOptions) {
    const { profile, credential, guards } = options;
    this.#options = options;
    this.#builder = new RequestBuilder(profile, guards);
    this.#shards = options.shards ?? new MarketShards();
    this.#groups = this.#makeGroups();
    this.#authorizer = options.signer ?? (credential === null ? null : this.#makeAuthorizer(credential));
    this.#batches = new BatchSender({
      profile,
      requestOf: (command) => this.#requestOf(command),
      sign: (request) => this.#headersOf(request),
      deliver: (request, headers, delivery) => this.#deliver(request, headers, delivery),
      sendAlone: (command, request, sending) => this.#sendRequest(command, request, sending),
      prepareSignatures: (request) => this.#authorizer?.prepare?.(request),
      guards,
    });
  }

  #makeAuthorizer(credential: Credential): Authorizer {
    const { profile, scheduler = systemScheduler, signingPlace: place = 'loop' } = this.#options;
    const prepared = [{ method: profile.endpoints.createOrder.method, path: this.#builder.createPath }];
    return new Authorizer({ profile, credential, prepared, scheduler, place, venueNow: () => this.#venueNow() });
  }

  #makeGroups(): SessionOrderGroups | null {
    const { profile, orderGroupQty: limit = null, guards, orderTimeoutMs: timeoutMs } = this.#options;
    const { scheduler = systemScheduler, onGroupLeft } = this.#options;
    if (limit === null) return null;
    const { subaccount } = guards ?? NO_VENUE_GUARDS;
    return new SessionOrderGroups({
      profile,
      limit,
      subaccount,
      send: (request) => this.#sendGroupRequest(request, timeoutMs),
      scheduler,
      onGroupLeft,
    });
  }

  /** The headers that open the feed; `null` without a key. */
  signHandshake(): SignedHeaders | Promise<SignedHeaders> | null {
    return this.#authorizer?.headersOf({ method: 'GET', path: this.#options.profile.feed.path }) ?? null;
  }

  async send(command: RequestCommand, signal: AbortSignal, lastLook?: LastLook): Promise<Answer> {
    const { clock, orderTimeoutMs, readTimeoutMs } = this.#options;
    const askedAt = clock();
    const timeoutMs = command.type === 'read' ? readTimeoutMs : orderTimeoutMs;
    const outcome = await this.#sendRequest(command, this.#requestOf(command), { signal, timeoutMs, lastLook });
    if (command.type === 'place') this.#checkGroup(command, outcome);
    if (outcome.type === 'answered' && outcome.venueAt !== null) this.#recordVenueTime(askedAt, outcome.venueAt);
    return { type: 'answer', at: clock(), askedAt, command, outcome };
  }

  async sendBatch({ commands }: OrderBatch, signal: AbortSignal, lastLook?: LastLook): Promise<BatchAnswers> {
    const { clock, orderTimeoutMs: timeoutMs } = this.#options;
    const askedAt = clock();
    const { outcomes, venueAt, refusal } = await this.#batches.sendBatch(commands, { signal, timeoutMs, lastLook });
    const at = clock();
    if (venueAt !== null) this.#recordVenueTime(askedAt, venueAt);
    const answers = outcomes.map(({ command, outcome }): Answer => {
      if (command.type === 'place') this.#checkGroup(command, outcome);
      return { type: 'answer', at, askedAt, command, outcome };
    });
    return { answers, refusal };
  }

  /** Called when the feed reports that the venue has triggered an order group: the next order waits for its reset. */
  markGroupTriggered(groupId: string): void {
    this.#groups?.markGroupTriggered(groupId);
  }

  remarks(): readonly string[] {
    return this.#groups?.isUnconfirmed === true ? [UNCONFIRMED_GROUP] : [];
  }

  #recordVenueTime(sentAt: Micros, venueAt: Micros): void {
    const { clock, onVenueTime } = this.#options;
    onVenueTime?.({ sentAt, receivedAt: clock(), venueAt });
    this.#offset.observeAnswer({ sentAt, receivedAt: clock(), venueAt });
  }

  async warmUp(): Promise<void> {
    await this.#authorizer?.warm();
    await this.#options.http.warm();
  }

  async stop(): Promise<void> {
    await this.#groups?.close();
    this.#authorizer?.stop();
    await this.#options.http.stop();
  }

  /** Sends the request of a command by itself, unless the command must not leave any more after a wait. */
  async #sendRequest(command: RequestCommand, pending: PendingRequest, sending: Sending): Promise<AnswerOutcome> {
    const request = pending instanceof Promise ? await pending : pending;
    if (typeof request === 'string') return notSent(request);
    const signed = this.#headersOf(request);
    // A synchronous signer must lead to a synchronous send.
    const headers = signed instanceof Promise ? await signed : signed;
    const hasWaited = pending instanceof Promise || signed instanceof Promise;
    const blocked = hasWaited ? (sending.lastLook?.(command) ?? null) : null;
    if (blocked !== null) return notSent(blocked);
    const { timeoutMs, signal, lastLook } = sending;
    return this.#deliver(request, headers, { timeoutMs, signal, lastLook: lastLook && (() => lastLook(command)) });
  }

  async #sendGroupRequest(request: BuiltRequest, timeoutMs: number): Promise<AnswerOutcome> {
    const signed = this.#headersOf(request);
    return this.#deliver(request, signed instanceof Promise ? await signed : signed, { timeoutMs });
  }

  /**
   * The request of a command, synchronously unless its order group must be created first. A string is the reason why
   * there is none.
   */
  #requestOf(command: RequestCommand): PendingRequest {
    const builder = this.#builderOf(command);
    return builder instanceof Promise
      ? builder.then((made) => buildOrExplain(made, command))
      : buildOrExplain(builder, command);
  }

  /** A refusal may say that the shard's order group has triggered. The normalizer emits a halt for the same refusal. */
  #checkGroup({ ticker }: PlaceCommand, outcome: AnswerOutcome): void {
    if (this.#groups === null || outcome.type !== 'answered' || outcome.status < 400) return;
    const { code } = decodeError(outcome.status, outcome.body);
    if (code === this.#options.profile.errors.groupTriggered) this.#groups.markTriggered(this.#shards.shardOf(ticker));
  }

  /**
   * The builder for a command; for a new order of a strategy, the builder with its order group. A string is the reason
   * why there is none. The operator's orders have no group: closing a position must not trigger it, nor wait for its
   * reset.
   */
  #builderOf(command: RequestCommand): RequestBuilder | string | Promise<RequestBuilder | string> {
    if (command.type !== 'place' || command.strategy === OPERATOR || this.#groups === null) return this.#builder;
    const group = this.#groups.groupFor(this.#shards.shardOf(command.ticker));
    return group instanceof Promise
      ? group.then((made) => this.#builderWithGroup(made))
      : this.#builderWithGroup(group);
  }

  #builderWithGroup(group: OrderGroupResult): RequestBuilder | string {
    if ('reason' in group) return group.reason;
    const { profile, guards = NO_VENUE_GUARDS } = this.#options;
    const known = this.#buildersByGroup.get(group.groupId);
    const builder = known ?? new RequestBuilder(profile, { ...guards, groupId: group.groupId });
    this.#buildersByGroup.set(group.groupId, builder);
    return builder;
  }

  async #deliver(
    request: BuiltRequest,
    headers: SignedHeaders | string,
    { timeoutMs, signal, lastLook }: Delivery,
  ): Promise<AnswerOutcome> {
    if (typeof headers === 'string') return notSent(headers);
    const { endpoint, path, body } = request;
    // An object literal with spreads is slow to create, and this one stands between a decision and the socket.
    const { method } = endpoint;
    const asked: HttpRequest =
      signal === undefined
        ? { method, path, headers, body, timeoutMs }
        : { method, path, headers, body, timeoutMs, signal, lastLook };
    return this.#outcomeOf(await this.#options.http.request(asked));
  }

  /**
   * The headers of a request, synchronously if the signer is synchronous. A string is the reason why there are none.
   */
  #headersOf({ endpoint, path }: BuiltRequest): PendingHeaders {
    const { method, auth } = endpoint;
    if (!auth) return NO_HEADERS;
    if (this.#authorizer === null) return `${method} ${endpoint.path} needs a key, and none is configured`;
    // The platform's message is dropped: it may describe the key.
    const failure = `${method} ${endpoint.path} could not be signed`;
    try {
      const proof = this.#authorizer.headersOf({ method, path });
      return proof instanceof Promise ? proof.catch(() => failure) : proof;
    } catch {
      return failure;
    }
  }

  #outcomeOf(outcome: HttpOutcome): AnswerOutcome {
    if (outcome.type !== 'answered') return outcome;
    const { status, body, headers } = outcome;
    return { type: 'answered', status, body, retryAfter: this.#retryAfterOf(headers), venueAt: venueAtOf(headers) };
  }

  #retryAfterOf(headers: HttpHeaders): Micros | null {
    if (this.#options.profile.limits.retryAfterOn429 === 'absent') return null;
    return waitOf(headerOf(headers, 'retry-after')?.trim() ?? '', headers);
  }

  #venueNow(): Micros {
    return this.#offset.venueTime(this.#options.clock());
  }
}

const NO_HEADERS: SignedHeaders = {};

/**
 * The wait that a `Retry-After` asks for: a number of seconds, or a date, which is compared with the answer's own `Date`.
 * `null` for no wait at all: to repeat the request at once would be refused again.
 */
function waitOf(text: string, headers: HttpHeaders): Micros | null {
  if (/^\d{1,6}(\.\d{1,6})?$/.test(text)) return Number(text) > 0 ? fromSeconds(Number(text)) : null;
  const waitMs = text.endsWith(' GMT') ? Date.parse(text) - Date.parse(headerOf(headers, 'date') ?? '') : 0;
  return waitMs > 0 ? fromMillis(Math.min(waitMs, WAIT_MS_MAX)) : null;
}

/** Longest wait that is taken from an answer. The rate budget pauses for less. */
const WAIT_MS_MAX = 999_999_000;

/**
 * The venue's time in an answer's `Date` header, in whole seconds rounded down. `null` for an answer of a cache, which has
 * an `Age`: its `Date` is the time at which the answer was stored.
 */
function venueAtOf(headers: HttpHeaders): Micros | null {
  if (headerOf(headers, 'age') !== null) return null;
  const text = headerOf(headers, 'date');
  const milliseconds = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(milliseconds) ? null : fromMillis(milliseconds);
}

/** The request of a command. A string is the reason why it cannot be built. */
function buildOrExplain(builder: RequestBuilder | string, command: RequestCommand): BuiltRequest | string {
  if (typeof builder === 'string') return builder;
  try {
    return builder.buildRequest(command);
  } catch (fault) {
    if (fault instanceof WireFault || fault instanceof RangeError) return fault.message;
    throw fault;
  }
}
