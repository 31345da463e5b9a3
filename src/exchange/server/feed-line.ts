// One connection to the feed as the hall knows it: its commands within their limit, its messages and pings through the
// faults' seam. Must never know what carries it: a socket, or another part of the same process.
import type { Micros } from '../../domain/units.ts';
import type { Logger } from '../../log.ts';
import type { WireProfile } from '../../venues/trade-api/profile.ts';
import type { Channel } from '../../venues/trade-api/wire/records.ts';
import type { AccountName } from '../input.ts';
import type { AccessLog, LoggedConnection } from './access-log.ts';
import { type Allowances, secondsUntil } from './allowances.ts';
import type { FeedFault } from './feed-faults.ts';
import type { Faults } from './faults.ts';
import { type FeedRoom, FeedSession } from './feed-session.ts';
import type { Tally } from './tally.ts';

/** Who is at the other end. */
export interface FeedCaller {
  /** Whose budgets are drawn on. */
  readonly name: string;
  readonly account: AccountName | null;
}

/** What carries a connection. */
export interface FeedWire {
  send(text: string): void;
  ping(): void;
  /** Ends it politely, with a code and a reason of the WebSocket protocol. */
  end(code: number, reason: string): void;
  /** Breaks it without a word. */
  hangUp(): void;
}

/** What all connections share. */
export interface FeedLineOptions {
  readonly room: FeedRoom;
  readonly profile: WireProfile;
  readonly allowances: Allowances;
  readonly faults: Faults;
  readonly tally: Tally;
  readonly log: Logger;
  readonly access: AccessLog;
  readonly now: () => Micros;
}

/** What is one connection's own. */
export interface FeedEnd {
  /** Counted from 1. */
  readonly number: number;
  readonly caller: FeedCaller;
  readonly wire: FeedWire;
}

const GOING_AWAY = 1001;
const POLICY = 1008;
const TRY_LATER = 1013;

/** A connection to the feed. */
export class FeedLine {
  readonly #options: FeedLineOptions;
  readonly #end: FeedEnd;
  readonly #session: FeedSession;
  readonly #closed: () => void;
  readonly #logged: LoggedConnection;
  #isOver = false;

  /** `closed` is called once, when the connection is over. */
  constructor(options: FeedLineOptions, end: FeedEnd, closed: () => void) {
    this.#options = options;
    this.#end = end;
    this.#closed = closed;
    const send = (text: string, channel: Channel | null): void => this.#say(text, channel);
    const { account } = end.caller;
    this.#logged = { connection: end.number, account };
    const refused = (fault: FeedFault): void => options.access.commandRefused(this.#logged, fault);
    this.#session = new FeedSession(options.room, { account, send, refused });
    options.access.feedOpened(this.#logged);
  }

  get number(): number {
    return this.#end.number;
  }

  get caller(): FeedCaller {
    return this.#end.caller;
  }

  /** Carries out a message of the client, within its limit. */
  hear(text: string): void {
    if (this.#isOver) return;
    const { allowances, tally, now, profile, log, access } = this.#options;
    const { name } = this.#end.caller;
    tally.feedCommands++;
    access.command(this.#logged, text);
    const at = now();
    if (allowances.take(name, { kind: 'feed', cost: 1 }, at) === null) return this.#session.hear(text);
    this.#session.tooManyRequests();
    if (!profile.limits.closesFeedOverLimit) return;
    const until = allowances.pauseFeed(name, at);
    log.info({ caller: name, seconds: secondsUntil(until, at) }, 'feed closed: too many commands');
    this.#dismiss(POLICY, 'too many requests');
  }

  /** Pings the client. To be called as often as the profile says. */
  ping(): void {
    if (this.#isOver) return;
    const { wire, number } = this.#end;
    this.#options.faults.ping({ connection: number, send: () => this.#isOver || wire.ping() });
  }

  /** The client reads too slowly: every subscription is over, and the connection with them. */
  overflow(): void {
    if (this.#isOver) return;
    this.#options.log.info({ caller: this.#end.caller.name }, 'feed closed: its reader is too slow');
    this.#session.overflow();
    this.#dismiss(TRY_LATER, 'slow reader');
  }

  /** Says goodbye: the exchange is going away. */
  goAway(): void {
    if (!this.#isOver) this.#dismiss(GOING_AWAY, 'going away');
  }

  /** Breaks the connection without a word. */
  hangUp(): void {
    if (this.#isOver) return;
    this.close();
    this.#end.wire.hangUp();
  }

  /** The connection is gone: nothing is sent any more. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#session.close();
    this.#options.access.feedClosed(this.#logged);
    this.#closed();
  }

  #say(text: string, channel: Channel | null): void {
    const { number, wire, caller } = this.#end;
    const write = (written: string): void => {
      if (this.#isOver) return;
      this.#options.tally.feedMessages++;
      wire.send(written);
    };
    this.#options.faults.frame({
      text,
      channel,
      account: caller.account,
      connection: number,
      send: write,
      endChannel: (name) => this.#session.endChannel(name),
      end: (code) => this.#isOver || this.#dismiss(code, 'going away'),
      hangUp: () => this.hangUp(),
    });
  }

  #dismiss(code: number, reason: string): void {
    this.close();
    this.#end.wire.end(code, reason);
  }
}
