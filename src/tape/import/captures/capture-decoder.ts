// Imports the messages of a capture: leaves out what does not belong on a tape, dates the rest, and checks every change
// against a book of its own. Must never read more into the normalizer's events than they say.
import type { BookDelta, BookSnapshot, EngineEvent, FeedGap } from '../../../domain/event.ts';
import { type TapeEvent, isTapeEvent } from '../../../domain/event-kinds.ts';
import type { MarketIndex } from '../../../domain/ids.ts';
import type { Micros } from '../../../domain/units.ts';
import type { Frame, Normalizer } from '../../../venue.ts';
import { BookAudit, type BookFault } from '../books/book-audit.ts';
import type { CapturedMessage, PlacedLine } from './captured-line.ts';
import { type ImportPlace, ImportFault } from '../import-fault.ts';
import { CaptureConnections } from './capture-connections.ts';
import { type ImportFindingKind, foundText } from '../import-findings.ts';
import type { ImportContext } from '../import-format.ts';
import type { LineFrame } from './line-frame.ts';
import type { ParsedTime } from '../../../domain/parsed-time.ts';
import { MomentReader } from '../times/moment-reader.ts';
import { MessageTimeReader } from './message-time.ts';
import type { FeedDialect, JsonObject, TradeReader } from '../import-wire.ts';

/** Origin of a snapshot that a recorder took from its own book at the start of another file. */
const BOUNDARY = 'chunk_boundary';
/** Most events held while no message has had a time. */
const UNDATED_MAX = 100_000;

/** Kind of finding for a note of the normalizer, by the note's beginning. */
const NOTES: readonly (readonly [string, ImportFindingKind])[] = [
  ['field ', 'unknown-member'],
  ['value ', 'unknown-member'],
  ['type ', 'unknown-message'],
  ['feed error', 'unknown-message'],
  ['market of ', 'unknown-market'],
  ['gap ', 'lost-messages'],
];

/** Imports one capture. */
export class CaptureDecoder {
  readonly dialect: FeedDialect;
  readonly #context: ImportContext;
  readonly #normalizer: Normalizer;
  readonly #readTrade: TradeReader;
  readonly #audit = new BookAudit();
  readonly #moments: MomentReader;
  readonly #connections: CaptureConnections;
  readonly #messageTime: MessageTimeReader;
  /** True: lines have times of receipt. */
  #hasReceived = false;
  /** Events held until a first time is known; `null` afterwards. */
  #undated: TapeEvent[] | null = [];
  #place: ImportPlace = { file: '', line: null };
  #at: Micros | null = null;
  #origin: string | null = null;
  #isLeftOut = false;
  /**
   * The unreadable part of the current line. `#hasGap`: the line made books unknown, which decides the kind of finding.
   */
  #unread: string | null = null;
  #hasGap = false;
  /** The current line gave an event with a time of the venue, or a gap without one. */
  #isDated = false;
  #hasUndatedGap = false;
  #lastAt: Micros | null = null;
  readonly #onEvent = (event: EngineEvent): void => this.#handleEvent(event);

  constructor(context: ImportContext, dialect: FeedDialect) {
    this.#context = context;
    this.dialect = dialect;
    this.#normalizer = dialect.makeNormalizer(context.tickers);
    this.#readTrade = dialect.makeTradeReader(context.tickers);
    this.#moments = new MomentReader(context.findings, context.options.timeZone);
    this.#connections = new CaptureConnections(dialect);
    context.setDialect(dialect);
    this.#messageTime = new MessageTimeReader(this.#moments);
    context.findings.setResolution('nonexistent-time', 'dated like the line before it; is the time zone right?');
  }

  /** Imports a line that is a delta message, bare or in a wrapper with a time of receipt, and was not parsed. */
  decodeFrame(frame: LineFrame, received: Micros | null, place: ImportPlace): void {
    this.#place = place;
    this.#at = this.#dateLine(received === null ? null : { kind: 'instant', at: received });
    frame.at = this.#at ?? this.#context.clock.lastAt;
    this.#normalize(frame);
  }

