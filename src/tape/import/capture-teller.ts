// Imports the messages of a capture, in order: leaves out what does not belong, dates the rest, and audits the books.
// Must never read more into the normalizer's events than they say.
import type { BookDelta, BookSnapshot, EngineEvent, FeedGap } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { Frame, Normalizer } from '../../venue.ts';
import { BookAudit, type BookFault } from './book-audit.ts';
import type { Captured, CapturedLine } from './captured-line.ts';
import { type ImportPlace, ImportFault } from './fault.ts';
import { Connections } from './connections.ts';
import { type FindingKind, found } from './findings.ts';
import type { Telling } from './importer.ts';
import type { LineFrame } from './line-frame.ts';
import type { Moment } from '../../domain/moment.ts';
import { MomentReader } from './moment-reader.ts';
import { TimeWithin } from './time-within.ts';
import type { FeedDialect, JsonRecord } from './wire.ts';

/** Origin that a recorder gives a snapshot made from its own book, when it began another file. */
const BOUNDARY = 'chunk_boundary';
/** Maximum of events held while no message has had a time. */
const UNDATED_MAX = 100_000;

type Message = Extract<CapturedLine, { kind: 'message' }>;

/** Kind of finding for a note of the normalizer, by the note's beginning. */
const NOTES: readonly (readonly [string, FindingKind])[] = [
  ['field ', 'unknown-member'],
  ['value ', 'unknown-member'],
  ['type ', 'unknown-message'],
  ['feed error', 'unknown-message'],
  ['market of ', 'unknown-market'],
  ['gap ', 'lost-messages'],
];

/** The normalizer's events about the connection, which concern only the recorder. */
const CONTROL: ReadonlySet<EngineEvent['kind']> = new Set(['feed-heard', 'feed-channel', 'feed-up', 'feed-down']);

/** Imports one capture. */
export class CaptureTeller {
  readonly dialect: FeedDialect;
  readonly #telling: Telling;
  readonly #normalizer: Normalizer;
  readonly #audit = new BookAudit();
  readonly #moments: MomentReader;
  readonly #connections: Connections;
  readonly #within: TimeWithin;
  /** True when lines have times of receipt. */
  #hasReceived = false;
  /** Events held until the first time; `null` afterwards. */
  #undated: EngineEvent[] | null = [];
  /** The line being imported. */
  #place: ImportPlace = { file: '', line: null };
  #at: Micros | null = null;
  #origin: string | null = null;
  #isAside = false;
  /** The unreadable part of the line, until it is known whether it makes books unknown; and true when it did. */
  #unread: string | null = null;
  #hasGap = false;
  /** Time of the last row. */
  #lastAt: Micros | null = null;
  readonly #hear = (event: EngineEvent): void => this.#heard(event);

  constructor(telling: Telling, dialect: FeedDialect) {
    this.#telling = telling;
    this.dialect = dialect;
    this.#normalizer = dialect.normalizer(telling.tickers);
    this.#moments = new MomentReader(telling.findings, telling.options.timeZone);
    this.#connections = new Connections(dialect);
    telling.readAs(dialect);
    this.#within = new TimeWithin(this.#moments);
    telling.findings.resolve('nonexistent-time', 'dated like the line before it; is the time zone right?');
  }

  /** Imports a line that is a bare delta message and was not parsed. */
  tellFrame(frame: LineFrame, place: ImportPlace): void {
    this.#place = place;
    this.#at = this.#date(null);
    frame.at = this.#at ?? this.#telling.clock.last;
    this.#normalize(frame);
  }

