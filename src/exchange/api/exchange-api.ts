// The exchange's API, between the servers and the exchange's state machine. The same requests at the same times get the
// same answers. Must never have a socket, a timer or a clock of its own.
import type { ExchangeConfig } from '../../config/exchange-config.ts';
import type { Micros } from '../../domain/units.ts';
import { type Logger, logTo } from '../../log.ts';
import type { WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';
import type { StepResult } from '../machine/exchange-output.ts';
import type { ExchangeSession } from '../session/exchange-session.ts';
import { AccessLog, type BareRequest } from './access-log.ts';
import { CallerBudgets, callerOfAddress, callerOfKey } from './caller-budgets.ts';
import { SubscriptionIndex } from '../feed/subscription-index.ts';
import { type Authentication, type SignedRequest, isRefusedCaller } from './authentication.ts';
import type { EffectiveRateLimits, WireAnswer, WireRequest } from './endpoint-call.ts';
import { type FaultInjector, NO_FAULTS } from '../faults/fault-injector.ts';
import {
  type FeedCaller,
  ClientConnection,
  type ClientConnectionOptions,
  type FeedTransport,
} from '../feed/client-connection.ts';
import type { FeedContext } from '../feed/client-session.ts';
import { DEFAULT_SETTINGS, type ExchangeSettings } from './exchange-settings.ts';
import { RequestHandler, tooManyRequests } from './request-handler.ts';
import { INTERNAL_ERROR, NO_ROUTE } from './api-errors.ts';
import { type EndpointRoute, EndpointRoutes } from './endpoint-routes.ts';
import { TrafficCounters } from './traffic-counters.ts';
import type { SignatureCheck } from './signature-threads.ts';
import { FeedEncoder } from '../feed/feed-encoder.ts';

/** Options of an exchange API. */
export interface ExchangeApiOptions {
  /** The session of the exchange. Its clock is the API's. */
  readonly session: ExchangeSession;
  /** Profile of the API: its paths, records, signatures, limits and quirks. */
  readonly profile: WireProfile;
  readonly authentication: Authentication;
  /** Limits that replace the profile's. */
  readonly limits?: ExchangeConfig['limits'];
  /** The operator's settings. Default: one shard, no lag, no maintenance. */
  readonly settings?: ExchangeSettings;
  readonly faults?: FaultInjector;
  readonly log?: Logger;
  /** True when every request, feed connection and feed command is logged, not only refusals. */
  readonly logsRequests?: boolean;
  /** Counters continued from an earlier API. */
  readonly counters?: TrafficCounters;
}

/** The handshake of a feed connection. */
export type Handshake = SignedRequest & Pick<WireRequest, 'address'>;

const SILENT = logTo({ write: () => undefined }, 'silent');

/** The profile's limits for the tier, except where the config replaces them. */
function limitsOf(
  limits: ExchangeConfig['limits'],
  profile: WireProfile,
  { tier }: ExchangeSettings,
): EffectiveRateLimits {
  const defaults = profile.limits;
  const granted = (tier === null ? undefined : defaults.tiers?.[tier]) ?? defaults;
  return {
    read: limits.read ?? granted.read,
    trade: limits.trade ?? granted.trade,
    feed: limits.feed ?? defaults.feed,
    anonymous: limits.read ?? defaults.anonymous ?? defaults.read,
  };
}

/** Opens the API of an exchange. */
export const openExchangeApi = (options: ExchangeApiOptions): ExchangeApi => new ExchangeApi(options);

/** The API of an exchange: answers requests, and serves feed connections. */
export class ExchangeApi {
  readonly profile: WireProfile;
  readonly counters: TrafficCounters;
  readonly #options: ExchangeApiOptions;
  readonly #faults: FaultInjector;
  readonly #access: AccessLog;
  readonly #budgets: CallerBudgets;
  readonly #requestHandler: RequestHandler;
  readonly #routes: EndpointRoutes;
  readonly #connectionOptions: ClientConnectionOptions;
  readonly #connections = new Set<ClientConnection>();
  readonly #unsubscribe: () => void;
  readonly #date: () => string;
  #isClosed = false;

  constructor(options: ExchangeApiOptions) {
    const {
      session,
      profile,
      authentication,
      faults = NO_FAULTS,
      log = SILENT,
      counters = new TrafficCounters(),
    } = options;
    const { settings = DEFAULT_SETTINGS } = options;
    const limits = limitsOf(options.limits ?? {}, profile, settings);
    const now = (): Micros => faults.clock(session.now());
    this.#options = options;
    this.profile = profile;
    this.counters = counters;
    this.#faults = faults;
    this.#access = new AccessLog({
      log,
      profile,
      logsRequests: options.logsRequests ?? false,
      now: () => session.now(),
    });
    this.#budgets = new CallerBudgets(limits);
    this.#routes = new EndpointRoutes(profile);
    this.#requestHandler = new RequestHandler({
      session,
      profile,
      limits,
      settings,
      authentication,
      budgets: this.#budgets,
      faults,
      log,
    });
    const context: FeedContext = {
      feed: profile.feed,
      silentChannels: profile.quirks.silentChannels,
      readings: profile.readings,
      exchange: session.exchange,
      encoder: new FeedEncoder(profile),
      subscriptions: new SubscriptionIndex(),
    };
    const budgets = this.#budgets;
    this.#connectionOptions = {
      context,
      profile,
      budgets,
      faults,
      counters,
      log,
      access: this.#access,
      now: () => session.now(),
    };
    this.#unsubscribe = session.onStep((result) => this.#publish(result));
    this.#date = dateHeader(now);
  }

  get feeds(): number {
    return this.#connections.size;
  }

  /** Number of markets subscribed by name on the feed, over all channels. */
  get subscribedMarkets(): number {
    return this.#connectionOptions.context.subscriptions.subscribedMarkets;
  }

  findRoute(method: string, target: string): EndpointRoute | null {
    return this.#routes.findRoute(method, target);
  }

  /** The signature of a request that can be checked before it is handled; `null` for none. */
  signatureOf(request: SignedRequest): SignatureCheck | null {
    const { session, authentication } = this.#options;
    return authentication.signatureOf(request, this.#faults.clock(session.now()));
  }

  /** Handles a request. `send` is called once, now or later, with the answer, or with `null` to drop the connection. */
  handleRequest(request: WireRequest, send: (answer: WireAnswer | null) => void): void {
    const { session, authentication } = this.#options;
    const account = authentication.claimedAccount(request);
    const arrival = { request, account, at: session.now() };
    this.counters.countRequest(request.endpoint);
    this.#faults.onRequest({
      request,
      account,
      execute: (lag) => this.#requestHandler.answerRequest(request, lag),
      send: (answer) => {
        if (answer !== null) this.counters.countAnswer(answer.status);
        this.#access.logAnswer(arrival, answer);
        send(answer);
      },
    });
  }

  /** Refuses a request without a route, or with a body that is not read to its end. Counts, logs and returns the answer. */
  rejectRequest(request: BareRequest, answer: WireAnswer): WireAnswer {
    this.counters.countAnswer(answer.status);
    this.#access.logRejected(request, answer);
    return answer;
  }

  /** Ends a request on an unexpected error. Counts, logs and returns the answer. */
  failRequest(request: BareRequest, error: unknown): WireAnswer {
    const { method, path } = request;
    this.#connectionOptions.log.error({ err: error, method, path }, 'request failed');
    return this.rejectRequest(request, INTERNAL_ERROR);
  }

  /** The caller of a feed, or the refusal. Never throws: an unexpected error is logged and refused with status 500. */
  authorizeFeed(handshake: Handshake): FeedCaller | WireAnswer {
    const admitted = this.#tryAdmit(handshake);
    if ('status' in admitted) this.#access.logFeedRefused(handshake, admitted);
    return admitted;
  }

  #tryAdmit(handshake: Handshake): FeedCaller | WireAnswer {
    try {
      return this.#admit(handshake);
    } catch (error) {
      this.#connectionOptions.log.error({ err: error, path: handshake.path }, 'feed request failed');
      return INTERNAL_ERROR;
    }
  }

  #admit(handshake: Handshake): FeedCaller | WireAnswer {
    const { session, profile, authentication } = this.#options;
    if (handshake.path !== profile.feed.path || this.#isClosed) return NO_ROUTE;
    const claimsKey = authentication.claimsKey(handshake) || profile.feed.publicFeedNeedsKey;
    const at = session.now();
    const key = claimsKey ? authentication.authenticate(handshake, this.#faults.clock(at)) : null;
    if (key !== null && isRefusedCaller(key)) return key;
    const name = key === null ? callerOfAddress(handshake.address) : callerOfKey(profile.limits, key);
    const opensAt = this.#budgets.feedOpensAt(name, at);
    return opensAt === null ? { name, account: key?.account ?? null } : tooManyRequests(profile, opensAt, at);
  }

  openFeed(caller: FeedCaller, wire: FeedTransport): ClientConnection {
    const number = ++this.counters.connections;
    const connection: ClientConnection = new ClientConnection(
      this.#connectionOptions,
      { number, caller, transport: wire },
      () => {
        this.#connections.delete(connection);
        this.#faults.onClosed(number);
      },
    );
    this.#connections.add(connection);
    return connection;
  }

  date(): string {
    return this.#date();
  }

  /** Refuses every further request and handshake, and closes every feed connection. */
  close(): void {
    this.#shut();
    for (const connection of this.#connections) connection.closeGoingAway();
  }

  /** Crashes: terminates every feed connection, and executes no request that is still pending. */
  crash(): void {
    this.#shut();
    for (const connection of this.#connections) connection.terminate();
  }

  #shut(): void {
    this.#isClosed = true;
    this.#requestHandler.close();
    this.#unsubscribe();
  }

  #publish({ facts }: StepResult): void {
    const { encoder, subscriptions } = this.#connectionOptions.context;
    const isFollowed = !subscriptions.isEmpty;
    for (const fact of facts) {
      if (fact.type === 'fill') this.counters.fills++;
      if (fact.type === 'print') this.counters.prints++;
      if (fact.type === 'forgotten') subscriptions.dropMarkets(fact.tickers);
      const message = isFollowed ? encoder.encodeFact(fact) : null;
      if (message !== null) subscriptions.publish(message);
    }
  }
}

function dateHeader(now: () => Micros): () => string {
  let second = Number.NaN;
  let text = '';
  return () => {
    const current = Math.floor(now() / 1_000_000);
    if (current !== second) {
      second = current;
      text = new Date(current * 1000).toUTCString();
    }
    return text;
  };
}