  /** Imports a line that is a trade, if it can be read without parsing. Returns `false` for a line that must be parsed. */
  decodeTrade(frame: LineFrame, received: Micros | null, place: ImportPlace): boolean {
    const message = this.#readTrade(frame.span);
    if (message === null) return false;
    this.#place = place;
    this.#trackConnection(message);
    this.decodeFrame(frame, received, place);
    return true;
  }

  #normalize(frame: Frame): void {
    this.#messageTime.setFrame(frame);
    this.#unread = null;
    this.#hasGap = false;
    this.#isDated = false;
    this.#hasUndatedGap = false;
    this.#normalizer.normalize(frame, this.#onEvent);
    // The normalizer drops a message with a wrong number, whose time still counts: it may show lines in reverse.
    if (this.#hasUndatedGap && !this.#isDated) this.#venueTime(this.#messageTime.readTime(this.#place));
    this.#settleUnread();
  }

  decodeLine({ place, line }: PlacedLine): void {
    this.#place = place;
    switch (line.kind) {
      case 'message':
        return this.#handleMessage(line);
      case 'sent':
        return this.#handleSent(line.text, line.at);
      case 'bad':
        return this.#addBadLine(line.what);
    }
  }

  /** @throws {ImportFault} when no line had a time. */
  finish(): void {
    const { addAssumption, findings } = this.#context;
    const held = this.#undated?.length ?? 0;
    if (held > 0) throw new ImportFault(this.#place, `expected a time in some line, found none in ${held} messages`);
    if (!this.#hasReceived)
      addAssumption(
        "Times of receipt were not recorded: a message is taken to have been known at the venue's time of the event, " +
          'and a message without a time along with the message before it.',
      );
    if (this.#messageTime.isCoarse)
      addAssumption(
        'The times within the messages are whole seconds: all of one second are dated at its beginning, in their order.',
      );
    if (!this.#checksNumbers)
      addAssumption(
        `${this.#connections.hasNumbers ? 'The numbers of messages are ignored' : 'Messages carry no numbers'}: ` +
          'a lost one cannot be detected.',
      );
    if (findings.countOf('private-message') > 0)
      addAssumption('The recorder traded: its own orders are part of the books that it recorded.');
  }

  #addBadLine(what: string): void {
    this.#context.findings.addFinding('bad-row', this.#place, what);
    // If messages have numbers, the next number shows whether this line was a message.
    if (!this.#checksNumbers) this.#loseAllBooks('a line that cannot be read, in a capture without numbers');
  }

  /** True: the number of the next message shows a lost message. */
  get #checksNumbers(): boolean {
    return this.dialect.checksNumbers && this.#connections.hasNumbers;
  }

  #handleSent(text: string, at: ParsedTime | null): void {
    this.#context.findings.addFinding('sent-command', this.#place, foundText(text));
    this.#normalizer.normalize(
      { type: 'feed-sent', at: this.#dateLine(at) ?? this.#context.clock.lastAt, text },
      this.#onEvent,
    );
  }

  #handleMessage(line: CapturedMessage): void {
    const { message } = line;
    const exclusion = this.dialect.exclusionOf(message);
    if (exclusion !== null) {
      const kind = exclusion === 'private' ? 'private-message' : 'off-book-trade';
      this.#context.findings.addFinding(kind, this.#place, String(message['type']));
      // A message that stays off the tape still uses up a sequence number.
      if (typeof message['seq'] !== 'number') return;
    }
    this.#trackConnection(message);
    const ticker = this.dialect.tickerOf(message);
    if (ticker !== null) this.#context.tickers.internTicker(ticker);
    this.#origin = line.origin;
    this.#isLeftOut = exclusion !== null;
    this.#handleFrame(line.bytes, line.at);
    this.#origin = null;
    this.#isLeftOut = false;
  }

  #trackConnection(message: JsonObject): void {
    const sid = this.#connections.addMessage(message);
    if (sid !== null) this.#reconnect(sid);
  }

