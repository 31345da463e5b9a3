// One feed connection, without its transport. Client commands are held to their rate limit; messages and pings pass
// through the fault injector. Must never depend on the transport.
import type { Micros } from '../../domain/units.ts';
import type { Logger } from '../../log.ts';
import type { WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';
import type { Channel } from '../../venues/trade-api/wire/wire-records.ts';
import type { AccountName } from '../machine/exchange-input.ts';
import type { AccessLog, LoggedConnection } from '../api/access-log.ts';
import { type CallerBudgets, secondsUntil } from '../api/caller-budgets.ts';
import type { FeedError } from './feed-errors.ts';
import { type FaultInjector, NO_FAULTS } from '../faults/fault-injector.ts';
import { type FeedContext, ClientSession } from './client-session.ts';
import type { TrafficCounters } from '../api/traffic-counters.ts';

/** The caller of a connection: a key with its account, or an address. */
export interface FeedCaller {
  /** Name of the caller whose budgets are charged. */
  readonly name: string;
  readonly account: AccountName | null;
}

/** The transport of a connection. */
export interface FeedTransport {
  sendText(text: string): void;
  sendPing(): void;
  closeWith(code: number, reason: string): void;
  terminate(): void;
}

/** The parts that all connections share. */
export interface ClientConnectionOptions {
  readonly context: FeedContext;
  readonly profile: WireProfile;
  readonly budgets: CallerBudgets;
  readonly faults: FaultInjector;
  readonly counters: TrafficCounters;
  readonly log: Logger;
  readonly access: AccessLog;
  readonly now: () => Micros;
}

/** The parts of one connection. */
export interface FeedPeer {
  /** Number of the connection, from 1. */
  readonly number: number;
  readonly caller: FeedCaller;
  readonly transport: FeedTransport;
}

const GOING_AWAY = 1001;
const POLICY = 1008;
const TRY_LATER = 1013;

/** A feed connection: limits the client's commands, and sends messages until it closes. */
export class ClientConnection {
  readonly #options: ClientConnectionOptions;
  readonly #peer: FeedPeer;
  readonly #session: ClientSession;
  readonly #closed: () => void;
  readonly #logged: LoggedConnection;
  #isClosed = false;

  /** @param closed is called once, when the connection has closed. */
  constructor(options: ClientConnectionOptions, peer: FeedPeer, closed: () => void) {
    this.#options = options;
    this.#peer = peer;
    this.#closed = closed;
    const send = (text: string, channel: Channel | null): void => this.#sendMessage(text, channel);
    const { account } = peer.caller;
    this.#logged = { connection: peer.number, account };
    const refused = (fault: FeedError): void => options.access.logCommandRefused(this.#logged, fault);
    this.#session = new ClientSession(options.context, { account, send, refused });
    options.access.logFeedOpened(this.#logged);
  }

  get number(): number {
    return this.#peer.number;
  }

  get caller(): FeedCaller {
    return this.#peer.caller;
  }

  /**
   * Executes a client message, or refuses it when it exceeds the rate limit. Some profiles then close the connection.
   */
  handleMessage(text: string): void {
    if (this.#isClosed) return;
    const { budgets, counters, now, profile, log, access } = this.#options;
    const { name } = this.#peer.caller;
    counters.feedCommands++;
    access.logCommand(this.#logged, text);
    const at = now();
    if (budgets.charge(name, { kind: 'feed', cost: 1 }, at) === null) return this.#session.handleMessage(text);
    this.#session.refuseOverLimit();
    if (!profile.limits.closesFeedOverLimit) return;
    const until = budgets.pauseFeed(name, at);
    log.info({ caller: name, seconds: secondsUntil(until, at) }, 'feed closed: too many commands');
    this.#closeWith(POLICY, 'too many requests');
  }

  /** Pings the client. Must be called at the profile's interval. */
  sendPing(): void {
    if (this.#isClosed) return;
    const { transport, number } = this.#peer;
    this.#options.faults.onPing({ connection: number, send: () => this.#isClosed || transport.sendPing() });
  }

  /** Ends every subscription and the connection, because the client reads too slowly. */
  closeForOverflow(): void {
    if (this.#isClosed) return;
    this.#options.log.info({ caller: this.#peer.caller.name }, 'feed closed: its reader is too slow');
    this.#session.endForOverflow();
    this.#closeWith(TRY_LATER, 'slow reader');
  }

  closeGoingAway(): void {
    if (!this.#isClosed) this.#closeWith(GOING_AWAY, 'going away');
  }

  terminate(): void {
    if (this.#isClosed) return;
    this.close();
    this.#peer.transport.terminate();
  }

  /** Marks the connection as closed: nothing is sent any longer. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#session.close();
    this.#options.access.logFeedClosed(this.#logged);
    this.#closed();
  }

  #sendMessage(text: string, channel: Channel | null): void {
    // A closed connection must not use up the faults of others.
    if (this.#isClosed) return;
    if (this.#options.faults.onFrame === NO_FAULTS.onFrame) this.#write(text);
    else this.#sendWithFaults(text, channel);
  }

  #write(text: string): void {
    if (this.#isClosed) return;
    this.#options.counters.feedMessages++;
    this.#peer.transport.sendText(text);
  }

  #sendWithFaults(text: string, channel: Channel | null): void {
    const { number, caller } = this.#peer;
    this.#options.faults.onFrame({
      text,
      channel,
      account: caller.account,
      connection: number,
      send: (output) => this.#write(output),
      endChannel: (name) => this.#session.endChannel(name),
      closeWith: (code) => this.#isClosed || this.#closeWith(code, 'going away'),
      terminate: () => this.terminate(),
    });
  }

  #closeWith(code: number, reason: string): void {
    this.close();
    this.#peer.transport.closeWith(code, reason);
  }
}
