// The exchange's hall: everything between the wire and the machine, without a socket, a timer or a clock of its own.
// The same requests at the same times of the session's clock are answered the same; the doors only carry.
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
import { PLAIN, type Premises } from './premises.ts';
import { Reception, tooMany } from './reception.ts';
import { NO_ROUTE } from './refusals.ts';
import { type Route, Routes } from './routes.ts';
import { Tally } from './tally.ts';
import { Teller } from './teller.ts';

/** What a hall is opened with. */
export interface HallOptions {
  /** The exchange it speaks for. Its clock is the hall's. */
  readonly session: ExchangeSession;
  /** The wire it speaks. */
  readonly profile: WireProfile;
  readonly authentication: Authentication;
  /** In place of the profile's. */
  readonly limits?: ExchangeConfig['limits'];
  /** What its operator has arranged; nothing out of the ordinary where it is absent. */
  readonly premises?: Premises;
  readonly faults?: Faults;
  readonly log?: Logger;
  /** Whether every request is logged, not only refusals. */
  readonly logsRequests?: boolean;
  /** Goes on counting where an earlier hall stopped. */
  readonly tally?: Tally;
}

/** A caller at the feed's door. */
export type Handshake = Signed & Pick<WireRequest, 'address'>;

const SILENT = logTo({ write: () => undefined }, 'silent');

/** The profile's limits, as far as they are not replaced. */
function limitsOf(limits: ExchangeConfig['limits'], profile: WireProfile, { tier }: Premises): LimitsInForce {
  const usual = profile.limits;
  const granted = (tier === null ? undefined : usual.tiers?.[tier]) ?? usual;
  return {
    read: limits.read ?? granted.read,
    trade: limits.trade ?? granted.trade,
    feed: limits.feed ?? usual.feed,
    anonymous: limits.read ?? usual.anonymous ?? usual.read,
  };
}

/** Opens the hall of an exchange. */
export const openHall = (options: HallOptions): Hall => new Hall(options);

/** A hall. */
export class Hall {
  readonly profile: WireProfile;
  readonly tally: Tally;
  readonly #options: HallOptions;
  readonly #faults: Faults;
  readonly #access: AccessLog;
  readonly #allowances: Allowances;
  readonly #reception: Reception;
  readonly #routes: Routes;
  readonly #line: FeedLineOptions;
  readonly #lines = new Set<FeedLine>();
  readonly #deafen: () => void;
  readonly #date: () => string;
  #isClosed = false;

  constructor(options: HallOptions) {
    const { session, profile, authentication, faults = NO_FAULTS, log = SILENT, tally = new Tally() } = options;
    const { premises = PLAIN } = options;
    const limits = limitsOf(options.limits ?? {}, profile, premises);
    const now = (): Micros => faults.clock(session.now());
    this.#options = options;
    this.profile = profile;
    this.tally = tally;
    this.#faults = faults;
    this.#access = new AccessLog({ log, profile, isWhole: options.logsRequests ?? false, now: () => session.now() });
    this.#allowances = new Allowances(limits);
    this.#routes = new Routes(profile);
    this.#reception = new Reception({
      session,
      profile,
      limits,
      premises,
      authentication,
      allowances: this.#allowances,
      faults,
      log,
    });
    const room = {
      feed: profile.feed,
      silentChannels: profile.manners.silentChannels,
      readings: profile.readings,
      exchange: session.exchange,
      teller: new Teller(profile),
      audience: new Audience(),
    };
    const allowances = this.#allowances;
    this.#line = { room, profile, allowances, faults, tally, log, access: this.#access, now: () => session.now() };
    this.#deafen = session.listen((result) => this.#tell(result));
    this.#date = dateHeader(now);
  }

  /** Open connections of the feed. */
  get feeds(): number {
    return this.#lines.size;
  }

  /** Markets that somebody on the feed follows by name, over all channels. */
  get followed(): number {
    return this.#line.room.audience.followed;
  }

  /** Which endpoint a request is for; `null` for none, which is answered with `NO_ROUTE`. */
  find(method: string, target: string): Route | null {
    return this.#routes.find(method, target);
  }

  /** Takes a request; `send` is called once, now or later, with the answer, or with `null` to drop the connection. */
  take(request: WireRequest, send: (answer: WireAnswer | null) => void): void {
    const { session, authentication } = this.#options;
    const account = authentication.accountOf(request);
    const arrival = { request, account, at: session.now() };
    this.tally.countRequest(request.endpoint);
    this.#faults.request({
      request,
      account,
      act: (lag) => this.#reception.answer(request, lag),
      send: (answer) => {
        if (answer !== null) this.tally.countAnswer(answer.status);
        this.#access.answered(arrival, answer);
        send(answer);
      },
    });
  }

  /** Refuses a request that has no route, or a body that is too long: counts and logs it, and returns the answer. */
  turnAway(request: BareRequest, answer: WireAnswer): WireAnswer {
    this.tally.countAnswer(answer.status);
    this.#access.turnedAway(request, answer);
    return answer;
  }

  /** Lets a caller at the feed's door in, or says why not. */
  admit(handshake: Handshake): FeedCaller | WireAnswer {
    const admitted = this.#admit(handshake);
    if ('status' in admitted) this.#access.feedRefused(handshake, admitted);
    return admitted;
  }

  #admit(handshake: Handshake): FeedCaller | WireAnswer {
    const { session, profile, authentication } = this.#options;
    if (handshake.path !== profile.feed.path || this.#isClosed) return NO_ROUTE;
    const isClaimed = authentication.isClaimed(handshake) || profile.feed.publicFeedNeedsKey;
    const at = session.now();
    const key = isClaimed ? authentication.check(handshake, this.#faults.clock(at)) : null;
    if (key !== null && isRefused(key)) return key;
    const name = key === null ? callerOfAddress(handshake.address) : callerOfKey(key.id);
    const opensAt = this.#allowances.feedOpensAt(name, at);
    return opensAt === null ? { name, account: key?.account ?? null } : tooMany(profile, opensAt, at);
  }

  /** Opens a connection of the feed for a caller who was let in. */
  openFeed(caller: FeedCaller, wire: FeedWire): FeedLine {
    const number = ++this.tally.connections;
    const line: FeedLine = new FeedLine(this.#line, { number, caller, wire }, () => {
      this.#lines.delete(line);
      this.#faults.gone(number);
    });
    this.#lines.add(line);
    return line;
  }

  /** The date, as every answer's header tells it. */
  date(): string {
    return this.#date();
  }

  /** Turns every request and every caller away, and says goodbye on every line. */
  close(): void {
    this.#shut();
    for (const line of this.#lines) line.goAway();
  }

  /** Dies without a word: every line breaks, and nothing that is still under way is carried out. */
  crash(): void {
    this.#shut();
    for (const line of this.#lines) line.hangUp();
  }

  #shut(): void {
    this.#isClosed = true;
    this.#reception.close();
    this.#deafen();
  }

  #tell({ facts }: StepResult): void {
    const { teller, audience } = this.#line.room;
    for (const fact of facts) {
      if (fact.type === 'fill') this.tally.fills++;
      if (fact.type === 'print') this.tally.prints++;
      if (fact.type === 'forgotten') audience.forget(fact.tickers);
      const told = teller.tell(fact);
      if (told !== null) audience.publish(told);
    }
  }
}

/** The date by a clock, written once a second. */
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