  #reconnect(sid: number): void {
    const { clock, findings } = this.#context;
    findings.addFinding('reconnect', this.#place, `subscription ${sid} begins again`);
    const at = clock.lastAt;
    const { number: connection } = this.#connections;
    this.#normalizer.normalize({ type: 'feed-down', at, reason: 'the recorder connected again' }, this.#onEvent);
    this.#normalizer.normalize({ type: 'feed-up', at, connection }, this.#onEvent);
    this.#loseAllBooks('the recorder connected again');
  }

  #handleFrame(bytes: Uint8Array, received: ParsedTime | null): void {
    this.#at = this.#dateLine(received);
    this.#normalize({ type: 'frame', at: this.#at ?? this.#context.clock.lastAt, bytes });
  }

  /**
   * Returns the time of receipt of a line. Returns `null` when times of receipt are not recorded, and the venue's times
   * are used instead.
   */
  #dateLine(received: ParsedTime | null): Micros | null {
    const { clock, findings } = this.#context;
    const said = received === null ? null : this.#moments.instantOf(received, this.#place);
    if (said !== null) {
      this.#hasReceived = true;
      const at = clock.dateRow(said, this.#place);
      this.#emitUndated(at);
      return at;
    }
    if (!this.#hasReceived) return null;
    findings.addFinding('untimed-line', this.#place, 'a line without a time of receipt, among others that have one');
    return clock.lastAt;
  }

  #handleEvent(event: EngineEvent): void {
    if (event.kind === 'book-delta') return this.#handleDelta(event);
    if (event.kind === 'unrecognized') return this.#handleNote(event.what, event.detail);
    // Events that do not belong on a tape concern only the recorder: its connection or its account.
    if (!isTapeEvent(event) || (this.#isLeftOut && event.kind === 'print')) return;
    if (this.#at !== null) return this.#emitDated(event, this.#at);
    if (event.kind === 'feed-gap') this.#hasUndatedGap = true;
    const hasNoVenueTime = 'exchangeAt' in event && event.exchangeAt === null;
    const timed = hasNoVenueTime ? { ...event, exchangeAt: this.#messageTime.readTime(this.#place) } : event;
    const at = this.#venueTime('exchangeAt' in timed ? timed.exchangeAt : null);
    if (at !== null) this.#emitDated(timed, at);
    else this.#holdUndated(timed);
  }

  #handleDelta(event: BookDelta): void {
    if (this.#at === null) event.exchangeAt ??= this.#messageTime.readTime(this.#place);
    const at = this.#at ?? this.#venueTime(event.exchangeAt);
    if (at !== null) this.#emitDated(event, at);
    else this.#holdUndated(event);
  }

  #venueTime(venueTime: Micros | null): Micros | null {
    if (venueTime === null) return this.#undated === null ? this.#context.clock.lastAt : null;
    this.#isDated = true;
    const at = this.#context.clock.dateRow(venueTime, this.#place);
    this.#emitUndated(at);
    return at;
  }

  #holdUndated(event: TapeEvent): void {
    const held = this.#undated?.push(structuredClone(event)) ?? 0;
    if (held > UNDATED_MAX)
      throw new ImportFault(this.#place, `expected a time in the first ${UNDATED_MAX} messages, found none`);
  }

  #emitUndated(at: Micros): void {
    const held = this.#undated;
    if (held === null) return;
    this.#undated = null;
    for (const event of held) this.#emitDated(event, at);
  }

  #emitDated(event: TapeEvent, at: Micros): void {
    switch (event.kind) {
      case 'book-delta':
        event.at = at;
        this.#emitDelta(event);
        break;
      case 'book-snapshot':
        event.at = at;
        this.#emitSnapshot(event);
        break;
      case 'feed-gap':
        this.#emitGap({ ...event, at });
        break;
      // These change no book.
      case 'print':
      case 'book-poll':
      case 'ticker':
      case 'market':
      case 'market-changed':
      case 'event-group':
      case 'series':
      case 'fees-changed':
      case 'fees-scheduled':
      case 'markets-appeared':
      case 'exchange-status':
        this.#context.emitEvent({ ...event, at });
    }
    this.#lastAt = at;
  }

  /** A level below zero shows that a message is missing. */
  #emitDelta(event: BookDelta): void {
    const { market, at } = event;
    const fault = this.#audit.applyDelta(event);
    this.#countFault(fault, market);
    this.#context.emitEvent(event);
    if (fault === 'negative-level')
      this.#emitGap({
        kind: 'feed-gap',
        at,
        markets: [market],
        reason: 'a level fell below zero: a message is missing',
      });
  }

  #emitSnapshot(event: BookSnapshot): void {
    const { market, bids, asks } = event;
    // A market's book is emptied at the close, so an empty snapshot is not compared.
    if (bids.length + asks.length > 0) this.#compareWithBook(event);
    this.#countFault(this.#audit.applySnapshot(market, bids, asks), market);
    this.#context.emitEvent(event);
  }

  /**
   * Compares a snapshot with the maintained book. A snapshot is always right. A difference is a finding, and a
   * difference in more than one level is also a gap.
   */
  #compareWithBook({ market, bids, asks, at }: BookSnapshot): void {
    const differences = this.#audit.differencesFrom(market, bids, asks);
    const [first] = differences;
    if (first === undefined) return;
    const levels = bids.length + asks.length + differences.filter(([, inSnapshot]) => inSnapshot === 0).length;
    const isOne = differences.length === 1;
    const what =
      `${this.#context.tickers.tickerOf(market)}: ${differences.length} of ${levels} levels ` +
      `${isOne ? 'differs' : 'differ'}, such as ${first[0]}: expected ${first[2]}, found ${first[1]}`;
    const isChange = isOne && this.#origin === BOUNDARY;
    this.#context.findings.addFinding(isChange ? 'boundary-change' : 'snapshot-differs', this.#place, what);
    if (isOne) return;
    const reason = 'the book differs from the maintained one: messages are missing';
    this.#emitGap({ kind: 'feed-gap', at: this.#lastAt ?? at, markets: [market], reason });
  }

  #emitGap(event: FeedGap): void {
    const { markets, reason } = event;
    this.#hasGap = true;
    if (reason.startsWith('sequence ')) this.#context.findings.addFinding('sequence-gap', this.#place, reason);
    this.#audit.loseBooks(markets);
    this.#context.emitEvent(event);
  }

  /** Makes all books unknown from here on, unless nothing was written yet. */
  #loseAllBooks(reason: string): void {
    if (this.#lastAt !== null)
      this.#emitDated({ kind: 'feed-gap', at: this.#lastAt, markets: [], reason }, this.#lastAt);
  }

  #countFault(fault: BookFault, market: MarketIndex): void {
    if (fault !== null) this.#context.findings.addFinding(fault, this.#place, this.#context.tickers.tickerOf(market));
  }

  #handleNote(what: string, detail: string): void {
    const [, kind] = NOTES.find(([prefix]) => what.startsWith(prefix)) ?? [];
    const text = what === detail ? what : `${what}: ${detail}`;
    if (kind === undefined) this.#unread = text;
    else this.#context.findings.addFinding(kind, this.#place, text);
  }

  /** Counts an unreadable message as a finding. Its kind depends on whether it made a book unknown. */
  #settleUnread(): void {
    const text = this.#unread;
    if (text !== null)
      this.#context.findings.addFinding(this.#hasGap ? 'unreadable-frame' : 'unread-message', this.#place, text);
  }
}