  #normalize(frame: Frame): void {
    this.#within.open(frame);
    this.#unread = null;
    this.#hasGap = false;
    this.#normalizer.normalize(frame, this.#hear);
    this.#settleUnread();
  }

  tell({ place, line }: Captured): void {
    this.#place = place;
    switch (line.kind) {
      case 'message':
        return this.#message(line);
      case 'sent':
        return this.#sent(line.text, line.at);
      case 'bad':
        return this.#bad(line.what);
    }
  }

  /** @throws {ImportFault} when no line had a time. */
  end(): void {
    const { assume, findings } = this.#telling;
    const held = this.#undated?.length ?? 0;
    if (held > 0) throw new ImportFault(this.#place, `expected a time in some line, found none in ${held} messages`);
    if (!this.#hasReceived)
      assume(
        "Times of receipt were not recorded: a message is taken to have been known at the venue's time of the event, " +
          'and a message without a time along with the message before it.',
      );
    if (this.#within.isCoarse)
      assume(
        'The times within the messages are whole seconds: all of one second are dated at its beginning, in their order.',
      );
    if (!this.#followsNumbers)
      assume(
        `${this.#connections.hasNumbers ? 'The numbers of messages are ignored' : 'Messages carry no numbers'}: ` +
          'a lost one cannot be detected.',
      );
    if (findings.count('private-message') > 0)
      assume('The recorder traded: its own orders are part of the books that it recorded.');
  }

  #bad(what: string): void {
    this.#telling.findings.add('bad-row', this.#place, what);
    // Where messages have numbers, the next one shows whether this line was one of them.
    if (!this.#followsNumbers) this.#lose('a line that cannot be read, in a capture without numbers');
  }

  /** True when the next message shows that one was lost. */
  get #followsNumbers(): boolean {
    return this.dialect.followsNumbers && this.#connections.hasNumbers;
  }

  #sent(text: string, at: Moment | null): void {
    this.#telling.findings.add('sent-command', this.#place, found(text));
    this.#normalizer.normalize({ type: 'feed-sent', at: this.#date(at) ?? this.#telling.clock.last, text }, this.#hear);
  }

  #message(line: Message): void {
    const { message } = line;
    const aside = this.dialect.aside(message);
    if (aside !== null) {
      const kind = aside === 'private' ? 'private-message' : 'off-book-trade';
      this.#telling.findings.add(kind, this.#place, String(message['type']));
      // The message uses up a sequence number all the same, where it has one.
      if (typeof message['seq'] !== 'number') return;
    }
    this.#followConnection(message);
    const ticker = this.dialect.tickerOf(message);
    if (ticker !== null) this.#telling.tickers.intern(ticker);
    this.#origin = line.origin;
    this.#isAside = aside !== null;
    this.#frame(line.bytes, line.at);
    this.#origin = null;
    this.#isAside = false;
  }

  #followConnection(message: JsonRecord): void {
    const sid = this.#connections.follow(message);
    if (sid !== null) this.#reconnect(sid);
  }

  #reconnect(sid: number): void {
    const { clock, findings } = this.#telling;
    findings.add('reconnect', this.#place, `subscription ${sid} begins again`);
    const at = clock.last;
    const { number: connection } = this.#connections;
    this.#normalizer.normalize({ type: 'feed-down', at, reason: 'the recorder connected again' }, this.#hear);
    this.#normalizer.normalize({ type: 'feed-up', at, connection }, this.#hear);
    this.#lose('the recorder connected again');
  }

  #frame(bytes: Uint8Array, received: Moment | null): void {
    this.#at = this.#date(received);
    this.#normalize({ type: 'frame', at: this.#at ?? this.#telling.clock.last, bytes });
  }

  /** The time of a line by its receipt; `null` where receipts are not recorded and the venue's times are used. */
  #date(received: Moment | null): Micros | null {
    const { clock, findings } = this.#telling;
    const said = received === null ? null : this.#moments.resolve(received, this.#place);
    if (said !== null) {
      this.#hasReceived = true;
      const at = clock.date(said, this.#place);
      this.#tellUndated(at);
      return at;
    }
    if (!this.#hasReceived) return null;
    findings.add('untimed-line', this.#place, 'a line without a time of receipt, among others that have one');
    return clock.last;
  }

  #heard(event: EngineEvent): void {
    if (event.kind === 'book-delta') return this.#dated(event);
    if (event.kind === 'unrecognized') return this.#note(event.what, event.detail);
    if (CONTROL.has(event.kind) || (this.#isAside && event.kind === 'print')) return;
    if (this.#at !== null) return this.#put(event, this.#at);
    const isSilent = 'exchangeAt' in event && event.exchangeAt === null;
    const timed = isSilent ? { ...event, exchangeAt: this.#within.read(this.#place) } : event;
    const at = this.#venueTime('exchangeAt' in timed ? timed.exchangeAt : null);
    if (at !== null) this.#put(timed, at);
    else this.#hold(timed);
  }

  /** Handles a delta, the most frequent event. */
  #dated(event: BookDelta): void {
    if (this.#at === null) event.exchangeAt ??= this.#within.read(this.#place);
    const at = this.#at ?? this.#venueTime(event.exchangeAt);
    if (at !== null) this.#put(event, at);
    else this.#hold(event);
  }

  #venueTime(said: Micros | null): Micros | null {
    if (said === null) return this.#undated === null ? this.#telling.clock.last : null;
    const at = this.#telling.clock.date(said, this.#place);
    this.#tellUndated(at);
    return at;
  }

  #hold(event: EngineEvent): void {
    const held = this.#undated?.push(structuredClone(event)) ?? 0;
    if (held > UNDATED_MAX)
      throw new ImportFault(this.#place, `expected a time in the first ${UNDATED_MAX} messages, found none`);
  }

  #tellUndated(at: Micros): void {
    const held = this.#undated;
    if (held === null) return;
    this.#undated = null;
    for (const event of held) this.#put(event, at);
  }

  #put(event: EngineEvent, at: Micros): void {
    switch (event.kind) {
      case 'book-delta':
        event.at = at;
        this.#change(event);
        break;
      case 'book-snapshot':
        event.at = at;
        this.#snapshot(event);
        break;
      case 'feed-gap':
        this.#gap({ ...event, at });
        break;
      default:
        this.#telling.emit({ ...event, at });
    }
    this.#lastAt = at;
  }

  /** A level below zero shows that a message is missing. */
  #change(event: BookDelta): void {
    const { market, at } = event;
    const fault = this.#audit.delta(event);
    this.#count(fault, market);
    this.#telling.emit(event);
    if (fault === 'negative-level')
      this.#gap({ kind: 'feed-gap', at, markets: [market], reason: 'a level fell below zero: a message is missing' });
  }

  #snapshot(event: BookSnapshot): void {
    const { market, bids, asks } = event;
    // At its close a market's book is emptied.
    if (bids.length + asks.length > 0) this.#compare(event);
    this.#count(this.#audit.snapshot(market, bids, asks), market);
    this.#telling.emit(event);
  }

  /**
   * Compares a snapshot, which is always right, with the maintained book. A difference is a finding, and is a gap
   * unless only one level differs.
   */
  #compare({ market, bids, asks, at }: BookSnapshot): void {
    const differences = this.#audit.differences(market, bids, asks);
    const [first] = differences;
    if (first === undefined) return;
    const levels = bids.length + asks.length + differences.filter(([, now]) => now === 0).length;
    const isOne = differences.length === 1;
    const what =
      `${this.#telling.tickers.tickerOf(market)}: ${differences.length} of ${levels} levels ` +
      `${isOne ? 'differs' : 'differ'}, such as ${first[0]}: expected ${first[2]}, found ${first[1]}`;
    const isChange = isOne && this.#origin === BOUNDARY;
    this.#telling.findings.add(isChange ? 'boundary-change' : 'snapshot-differs', this.#place, what);
    if (isOne) return;
    const reason = 'the book differs from the maintained one: messages are missing';
    this.#gap({ kind: 'feed-gap', at: this.#lastAt ?? at, markets: [market], reason });
  }

  #gap(event: FeedGap): void {
    const { markets, reason } = event;
    this.#hasGap = true;
    if (reason.startsWith('sequence ')) this.#telling.findings.add('sequence-gap', this.#place, reason);
    this.#audit.lose(markets);
    this.#telling.emit(event);
  }

  /** Makes all books unknown from here on, unless nothing was written yet. */
  #lose(reason: string): void {
    if (this.#lastAt !== null) this.#put({ kind: 'feed-gap', at: this.#lastAt, markets: [], reason }, this.#lastAt);
  }

  #count(fault: BookFault, market: MarketIndex): void {
    if (fault !== null) this.#telling.findings.add(fault, this.#place, this.#telling.tickers.tickerOf(market));
  }

  #note(what: string, detail: string): void {
    const [, kind] = NOTES.find(([begins]) => what.startsWith(begins)) ?? [];
    const said = what === detail ? what : `${what}: ${detail}`;
    if (kind === undefined) this.#unread = said;
    else this.#telling.findings.add(kind, this.#place, said);
  }

  /** An unreadable message concerns books when it made some unknown. */
  #settleUnread(): void {
    const said = this.#unread;
    if (said !== null)
      this.#telling.findings.add(this.#hasGap ? 'unreadable-frame' : 'unread-message', this.#place, said);
  }
}
