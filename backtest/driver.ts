// Replays a tape to the simulated venue and to the engine, each at its own time, and carries what they say to each other:
// one deterministic order of everything, rows, commands, answers and timers. The hot path of a backtest: no object is made
// for a row that nobody answers. Must never show the engine a row before the venue had it, nor let time go back.
import type { Command } from '../src/domain/command.ts';
import type { EngineEvent, Print } from '../src/domain/event.ts';
import { NOTHING_CARRIED } from '../src/domain/operator.ts';
import type { Micros } from '../src/domain/units.ts';
import { type Engine, STILL } from '../src/engine.ts';
import { Courier } from '../src/venues/simulated/courier.ts';
import type { SimulatedVenue, VenueEvent } from '../src/venues/simulated/ports.ts';
import { BotSide, type RowTaker } from './bot-side.ts';
import { type DriverOptions, type DriverPhase, type Onlooker, TapeRangeError } from './driver-options.ts';
import { FeedLine } from './feed-line.ts';
import { LentBooks } from './lent-books.ts';
import { RowCursor } from './row-cursor.ts';
import { RowLine } from './row-line.ts';
import { VenueSide } from './venue-side.ts';

const NEVER = Number.POSITIVE_INFINITY;
/** A live loop's timers are whole milliseconds: an engine that asks to be woken at once is, so much later. */
const TICK = 1000;

/** One run over a tape. */
export class Driver implements RowTaker {
  readonly engine: Engine;
  readonly venue: SimulatedVenue;
  readonly #options: DriverOptions;
  readonly #onlooker: Onlooker;
  readonly #score: NonNullable<Onlooker['score']>;
  readonly #courier: Courier;
  readonly #feed = new FeedLine();
  readonly #there: VenueSide;
  readonly #here: BotSide;
  readonly #lent: LentBooks;
  /** When the bot's next row arrives; and the same, but infinite while a word comes before it. */
  #rowAt = NEVER;
  #hereAt = NEVER;
  /** When the next word of the feed, parcel, and timer of the engine's are due. */
  #wordAt = NEVER;
  #parcelAt = NEVER;
  #engineAt = NEVER;
  /** When the session begins, when the last row has come, and when the session is given up while it stops. */
  #beginAt: number;
  #rowsOverAt = NEVER;
  #endAt = NEVER;
  /** When the first of all these is due, and what happens at the venue by the clock alone. */
  #otherAt = NEVER;
  /** Whether that was reckoned anew since this was last set to false. */
  #isStirred = false;
  /** When the engine last asked to be woken, and when it was. */
  #wanted: Micros | null = null;
  #wokenAt = Number.NEGATIVE_INFINITY;
  #phase: DriverPhase = 'warming';
  /** So many rows are shown at the most: fewer than there are when the run is ended before its time. */
  #rowsMax = NEVER;
  /** How many events the engine has been told, changes of levels aside. */
  #told = 0;

