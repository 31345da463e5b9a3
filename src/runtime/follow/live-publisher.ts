// Publishes a session to the consoles that follow it. Must never slow or stop trading: a fault here ends only the
// followers' connections. A slow follower misses frames, and is disconnected in the end.
import type { Socket } from 'node:net';
import type { ClientOrderId, MarketIndex } from '../../domain/ids.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import type { Logger } from '../../log.ts';
import type { Scheduler, Timer } from '../../transport/scheduler.ts';
import { type FollowRequest, type LiveSessionPart, watchRequestSchema } from './follow-messages.ts';
import type { FollowSource } from './follow-source.ts';
import { Follower, type FollowParts } from './follower.ts';
import { MarketBaselines } from './market-baselines.ts';
import { MarketTable } from './market-table.ts';
import { SessionPart } from './session-part.ts';
import { SessionWatch } from './session-watch.ts';

export interface LivePublisherOptions {
  readonly source: FollowSource;
  readonly scheduler: Scheduler;
  readonly log: Logger;
}

/** Most followers at once. */
export const FOLLOWERS_MAX = 4;
const LINE_CHARACTERS_MAX = 65_536;
const LINES_PER_SECOND_MAX = 20;
const UPKEEP_MS = 1000;
/** After this many faults within an hour, the live connection is off. */
const FAULTS_MAX = 5;
const FAULTS_WITHIN_MS = 3_600_000;

interface Connection {
  readonly follower: Follower;
  readonly socket: Socket;
  timer: Timer | null;
  isMoreDue: boolean;
  text: string;
  /** Number of lines in the second that began at `secondMs`. */
  lines: number;
  secondMs: number;
}

/** The bot's end of the live connection. */
export class LivePublisher {
  readonly #options: LivePublisherOptions;
  readonly #parts: FollowParts;
  readonly #baselines: MarketBaselines;
  /** Added when a connection is accepted; removed when it is closed. */
  readonly #connections = new Set<Connection>();
  #upkeepTimer: Timer | null = null;
  #isEnded = false;
  /** Times of the latest faults, by the scheduler's clock. Milliseconds. */
  #faultTimes: readonly number[] = [];

  constructor(options: LivePublisherOptions) {
    this.#options = options;
    const { source } = options;
    const { state, risk } = source.engine;
    const baselines = new MarketBaselines(state, risk);
    const table = new MarketTable(state, baselines);
    const watch = new SessionWatch(state, {
      markOrder: (id) => this.#forEach((follower) => follower.markOrder(id)),
      dropOrder: (id: ClientOrderId) => this.#forEach((follower) => follower.dropOrder(id)),
      markMarket: (market) => table.markChanged(market),
      markEvicted: (market) => this.#dropMarket(market),
    });
    this.#baselines = baselines;
    this.#parts = { source, table, watch, session: new SessionPart(source, watch, () => table.untrustedCount()) };
    this.#scheduleUpkeep();
  }

  #forEach(act: (follower: Follower) => void): void {
    for (const { follower } of this.#connections) act(follower);
  }

