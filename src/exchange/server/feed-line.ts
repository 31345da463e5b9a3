// One feed connection, without its transport: commands within their rate limit, messages and pings through the fault
// seam. Must never depend on the transport, which is a socket or another part of the same process.
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

/** The caller of a connection. */
export interface FeedCaller {
  /** Name of the caller whose budgets are charged. */
  readonly name: string;
  readonly account: AccountName | null;
}

/** The transport of a connection. */
export interface FeedWire {
  send(text: string): void;
  ping(): void;
  /** Closes with a code and a reason of the WebSocket protocol. */
  end(code: number, reason: string): void;
  /** Terminates without a close frame. */
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

/** What belongs to one connection. */
export interface FeedEnd {
  /** Number of the connection, from 1. */
  readonly number: number;
  readonly caller: FeedCaller;
  readonly wire: FeedWire;
}

const GOING_AWAY = 1001;
const POLICY = 1008;
const TRY_LATER = 1013;

/** A feed connection. */
export class FeedLine {
  readonly #options: FeedLineOptions;
  readonly #peer: FeedEnd;
  readonly #session: FeedSession;
  readonly #closed: () => void;
  readonly #logged: LoggedConnection;
  #isClosed = false;

  /** `closed` is called once, when the connection has closed. */
  constructor(options: FeedLineOptions, peer: FeedEnd, closed: () => void) {
    this.#options = options;
    this.#peer = peer;
    this.#closed = closed;
    const send = (text: string, channel: Channel | null): void => this.#sendMessage(text, channel);
    const { account } = peer.caller;
    this.#logged = { connection: peer.number, account };
    const refused = (fault: FeedFault): void => options.access.commandRefused(this.#logged, fault);
    this.#session = new FeedSession(options.room, { account, send, refused });
    options.access.feedOpened(this.#logged);
  }

  get number(): number {
    return this.#peer.number;
  }

  get caller(): FeedCaller {
    return this.#peer.caller;
  }

  /** Executes a client message within the rate limit. */
  hear(text: string): void {
    if (this.#isClosed) return;
    const { allowances: budgets, tally: counters, now, profile, log, access } = this.#options;
    const { name } = this.#peer.caller;
    counters.feedCommands++;
    access.command(this.#logged, text);
    const at = now();
    if (budgets.take(name, { kind: 'feed', cost: 1 }, at) === null) return this.#session.hear(text);
    this.#session.tooManyRequests();
    if (!profile.limits.closesFeedOverLimit) return;
    const until = budgets.pauseFeed(name, at);
    log.info({ caller: name, seconds: secondsUntil(until, at) }, 'feed closed: too many commands');
    this.#closeWith(POLICY, 'too many requests');
  }

  /** Pings the client. Must be called at the profile's interval. */
  ping(): void {
    if (this.#isClosed) return;
    const { wire, number } = this.#peer;
    this.#options.faults.ping({ connection: number, send: () => this.#isClosed || wire.ping() });
  }

  /** Ends every subscription and the connection, because the client reads too slowly. */
  overflow(): void {
    if (this.#isClosed) return;
    this.#options.log.info({ caller: this.#peer.caller.name }, 'feed closed: its reader is too slow');
    this.#session.overflow();
    this.#closeWith(TRY_LATER, 'slow reader');
  }

  /** Closes the connection because the exchange is stopping. */
  goAway(): void {
    if (!this.#isClosed) this.#closeWith(GOING_AWAY, 'going away');
  }

  /** Terminates the connection without a close frame. */
  hangUp(): void {
    if (this.#isClosed) return;
    this.close();
    this.#peer.wire.hangUp();
  }

  /** Marks the connection as closed: nothing is sent any longer. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#session.close();
    this.#options.access.feedClosed(this.#logged);
    this.#closed();
  }

  #sendMessage(text: string, channel: Channel | null): void {
    const { number, wire, caller } = this.#peer;
    const write = (output: string): void => {
      if (this.#isClosed) return;
      this.#options.tally.feedMessages++;
      wire.send(output);
    };
    this.#options.faults.frame({
      text,
      channel,
      account: caller.account,
      connection: number,
      send: write,
      endChannel: (name) => this.#session.endChannel(name),
      end: (code) => this.#isClosed || this.#closeWith(code, 'going away'),
      hangUp: () => this.hangUp(),
    });
  }

  #closeWith(code: number, reason: string): void {
    this.close();
    this.#peer.wire.end(code, reason);
  }
}
