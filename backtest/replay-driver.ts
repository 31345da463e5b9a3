// Replays a tape to the simulated venue and to the engine, and carries the messages between them, in one deterministic
// sequence. Must never deliver a row to the engine before it has passed at the venue, nor let time go back. The hot
// path: no object is made for a row without consequences.
import type { Command } from '../src/domain/venue-command.ts';
import type { EngineEvent, Print } from '../src/domain/event.ts';
import { NOTHING_RESTORED } from '../src/domain/operator-order.ts';
import type { Micros } from '../src/domain/units.ts';
import { type Engine, IDLE_STEP } from '../src/engine.ts';
import { LatencyLink } from '../src/venues/simulated/models/latency-link.ts';
import type { SimulatedVenue, VenueEvent } from '../src/venues/simulated/simulator-interfaces.ts';
import { BotSide, type EventReceiver } from './bot-side.ts';
import { type ReplayOptions, type ReplayPhase, type RunObserver, TapeRangeError } from './replay-options.ts';
import { CommandDepartures } from './command-departures.ts';
import { PrivateFeed } from './private-feed.ts';
import { SharedBooks } from './shared-books.ts';
import { RowCursor } from './row-cursor.ts';
import { SharedBlocks } from './shared-blocks.ts';
import { VenueSide } from './venue-side.ts';

const NEVER = Number.POSITIVE_INFINITY;
/** The minimum delay of an immediate wake-up: a live loop's timers are whole milliseconds. Microseconds. */
const TICK = 1000;

/** One run of a tape through the simulated venue and the engine. */
export class ReplayDriver implements EventReceiver {
  readonly engine: Engine;
  readonly venue: SimulatedVenue;
  readonly #options: ReplayOptions;
  readonly #observer: RunObserver;
  readonly #score: NonNullable<RunObserver['score']>;
  readonly #link: LatencyLink;
  readonly #departures: CommandDepartures;
  readonly #privateFeed = new PrivateFeed();
  readonly #venueSide: VenueSide;
  readonly #botSide: BotSide;
  readonly #sharing: SharedBooks;
  /** Arrival of the bot's next row. `#rowDueAt` is infinite while a private event comes first. */
  #nextRowAt = NEVER;
  #rowDueAt = NEVER;
  /** When the next private event, message in flight, and wake-up of the engine are due. */
  #privateAt = NEVER;
  #messageAt = NEVER;
  #wakeUpAt = NEVER;
  /** Start of the session, arrival of the last row, and time at which a stopping session is given up. */
  #startAt: number;
  #lastRowAt = NEVER;
  #giveUpAt = NEVER;
  /** The time of the next event that is not a row. */
  #nextOtherAt = NEVER;
  #isRescheduled = false;
  /** The wake-up time that the engine last asked for, and the time of its last wake-up. */
  #requestedWakeAt: Micros | null = null;
  #wokenAt = Number.NEGATIVE_INFINITY;
  #phase: ReplayPhase = 'warming';
  /** Number of rows to deliver; infinite unless the run was interrupted. */
  #rowsMax = NEVER;
  #otherEvents = 0;