  /**
   * @throws {TapeRangeError} when the tape has no row in the range.
   */
  constructor(options: DriverOptions) {
    this.#options = options;
    this.#onlooker = options.onlooker ?? {};
    this.#score = this.#onlooker.score ?? { dueAt: NEVER, passed: () => undefined };
    this.engine = options.engine;
    const { source, latency, draw, to, from } = options;
    const range = to === undefined ? {} : { to };
    const line = new RowLine(source, range, 2);
    const there = new RowCursor(line);
    if (there.isOver) throw new TapeRangeError('the tape has no row in the range');
    this.#beginAt = Math.max(from ?? 0, there.learnedAt);
    this.#courier = new Courier({ latency, draw, venueTime: () => this.venue.now });
    this.venue = options.openVenue({
      feed: (event) => this.#say(event),
      answer: (events) => this.#courier.answer(events),
    });
    this.#there = new VenueSide(this.venue, there, (market, venueAt, learnedAt) =>
      this.#onlooker.determined?.(market, venueAt, learnedAt),
    );
    this.#here = new BotSide(this.venue, new RowCursor(line), this);
    this.#lent = new LentBooks({
      venue: this.venue,
      books: this.engine.state.books,
      there: this.#there,
      here: this.#here,
      marketCount: () => source.tickers.size,
    });
  }

  /** The time of the latest thing that happened to the bot. */
  get now(): Micros {
    return this.#here.now;
  }

  /** How many events the engine has been told. */
  get told(): number {
    return this.#told + this.#here.told;
  }

  get phase(): DriverPhase {
    return this.#phase;
  }

  /** Whether the run was ended before its time. */
  get isInterrupted(): boolean {
    return this.#rowsMax !== NEVER || (this.#phase === 'over' && this.#beginAt !== NEVER);
  }

  /** How many rows have passed at the venue. */
  get rows(): number {
    return this.#there.cursor.passed;
  }

  /** The time of the row that is next at the venue; infinite at the end. */
  get reached(): number {
    return this.#there.cursor.learnedAt;
  }

  /**
   * Goes on for so many steps. Returns whether there is more to be done.
   * @throws {AssertionFault} when an invariant of the house is broken.
   */
  advance(steps: number): boolean {
    if (this.#phase === 'over') return false;
    if (this.#phase === 'warming' && !this.#warm(steps)) return true;
    for (let left = steps; left > 0;) {
      const more = this.#runHere(this.#runThere(left));
      if (more === left && !this.#passOther()) return false;
      left = more === left ? left - 1 : more;
      if (this.#there.cursor.passed >= this.#lent.dueAt && this.#wordAt === NEVER) this.#lent.lend();
    }
    return true;
  }

  /**
   * Rows pass at the venue, so many at the most: those that come before anything else, and before any word of ours could
   * arrive. Many at a time: going to and fro between two sets of books costs more than either. Returns how many are left.
   */
  #runThere(steps: number): number {
    const there = this.#there;
    const { cursor } = there;
    const until = Math.min(this.#otherAt, there.wakeAt, Math.max(this.#hereAt, this.now + this.#options.lookahead));
    let left = steps;
    this.#isStirred = false;
    while (left > 0 && !this.#isStirred && cursor.venueTime <= until && cursor.venueTime !== NEVER) {
      const { passed } = cursor;
      this.#passThere(cursor.rowAfter(until, left));
      left -= cursor.passed - passed;
    }
    return left;
  }

  /** Rows up to one of this block pass at the venue, until one has consequences. */
  #passThere(to: number): void {
    const there = this.#there;
    const { cursor } = there;
    const end = cursor.passed + to - cursor.row;
    while (cursor.passed < end && !this.#isStirred) {
      there.passQuiet(to);
      if (cursor.passed < end && there.passRow()) this.#reckon();
    }
  }

  /** Rows reach the bot, so many at the most: those that come before anything else. Returns how many are left. */
  #runHere(steps: number): number {
    const there = this.#there.cursor;
    const { cursor } = this.#here;
    let left = steps;
    while (left > 0 && this.#hereAt < this.#otherAt && this.#hereAt < there.venueTime) {
      const { passed } = cursor;
      this.#passHere(left);
      left -= cursor.passed - passed;
    }
    return left;
  }

  /** Ends the run before its time: what is left of the tape is not read. */
  interrupt(): void {
    if (this.#phase === 'stopping' || this.#phase === 'over' || this.#rowsMax !== NEVER) return;
    if (this.#phase === 'warming' || this.#beginAt !== NEVER) this.#phase = 'over';
    const { cursor } = this.#there;
    cursor.end();
    // What has passed at the venue still arrives.
    this.#rowsMax = cursor.passed;
    this.#nextRow();
    this.#reckon();
  }

  /** Builds the books from what comes before the session. Returns whether it may begin. */
  #warm(steps: number): boolean {
    const there = this.#there;
    const here = this.#here.cursor;
    for (let left = steps; there.cursor.learnedAt < this.#beginAt; left--) {
      if (left <= 0) return false;
      if (there.cursor.venueTime >= there.wakeAt) there.passTime(there.cursor.venueTime);
      there.passRow();
      while (here.passed < there.cursor.passed) here.next();
    }
    if (there.cursor.isOver) throw new TapeRangeError('the tape has no row from the beginning of the range on');
    this.#phase = 'replaying';
    this.#nextRow();
    this.#reckon();
    return true;
  }

  /** Rows reach the bot: as many as may be told one right after another, or one. */
  #passHere(most: number): void {
    const at = this.#rowAt;
    const { feedDelay } = this.#options;
    const here = this.#here;
    if (at >= this.#score.dueAt) this.#score.passed(at);
    const { passed } = here.cursor;
    let commands = feedDelay === 'drawn' ? STILL : this.#passMany(most, feedDelay);
    if (here.cursor.passed === passed) {
      here.now = at as Micros;
      commands = here.passRow();
    }
    if (commands !== STILL) this.#after(commands);
    this.#nextRow();
  }

  /** Changes of levels reach the bot, as many as come before anything else does, and until one has consequences. */
  #passMany(most: number, feedDelay: 'recorded' | number): readonly Command[] {
    const { cursor } = this.#here;
    const [column, delay] = feedDelay === 'recorded' ? (['at', 0] as const) : (['time', feedDelay] as const);
    const before = Math.min(this.#otherAt, this.#there.cursor.venueTime, this.#score.dueAt) - delay;
    const rows = Math.min(most, this.#feed.after - cursor.passed, this.#rowsMax - cursor.passed);
    return this.#here.passLevels(cursor.rowFrom(column, before, rows), column, delay);
  }

  /** Reckons when the bot's next row arrives. */
  #nextRow(): void {
    const { cursor } = this.#here;
    const { feedDelay } = this.#options;
    if (cursor.passed >= this.#rowsMax) cursor.end();
    if (cursor.isOver && this.#rowsOverAt === NEVER) this.#rowsOverAt = this.now;
    const { learnedAt } = cursor;
    const at = feedDelay === 'recorded' || learnedAt === NEVER ? learnedAt : this.#arrival(feedDelay);
    this.#rowAt = at;
    this.#hereAt = at;
    if (cursor.passed >= this.#feed.after || at === NEVER) this.#reckon();
  }

  #arrival(feedDelay: number | 'drawn'): number {
    const { latency, draw } = this.#options;
    const { venueTime } = this.#here.cursor;
    const delay = feedDelay === 'drawn' ? latency.delay('feed', venueTime as Micros, draw) : feedDelay;
    return Math.max(venueTime + delay, this.now);
  }

  /** Tells the engine that somebody traded. */
  trade(print: Print): void {
    this.#told += 1;
    this.#after(this.engine.step(print));
  }

  /** The engine was told something: sends what it says, and asks when it wants to be woken if that may be another time. */
  #after(commands: readonly Command[]): void {
    if (commands.length > 0) this.#send(commands);
    else if (this.engine.wakeAt() === this.#wanted) return;
    this.#askEngine();
  }

  /** Tells the engine something that is neither a change of a level nor a trade. */
  tell(event: EngineEvent): void {
    this.#told += 1;
    this.#onlooker.telling?.(event);
    this.#after(this.engine.step(event));
  }

  #send(commands: readonly Command[]): void {
    const { now } = this;
    this.#onlooker.commands?.(commands, now);
    for (const command of commands) this.#courier.send(command, now);
  }

  /** Asks the engine when it wants to be woken. */
  #askEngine(): void {
    this.#wanted = this.engine.wakeAt();
    const soonest = this.now > this.#wokenAt ? this.now : this.#wokenAt + TICK;
    this.#engineAt = this.#wanted === null ? NEVER : Math.max(this.#wanted, soonest);
    this.#reckon();
  }

  /** The venue streams something to us. */
  #say(event: VenueEvent): void {
    const { cursor } = this.#there;
    const { latency } = this.#options;
    if (latency.heard !== undefined && cursor.late >= 0) latency.heard(cursor.late);
    this.#feed.push(event, this.#courier.arrivalOf('feed', this.venue.now), cursor.passed);
    // What it tells of may leave something to be done at once.
    this.#there.look();
    this.#reckon();
  }

  /** Reckons what is due first beside rows. */
  #reckon(): void {
    this.#isStirred = true;
    const isWordNext = this.#here.cursor.passed >= this.#feed.after;
    // No later than the row behind it: what was recorded arrives when it was recorded.
    this.#wordAt = isWordNext ? Math.min(Math.max(this.#feed.at, this.now), this.#rowAt) : NEVER;
    this.#hereAt = isWordNext ? NEVER : this.#rowAt;
    this.#parcelAt = this.#courier.nextAt();
    const { wakeAt } = this.#there;
    this.#otherAt = Math.min(
      Math.min(this.#beginAt, wakeAt, this.#parcelAt),
      Math.min(this.#wordAt, this.#engineAt),
      this.#lastAt(),
    );
  }

  /** When the session is stopped, or given up: not before the last row has come, and the words behind it for a while. */
  #lastAt(): number {
    if (this.#endAt !== NEVER) return this.#endAt;
    if (!this.#here.cursor.isOver || this.#beginAt !== NEVER) return NEVER;
    const { source, to, stopWithin } = this.#options;
    const end = this.#rowsMax === NEVER ? Math.min(to ?? NEVER, source.facts.to) : 0;
    return Math.max(this.now, Math.max(end, this.#rowsOverAt) + (this.#feed.after === NEVER ? 0 : stopWithin));
  }

  /** What is due first beside rows happens. Returns whether there is more. */
  #passOther(): boolean {
    const at = this.#otherAt;
    if (at === NEVER || this.#phase === 'over') return this.#end();
    if (at >= this.#score.dueAt) this.#score.passed(at);
    if (at === this.#beginAt) this.#begin(at as Micros);
    else if (at === this.#there.wakeAt) this.#there.passTime(at);
    else if (at === this.#parcelAt) this.#deliver();
    else if (at === this.#wordAt) this.#hear(at as Micros);
    else if (at === this.#engineAt) this.#wake(at as Micros);
    else if (this.#phase === 'stopping') return this.#end();
    else this.#stop(at as Micros);
    this.#reckon();
    return this.#phase !== 'stopping' || this.engine.session.phase !== 'stopped' || this.#end();
  }

  #end(): boolean {
    this.#phase = 'over';
    return false;
  }

  #begin(at: Micros): void {
    this.#here.now = at;
    this.#beginAt = NEVER;
    this.tell({ kind: 'start', at, session: this.#options.session, carried: NOTHING_CARRIED });
    this.venue.now = at;
    this.venue.connect();
    this.#there.look();
  }

  /** A command arrives at the venue, or an answer to one at the bot. */
  #deliver(): void {
    const parcel = this.#courier.next();
    if (parcel === undefined) return;
    if (parcel.leg !== 'order') {
      this.#here.now = parcel.at;
      return this.tell(parcel.event);
    }
    this.venue.now = parcel.at;
    this.#onlooker.arrived?.(parcel.command, parcel.at, parcel.sentAt);
    this.venue.take(parcel.command, parcel.sentAt);
    this.#there.look();
  }

  /** A word of the feed reaches the bot. */
  #hear(at: Micros): void {
    this.#here.now = at;
    const event = this.#feed.take(at);
    if (event !== null) this.tell(event);
  }

  #wake(at: Micros): void {
    this.#here.now = at;
    this.#wokenAt = at;
    this.tell({ kind: 'timer', at });
    this.#askEngine();
  }

  #stop(at: Micros): void {
    this.#here.now = at;
    this.#phase = 'stopping';
    this.#endAt = at + this.#options.stopWithin;
    this.tell({ kind: 'stop', at, reason: this.#rowsMax === NEVER ? 'the tape is over' : 'the run was ended' });
  }
}
