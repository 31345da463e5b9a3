// Commands to a `trade-api` exchange, and what came of each, raw. Builds, signs, sends once, and never rejects.
// Must never send an order a second time: whoever does not know what became of it asks.
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
  /** `null` reads what is public, and sends nothing that needs a key. */
  readonly credential: Credential | null;
  /** What the venue is asked to see to; nothing unless said. */
  readonly guards?: Guards;
  /** Contracts that may trade in any fifteen seconds before the venue withdraws what rests; any number unless said. */
  readonly orderGroupQty?: Qty | null;
  /** Where markets trade, as reads of them tell. */
  readonly shards?: Shards;
  /** Our clock. */
  readonly clock: () => Micros;
  /** Learns what an answer tells of the venue's clock, before the answer is dated. */
  readonly onVenueTime?: (sample: ClockSample) => void;
  /** In place of signing with the credential: for a world without keys. */
  readonly signer?: RequestSigner;
  readonly scheduler?: Scheduler;
  /** How long a request may take in all. */
  readonly orderTimeoutMs: number;
  readonly readTimeoutMs: number;
}

/** A `Gateway` over one HTTP client. */
export class TradeApiGateway implements Gateway {
  readonly #options: TradeApiGatewayOptions;
  readonly #builder: RequestBuilder;
  readonly #groups: OrderGroups | null;
  /** Those of orders that count for a group, by its id. */
  readonly #builders = new Map<string, RequestBuilder>();
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
    const outcome = await this.#ask(command, signal);
    if (outcome.type === 'answered' && outcome.venueAt !== null) this.#learnTime(askedAt, outcome.venueAt);
    return { type: 'answer', at: this.#options.clock(), askedAt, command, outcome };
  }

  #learnTime(sentAt: Micros, venueAt: Micros): void {
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

  async #ask(command: RequestCommand, signal: AbortSignal): Promise<AnswerOutcome> {
    const { orderTimeoutMs, readTimeoutMs } = this.#options;
    const found = this.#builderOf(command);
    const builder = found instanceof Promise ? await found : found;
    const request = typeof builder === 'string' ? builder : built(builder, command);
    if (typeof request === 'string') return { type: 'not-sent', reason: request };
    const timeoutMs = command.type === 'read' ? readTimeoutMs : orderTimeoutMs;
    const outcome = await this.#deliver(request, { signal, timeoutMs });
    if (command.type === 'place') this.#lookAtGroup(command, outcome);
    return outcome;
  }

  /** A group that is spent takes no more: whoever sends on is told by its refusal, and halts. */
  #lookAtGroup({ ticker }: PlaceCommand, outcome: AnswerOutcome): void {
    if (this.#groups === null || outcome.type !== 'answered' || outcome.status < 400) return;
    const { code } = parseError(outcome.status, outcome.body);
    if (code === this.#options.profile.errors.groupSpent) this.#groups.spent(this.#shards.of(ticker));
  }

  /** Builds what a command asks: a new order with the group that it counts for. In words, why there is none. */
  #builderOf(command: RequestCommand): RequestBuilder | string | Promise<RequestBuilder | string> {
    if (command.type !== 'place' || this.#groups === null) return this.#builder;
    const group = this.#groups.on(this.#shards.of(command.ticker));
    return group instanceof Promise ? group.then((made) => this.#within(made)) : this.#within(group);
  }

  #within(group: MadeGroup): RequestBuilder | string {
    if ('reason' in group) return group.reason;
    const { profile, guards = NO_GUARDS } = this.#options;
    const known = this.#builders.get(group.groupId);
    const builder = known ?? new RequestBuilder(profile, { ...guards, groupId: group.groupId });
    this.#builders.set(group.groupId, builder);
    return builder;
  }

  async #deliver(request: BuiltRequest, how: Pick<HttpRequest, 'timeoutMs' | 'signal'>): Promise<AnswerOutcome> {
    const asked = this.#headersOf(request);
    // Who signs at once also sends at once, in this very turn.
    const headers = asked instanceof Promise ? await asked : asked;
    if (typeof headers === 'string') return { type: 'not-sent', reason: headers };
    const { endpoint, path, body } = request;
    const { method } = endpoint;
    return this.#outcomeOf(await this.#options.http.request({ ...how, method, path, headers, body }));
  }

  /** The headers of a request, at once where the signer gives them at once; or, in words, why there are none. */
  #headersOf({ endpoint, path, body }: BuiltRequest): SignedHeaders | string | Promise<SignedHeaders | string> {
    const plain: SignedHeaders = body === null ? {} : { 'content-type': 'application/json' };
    const { method, auth } = endpoint;
    if (!auth) return plain;
    if (this.#authorizer === null) return `${method} ${endpoint.path} needs a key, and none is configured`;
    const proof = this.#authorizer.headersOf({ method, path });
    if (!(proof instanceof Promise)) return { ...plain, ...proof };
    // What the platform says of a key is left out.
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

/** The venue's clock as an answer's date tells it: the whole second that had begun. */
function venueAtOf(headers: HttpHeaders): Micros | null {
  const text = headerOf(headers, 'date');
  const milliseconds = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(milliseconds) ? null : fromMillis(milliseconds);
}

/** The request of a command; or, in words, why it cannot be made. */
function built(builder: RequestBuilder, command: RequestCommand): BuiltRequest | string {
  try {
    return builder.build(command);
  } catch (fault) {
    if (fault instanceof WireFault || fault instanceof RangeError) return fault.message;
    throw fault;
  }
}
