// The exchange's API: everything between the wire and the machine, without a socket, a timer or a clock of its own. The
// same requests at the same times of the session's clock get the same answers; the servers only transport them.
import type { ExchangeConfig } from '../../config/exchange-config.ts';
import type { Micros } from '../../domain/units.ts';
import { type Logger, logTo } from '../../log.ts';
import type { WireProfile } from '../../venues/trade-api/profile.ts';
import type { StepResult } from '../output.ts';
import type { ExchangeSession } from '../session.ts';
import { AccessLog, type BareRequest } from './access-log.ts';
import { Allowances, callerOfAddress, callerOfKey } from './allowances.ts';
import { Audience } from './audience.ts';
import { type Authentication, type Signed, isRefused } from './authentication.ts';
import type { LimitsInForce, WireAnswer, WireRequest } from './call.ts';
import { type Faults, NO_FAULTS } from './faults.ts';
import { type FeedCaller, FeedLine, type FeedLineOptions, type FeedWire } from './feed-line.ts';
import type { FeedRoom } from './feed-session.ts';
import { PLAIN, type Premises } from './premises.ts';
import { Reception, tooMany } from './reception.ts';
import { NO_ROUTE } from './refusals.ts';
import { type Route, Routes } from './routes.ts';
import { Tally } from './tally.ts';
import { Teller } from './teller.ts';

/** Options of an exchange API. */
export interface HallOptions {
  /** The session of the exchange. Its clock is the API's. */
  readonly session: ExchangeSession;
  /** Profile of the API. */
  readonly profile: WireProfile;
  readonly authentication: Authentication;
  /** Replaces the profile's limits. */
  readonly limits?: ExchangeConfig['limits'];
  /** The operator's settings. Default: one shard, no lag, no maintenance. */
  readonly premises?: Premises;
  readonly faults?: Faults;
  readonly log?: Logger;
  /** True when every request is logged, not only refusals. */
  readonly logsRequests?: boolean;
  /** Counters continued from an earlier API. */
  readonly tally?: Tally;
}

/** The handshake of a feed connection. */
export type Handshake = Signed & Pick<WireRequest, 'address'>;

const SILENT = logTo({ write: () => undefined }, 'silent');