  #dropMarket(market: MarketIndex): void {
    this.#parts.table.dropRow(market);
    this.#forEach((follower) => follower.markDropped(market));
  }

  /** Publishes a notice. Never throws: a fault here must not reach the engine. */
  publishNotice(notice: Notice): void {
    if (this.#isEnded) return;
    this.#guard(() => {
      this.#parts.watch.addNotice(notice);
      if (notice.type === 'phase') this.#startDay();
    });
  }

  readSession(): LiveSessionPart {
    return this.#parts.session.read();
  }

  #startDay(): void {
    if (this.#baselines.startDay()) this.#parts.table.markPositions();
  }

  #scheduleUpkeep(): void {
    this.#upkeepTimer = this.#options.scheduler.after(UPKEEP_MS, () => {
      this.#scheduleUpkeep();
      this.#guard(() => {
        this.#startDay();
        this.#parts.watch.reportDenials(this.#parts.source.engine.state.now);
      });
    });
  }

  /** A fault is logged and disconnects all followers; the session goes on. */
  #guard(act: () => void): void {
    try {
      act();
    } catch (fault) {
      this.#onFault(fault);
    }
  }

  /** Disconnects all followers. They may come back unless the faults of the last hour were too many. */
  #onFault(err: unknown): void {
    const now = this.#options.scheduler.now();
    this.#faultTimes = [...this.#faultTimes.filter((at) => now - at < FAULTS_WITHIN_MS), now];
    const isLast = this.#faultTimes.length >= FAULTS_MAX;
    const outcome = isLast ? 'it is off until the next start' : 'its followers are disconnected';
    this.#options.log.error({ err }, `the live connection of the console failed: ${outcome}`);
    if (isLast) this.#end();
    for (const { follower } of this.#connections) follower.destroy();
  }

  /** Accepts a follower. Returns `null`, or the reason of a refusal. */
  acceptFollower(socket: Socket, { version, hz }: FollowRequest, rest: string): string | null {
    if (this.#isEnded) return 'the live connection is off: the log says why';
    if (this.#parts.source.sessionName() === '') return 'the session has not started yet';
    if (this.#connections.size >= FOLLOWERS_MAX) return `${FOLLOWERS_MAX} consoles follow this bot already`;
    const follower = new Follower(socket, { hz }, this.#parts);
    const connection: Connection = { follower, socket, timer: null, isMoreDue: false, text: '', lines: 0, secondMs: 0 };
    socket.on('close', () => this.#removeConnection(connection));
    socket.on('data', (part: string) => this.#guard(() => this.#receive(connection, part)));
    this.#guard(() => {
      this.#connections.add(connection);
      this.#startTable();
      follower.start(version);
      this.#receive(connection, rest);
      this.#tick(connection);
    });
    return null;
  }

  /** Fills the table, and adds orders that no notice has shown. */
  #startTable(): void {
    const { table, watch, source } = this.#parts;
    for (const order of source.engine.state.orders.unfinishedOrders()) watch.orders.addOrder(order);
    table.start();
    this.#refresh();
  }

  #refresh(): void {
    const changes = this.#parts.table.refresh();
    this.#forEach((follower) => follower.markMarkets(changes));
  }

  #tick(connection: Connection): void {
    const { scheduler } = this.#options;
    if (!this.#connections.has(connection)) return;
    this.#refresh();
    const result = connection.follower.sendDue(scheduler.now());
    if (result === 'end') return connection.follower.destroy();
    if (result === 'more') this.#sendMoreSoon(connection);
    connection.timer = scheduler.after(1000 / connection.follower.hz, () => this.#guard(() => this.#tick(connection)));
  }

  #sendMoreSoon(connection: Connection): void {
    if (connection.isMoreDue) return;
    connection.isMoreDue = true;
    this.#options.scheduler.soon(() =>
      this.#guard(() => {
        connection.isMoreDue = false;
        if (!this.#connections.has(connection)) return;
        if (connection.follower.sendMore() === 'more') this.#sendMoreSoon(connection);
      }),
    );
  }

  /** Handles the lines of a follower. Too many lines or an unknown line disconnect it. */
  #receive(connection: Connection, part: string): void {
    const lines = (connection.text + part).split('\n');
    connection.text = lines.pop() ?? '';
    if (connection.text.length > LINE_CHARACTERS_MAX) return connection.follower.destroy();
    for (const line of lines) {
      const tickers = this.#isFlooding(connection) ? null : watchedBy(line);
      if (tickers === null) return connection.follower.destroy();
      connection.follower.watchMarkets(tickers);
    }
  }

  #isFlooding(connection: Connection): boolean {
    const now = this.#options.scheduler.now();
    if (now - connection.secondMs >= 1000) {
      connection.secondMs = now;
      connection.lines = 0;
    }
    connection.lines += 1;
    return connection.lines > LINES_PER_SECOND_MAX;
  }

  #removeConnection(connection: Connection): void {
    if (connection.timer) this.#options.scheduler.cancel(connection.timer);
    if (this.#connections.delete(connection) && this.#connections.size === 0) this.#parts.table.stop();
  }

  #end(): void {
    this.#isEnded = true;
    if (this.#upkeepTimer) this.#options.scheduler.cancel(this.#upkeepTimer);
    for (const { timer } of this.#connections) if (timer) this.#options.scheduler.cancel(timer);
  }

  close(): void {
    if (this.#isEnded) return;
    this.#guard(() => {
      this.#refresh();
      for (const { follower } of this.#connections) follower.endInOrder(this.#options.scheduler.now());
    });
    this.#end();
  }
}

/** Returns the markets to watch; `null` for any other line. */
function watchedBy(line: string): readonly string[] | null {
  try {
    return watchRequestSchema.safeParse(JSON.parse(line)).data?.markets ?? null;
  } catch {
    return null;
  }
}