  /** @throws {TapeRangeError} when the tape has no row in the range. */
  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#observer = options.observer ?? {};
    this.#score = this.#observer.score ?? { dueAt: NEVER, onTimePassed: () => undefined };
    this.engine = options.engine;
    const { source, latency, draw, to, from } = options;
    const range = to === undefined ? {} : { to };
    const blocks = new SharedBlocks(source, range, 2);
    const venueCursor = new RowCursor(blocks);
    if (venueCursor.isOver) throw new TapeRangeError('the tape has no row in the range');
    this.#startAt = Math.max(from ?? 0, venueCursor.learnedAt);
    this.#link = new LatencyLink({ latency, draw, venueTime: () => this.venue.now });
    this.#departures = new CommandDepartures(this.#link, options.batchMax ?? 1);
    this.venue = options.openVenue({
      publish: (event) => this.#queuePrivate(event),
      sendAnswer: (events) => this.#link.sendAnswer(events),
      onListChanged: () => this.#onListChanged(),
    });
    this.#venueSide = new VenueSide(this.venue, venueCursor, (market, venueAt, learnedAt) =>
      this.#observer.onOutcome?.(market, venueAt, learnedAt),
    );
    this.#botSide = new BotSide(this.venue, new RowCursor(blocks), this);
    this.#sharing = new SharedBooks({
      venue: this.venue,
      books: this.engine.state.books,
      venueSide: this.#venueSide,
      botSide: this.#botSide,
      marketCount: () => source.tickers.size,
    });
  }

  get now(): Micros {
    return this.#botSide.now;
  }

  get eventCount(): number {
    return this.#otherEvents + this.#botSide.deliveredDeltas;
  }

  get phase(): ReplayPhase {
    return this.#phase;
  }

  get isInterrupted(): boolean {
    return this.#rowsMax !== NEVER || (this.#phase === 'over' && this.#startAt !== NEVER);
  }

  get rowsPassed(): number {
    return this.#venueSide.cursor.passed;
  }

  /** When the recorder learned of the venue's next row; infinite at the end. */
  get nextLearnedAt(): number {
    return this.#venueSide.cursor.learnedAt;
  }

  /**
   * Runs at most `steps` steps. Returns true when there is more to do.
   * @throws {AssertionFault} when an invariant of the framework is broken.
   * @throws {TapeRangeError} when the tape has no row in the range.
   */
  runSteps(steps: number): boolean {
    if (this.#phase === 'over') return false;
    if (this.#phase === 'warming' && !this.#buildBooks(steps)) return true;
    for (let left = steps; left > 0;) {
      const more = this.#advanceBot(this.#advanceVenue(left));
      if (more === left && !this.#runNextOther()) return false;
      left = more === left ? left - 1 : more;
      if (this.#venueSide.cursor.passed >= this.#sharing.searchDueAt && this.#privateAt === NEVER)
        this.#sharing.shareBooks();
    }
    return true;
  }

  /**
   * Passes at most `steps` rows at the venue, and returns the number of steps left. Stops before any other event, and
   * before a message of ours could arrive. The rows pass together, because alternating between venue and bot is
   * expensive. What the venue does by its clock, such as a close or an expiry, comes before the rows of its microsecond.
   */
  #advanceVenue(steps: number): number {
    const venueSide = this.#venueSide;
    const { cursor } = venueSide;
    const until = Math.min(
      this.#nextOtherAt,
      venueSide.wakeAt - 1,
      Math.max(this.#rowDueAt, this.now + this.#options.lookahead),
    );
    let left = steps;
    this.#isRescheduled = false;
    while (left > 0 && !this.#isRescheduled && cursor.venueTime <= until && cursor.venueTime !== NEVER) {
      const { passed } = cursor;
      this.#passVenueRows(cursor.rowAfter(until, left));
      left -= cursor.passed - passed;
    }
    return left;
  }

  /** Passes rows up to `to` at the venue. Stops at the first row with consequences. */
  #passVenueRows(to: number): void {
    const venueSide = this.#venueSide;
    const { cursor } = venueSide;
    const end = cursor.passed + to - cursor.row;
    while (cursor.passed < end && !this.#isRescheduled) {
      venueSide.passUnaffected(to);
      if (cursor.passed < end && venueSide.passRow()) this.#reschedule();
    }
  }

  /** Delivers at most `steps` rows to the bot, and returns the number of steps left. Stops before any other event. */
  #advanceBot(steps: number): number {
    const venueCursor = this.#venueSide.cursor;
    const { cursor } = this.#botSide;
    let left = steps;
    while (left > 0 && this.#rowDueAt < this.#nextOtherAt && this.#rowDueAt < venueCursor.venueTime) {
      const { passed } = cursor;
      this.#deliverRows(left);
      left -= cursor.passed - passed;
    }
    return left;
  }

  interruptRun(): void {
    if (this.#phase === 'stopping' || this.#phase === 'over' || this.#rowsMax !== NEVER) return;
    if (this.#phase === 'warming' || this.#startAt !== NEVER) this.#phase = 'over';
    const { cursor } = this.#venueSide;
    cursor.endTape();
    // Rows that have passed at the venue still arrive.
    this.#rowsMax = cursor.passed;
    this.#scheduleNextRow();
    this.#reschedule();
  }

  /** Builds the books from the rows before the session. Returns true when the session may start. */
  #buildBooks(steps: number): boolean {
    const venueSide = this.#venueSide;
    const botCursor = this.#botSide.cursor;
    for (let left = steps; venueSide.cursor.learnedAt < this.#startAt; left--) {
      if (left <= 0) return false;
      if (venueSide.cursor.venueTime >= venueSide.wakeAt) venueSide.advanceClock(venueSide.cursor.venueTime);
      venueSide.passRow();
      while (botCursor.passed < venueSide.cursor.passed) botCursor.nextRow();
    }
    if (venueSide.cursor.isOver) throw new TapeRangeError('the tape has no row in the range');
    this.#phase = 'replaying';
    this.#scheduleNextRow();
    this.#reschedule();
    return true;
  }

  /** Delivers as many deltas as possible at once, or a single row. */
  #deliverRows(most: number): void {
    const at = this.#nextRowAt;
    const { feedDelay } = this.#options;
    const botSide = this.#botSide;
    if (at >= this.#score.dueAt) this.#score.onTimePassed(at);
    const { passed } = botSide.cursor;
    let commands = feedDelay === 'drawn' ? IDLE_STEP : this.#deliverDeltas(most, feedDelay);
    if (botSide.cursor.passed === passed) {
      botSide.now = at as Micros;
      commands = botSide.deliverRow();
    }
    if (commands !== IDLE_STEP) this.#handleCommands(commands);
    this.#scheduleNextRow();
  }

  /** Stops before any other event, and after a delta with consequences. */
  #deliverDeltas(most: number, feedDelay: 'recorded' | number): readonly Command[] {
    const { cursor } = this.#botSide;
    const [column, delay] = feedDelay === 'recorded' ? (['at', 0] as const) : (['time', feedDelay] as const);
    const before = Math.min(this.#nextOtherAt, this.#venueSide.cursor.venueTime, this.#score.dueAt) - delay;
    const rows = Math.min(most, this.#privateFeed.rowsBefore - cursor.passed, this.#rowsMax - cursor.passed);
    return this.#botSide.deliverDeltas(cursor.rowFrom(column, before, rows), column, delay);
  }

  #scheduleNextRow(): void {
    const { cursor } = this.#botSide;
    const { feedDelay } = this.#options;
    if (cursor.passed >= this.#rowsMax) cursor.endTape();
    if (cursor.isOver && this.#lastRowAt === NEVER) this.#lastRowAt = this.now;
    const { learnedAt } = cursor;
    const at = feedDelay === 'recorded' || learnedAt === NEVER ? learnedAt : this.#rowArrival(feedDelay);
    this.#nextRowAt = at;
    this.#rowDueAt = at;
    if (cursor.passed >= this.#privateFeed.rowsBefore || at === NEVER) this.#reschedule();
  }

  #rowArrival(feedDelay: number | 'drawn'): number {
    const { latency, draw } = this.#options;
    const { venueTime } = this.#botSide.cursor;
    const delay = feedDelay === 'drawn' ? latency.drawDelay('feed', { at: venueTime as Micros }, draw) : feedDelay;
    return Math.max(venueTime + delay, this.now);
  }

  onPrint(print: Print): void {
    this.#otherEvents += 1;
    this.#handleCommands(this.engine.step(print));
  }

  /** Sends the engine's commands. Asks for the next wake-up only when it may have changed. */
  #handleCommands(commands: readonly Command[]): void {
    if (commands.length > 0) this.#send(commands);
    else if (this.engine.wakeAt() === this.#requestedWakeAt) return;
    this.#scheduleWakeUp();
  }

  onEvent(event: EngineEvent): void {
    this.#otherEvents += 1;
    this.#observer.beforeEvent?.(event);
    this.#handleCommands(this.engine.step(event));
  }

  #send(commands: readonly Command[]): void {
    const { now } = this;
    this.#observer.onCommands?.(commands, now);
    this.#departures.sendCommands(commands, now);
  }

  #scheduleWakeUp(): void {
    this.#requestedWakeAt = this.engine.wakeAt();
    const soonest = this.now > this.#wokenAt ? this.now : this.#wokenAt + TICK;
    this.#wakeUpAt = this.#requestedWakeAt === null ? NEVER : Math.max(this.#requestedWakeAt, soonest);
    this.#reschedule();
  }

  #onListChanged(): void {
    if (this.#phase === 'warming') return;
    this.engine.onListChanged(this.venue.now);
    this.#scheduleWakeUp();
  }

  #queuePrivate(event: VenueEvent): void {
    const { cursor } = this.#venueSide;
    const { latency } = this.#options;
    if (latency.onRecordedDelay !== undefined && cursor.recorderDelay >= 0)
      latency.onRecordedDelay(cursor.recorderDelay);
    this.#privateFeed.pushEvent(event, this.#link.arrivalOf('feed', this.venue.now), cursor.passed);
    // The event may have given the venue something to do at once.
    this.#venueSide.updateWakeAt();
    this.#reschedule();
  }

  #reschedule(): void {
    this.#isRescheduled = true;
    const isPrivateNext = this.#botSide.cursor.passed >= this.#privateFeed.rowsBefore;
    // A private event arrives no later than the next row, even a row with a recorded delay.
    this.#privateAt = isPrivateNext
      ? Math.min(Math.max(this.#privateFeed.arrivesAt, this.now), this.#nextRowAt)
      : NEVER;
    this.#rowDueAt = isPrivateNext ? NEVER : this.#nextRowAt;
    this.#messageAt = this.#link.nextAt();
    const { wakeAt } = this.#venueSide;
    this.#nextOtherAt = Math.min(
      Math.min(this.#startAt, wakeAt, this.#messageAt),
      Math.min(this.#privateAt, this.#wakeUpAt),
      this.#stopOrGiveUpAt(),
    );
  }

  /** After the last row, private events in flight may still delay the stop. */
  #stopOrGiveUpAt(): number {
    if (this.#giveUpAt !== NEVER) return this.#giveUpAt;
    if (!this.#botSide.cursor.isOver || this.#startAt !== NEVER) return NEVER;
    const { source, to, stopWithin } = this.#options;
    const end = this.#rowsMax === NEVER ? Math.min(to ?? NEVER, source.facts.to) : 0;
    return Math.max(
      this.now,
      Math.max(end, this.#lastRowAt) + (this.#privateFeed.rowsBefore === NEVER ? 0 : stopWithin),
    );
  }

  /** Returns true when there is more to do. */
  #runNextOther(): boolean {
    const at = this.#nextOtherAt;
    if (at === NEVER || this.#phase === 'over') return this.#finish();
    if (at >= this.#score.dueAt) this.#score.onTimePassed(at);
    if (at === this.#startAt) this.#startSession(at as Micros);
    else if (at === this.#venueSide.wakeAt) this.#venueSide.advanceClock(at);
    else if (at === this.#messageAt) this.#deliverMessage();
    else if (at === this.#privateAt) this.#deliverPrivate(at as Micros);
    else if (at === this.#wakeUpAt) this.#wakeEngine(at as Micros);
    else if (this.#phase === 'stopping') return this.#finish();
    else this.#stopSession(at as Micros);
    this.#reschedule();
    return this.#phase !== 'stopping' || this.engine.session.phase !== 'stopped' || this.#finish();
  }

  #finish(): boolean {
    this.#phase = 'over';
    return false;
  }

  #startSession(at: Micros): void {
    this.#botSide.now = at;
    this.#startAt = NEVER;
    this.onEvent({ kind: 'start', at, session: this.#options.session, carried: NOTHING_RESTORED });
    this.venue.now = at;
    this.venue.connectFeed();
    this.#venueSide.updateWakeAt();
  }

  #deliverMessage(): void {
    const message = this.#link.takeNext();
    if (message === undefined) return;
    if (message.leg !== 'order') {
      this.#botSide.now = message.at;
      this.#departures.beforeAnswer(message.isFollowed);
      this.onEvent(message.event);
      return this.#departures.afterAnswer(message.isFollowed, message.at);
    }
    this.venue.now = message.at;
    const { command, at, sentAt } = message;
    const commands = command.type === 'batch' ? command.commands : [command];
    for (const each of commands) this.#observer.onArrival?.(each, at, sentAt);
    if (command.type === 'batch') this.venue.handleBatch(command, sentAt);
    else this.venue.handleCommand(command, sentAt);
    this.#venueSide.updateWakeAt();
  }

  #deliverPrivate(at: Micros): void {
    this.#botSide.now = at;
    const event = this.#privateFeed.takeEvent(at);
    if (event !== null) this.onEvent(event);
  }

  #wakeEngine(at: Micros): void {
    this.#botSide.now = at;
    this.#wokenAt = at;
    this.onEvent({ kind: 'timer', at });
    this.#scheduleWakeUp();
  }

  #stopSession(at: Micros): void {
    this.#botSide.now = at;
    this.#phase = 'stopping';
    this.#giveUpAt = at + this.#options.stopWithin;
    this.onEvent({ kind: 'stop', at, reason: this.#rowsMax === NEVER ? 'the tape is over' : 'the run was ended' });
  }
}