/** The profile's limits, with the replacements. */
function limitsOf(limits: ExchangeConfig['limits'], profile: WireProfile, { tier }: Premises): LimitsInForce {
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
export const openHall = (options: HallOptions): Hall => new Hall(options);

/** The API of an exchange. */
export class Hall {
  readonly profile: WireProfile;
  readonly tally: Tally;
  readonly #options: HallOptions;
  readonly #faults: Faults;
  readonly #access: AccessLog;
  readonly #budgets: Allowances;
  readonly #requestHandler: Reception;
  readonly #routes: Routes;
  readonly #connectionOptions: FeedLineOptions;
  readonly #connections = new Set<FeedLine>();
  readonly #unsubscribe: () => void;
  readonly #date: () => string;
  #isClosed = false;

  constructor(options: HallOptions) {
    const {
      session,
      profile,
      authentication,
      faults = NO_FAULTS,
      log = SILENT,
      tally: counters = new Tally(),
    } = options;
    const { premises: settings = PLAIN } = options;
    const limits = limitsOf(options.limits ?? {}, profile, settings);
    const now = (): Micros => faults.clock(session.now());
    this.#options = options;
    this.profile = profile;
    this.tally = counters;
    this.#faults = faults;
    this.#access = new AccessLog({ log, profile, isWhole: options.logsRequests ?? false, now: () => session.now() });
    this.#budgets = new Allowances(limits);
    this.#routes = new Routes(profile);
    this.#requestHandler = new Reception({
      session,
      profile,
      limits,
      premises: settings,
      authentication,
      allowances: this.#budgets,
      faults,
      log,
    });
    const context: FeedRoom = {
      feed: profile.feed,
      silentChannels: profile.manners.silentChannels,
      readings: profile.readings,
      exchange: session.exchange,
      teller: new Teller(profile),
      audience: new Audience(),
    };
    const budgets = this.#budgets;
    this.#connectionOptions = {
      room: context,
      profile,
      allowances: budgets,
      faults,
      tally: counters,
      log,
      access: this.#access,
      now: () => session.now(),
    };
    this.#unsubscribe = session.listen((result) => this.#publish(result));
    this.#date = dateHeader(now);
  }

  /** Number of open feed connections. */
  get feeds(): number {
    return this.#connections.size;
  }

  /** Number of markets subscribed by name on the feed, over all channels. */
  get followed(): number {
    return this.#connectionOptions.room.audience.followed;
  }

  /** Finds the endpoint of a request; `null` when there is none, which is answered with `NO_ROUTE`. */
  find(method: string, target: string): Route | null {
    return this.#routes.find(method, target);
  }

  /** Handles a request. `send` is called once, now or later, with the answer, or with `null` to drop the connection. */
  take(request: WireRequest, send: (answer: WireAnswer | null) => void): void {
    const { session, authentication } = this.#options;
    const account = authentication.accountOf(request);
    const arrival = { request, account, at: session.now() };
    this.tally.countRequest(request.endpoint);
    this.#faults.request({
      request,
      account,
      act: (lag) => this.#requestHandler.answer(request, lag),
      send: (answer) => {
        if (answer !== null) this.tally.countAnswer(answer.status);
        this.#access.answered(arrival, answer);
        send(answer);
      },
    });
  }

  /** Refuses a request without a route, or with a body that is too long: counts, logs and returns the answer. */
  turnAway(request: BareRequest, answer: WireAnswer): WireAnswer {
    this.tally.countAnswer(answer.status);
    this.#access.turnedAway(request, answer);
    return answer;
  }

  /** Authorizes a feed handshake, or returns the refusal. */
  admit(handshake: Handshake): FeedCaller | WireAnswer {
    const admitted = this.#admit(handshake);
    if ('status' in admitted) this.#access.feedRefused(handshake, admitted);
    return admitted;
  }

  #admit(handshake: Handshake): FeedCaller | WireAnswer {
    const { session, profile, authentication } = this.#options;
    if (handshake.path !== profile.feed.path || this.#isClosed) return NO_ROUTE;
    const claimsKey = authentication.isClaimed(handshake) || profile.feed.publicFeedNeedsKey;
    const at = session.now();
    const key = claimsKey ? authentication.check(handshake, this.#faults.clock(at)) : null;
    if (key !== null && isRefused(key)) return key;
    const name = key === null ? callerOfAddress(handshake.address) : callerOfKey(key.id);
    const opensAt = this.#budgets.feedOpensAt(name, at);
    return opensAt === null ? { name, account: key?.account ?? null } : tooMany(profile, opensAt, at);
  }

  /** Opens a feed connection for an authorized caller. */
  openFeed(caller: FeedCaller, wire: FeedWire): FeedLine {
    const number = ++this.tally.connections;
    const connection: FeedLine = new FeedLine(this.#connectionOptions, { number, caller, wire }, () => {
      this.#connections.delete(connection);
      this.#faults.gone(number);
    });
    this.#connections.add(connection);
    return connection;
  }

  /** The date header of every answer. */
  date(): string {
    return this.#date();
  }

  /** Refuses every further request and handshake, and closes every feed connection. */
  close(): void {
    this.#shut();
    for (const connection of this.#connections) connection.goAway();
  }

  /** Crashes: terminates every connection, and executes nothing still pending. */
  crash(): void {
    this.#shut();
    for (const connection of this.#connections) connection.hangUp();
  }

  #shut(): void {
    this.#isClosed = true;
    this.#requestHandler.close();
    this.#unsubscribe();
  }

  #publish({ facts }: StepResult): void {
    const { teller: encoder, audience } = this.#connectionOptions.room;
    for (const fact of facts) {
      if (fact.type === 'fill') this.tally.fills++;
      if (fact.type === 'print') this.tally.prints++;
      if (fact.type === 'forgotten') audience.forget(fact.tickers);
      const message = encoder.tell(fact);
      if (message !== null) audience.publish(message);
    }
  }
}

/** Returns the date of a clock, formatted once a second. */
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
