// Tells the messages of a capture, in order: keeps off what does not belong, dates the rest, watches the books.
// Must never take what the normalizer says for more than it says.
import type { BookDelta, BookSnapshot, EngineEvent, FeedGap } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { Normalizer } from '../../venue.ts';
import { BookAudit, type BookFault } from './book-audit.ts';
import type { Captured, CapturedLine } from './captured-line.ts';
import { type ImportPlace, ImportFault } from './fault.ts';
import { type FindingKind, found } from './findings.ts';
import type { Telling } from './importer.ts';
import type { LineFrame } from './line-frame.ts';
import type { Moment } from '../../domain/moment.ts';
import { MomentReader } from './moment-reader.ts';
import type { FeedDialect, JsonRecord } from './wire.ts';

/** Where a recorder marks a book that it made up anew from what it had, when it began another file. */
const BOUNDARY = 'chunk_boundary';
/** Events that are held while no message has told a time. */
const UNDATED_MAX = 100_000;

type Message = Extract<CapturedLine, { kind: 'message' }>;

/** What a note of the normalizer is counted as, by how it begins. */
const NOTES: readonly (readonly [string, FindingKind])[] = [
  ['field ', 'unknown-member'],
  ['value ', 'unknown-member'],
  ['type ', 'unknown-message'],
  ['feed error', 'unknown-message'],
  ['market of ', 'unknown-market'],
  ['gap ', 'lost-messages'],
];

/** What the normalizer says of the connection, which is the recorder's own affair. */
const CONTROL: ReadonlySet<EngineEvent['kind']> = new Set(['feed-heard', 'feed-channel', 'feed-up', 'feed-down']);

/** Tells one capture. */
export class CaptureTeller {
  readonly dialect: FeedDialect;
  readonly #telling: Telling;
  readonly #normalizer: Normalizer;
  readonly #audit = new BookAudit();
  readonly #moments: MomentReader;
  /** Subscriptions that were announced, and that had a number, on this connection. */
  readonly #announced = new Set<number>();
  readonly #numbered = new Set<number>();
  #connection = 1;
  /** Whether lines tell when they were received. */
  #hasReceived = false;
  #isNumbered = false;
  /** Held until a time is told. */
  #undated: EngineEvent[] | null = [];
  /** The line being told. */
  #place: ImportPlace = { file: '', line: null };
  #at: Micros | null = null;
  #origin: string | null = null;
  #isAside = false;
  /** The time of the last row. */
  #lastAt: Micros | null = null;
  readonly #hear = (event: EngineEvent): void => this.#heard(event);

  constructor(telling: Telling, dialect: FeedDialect) {
    this.#telling = telling;
    this.dialect = dialect;
    this.#normalizer = dialect.normalizer(telling.tickers);
    this.#moments = new MomentReader(telling.findings, telling.options.timeZone);
    telling.findings.resolve('nonexistent-time', 'dated like the line before it; is the time zone right?');
  }

  /** Tells a line that is a bare message of the usual kind, and was not taken apart. */
  tellFrame(frame: LineFrame, place: ImportPlace): void {
    this.#place = place;
    this.#at = this.#date(null);
    frame.at = this.#at ?? this.#telling.clock.last;
    this.#normalizer.normalize(frame, this.#hear);
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

  /** @throws {ImportFault} when not one line told a time. */
  end(): void {
    const { assume, findings } = this.#telling;
    const held = this.#undated?.length ?? 0;
    if (held > 0) throw new ImportFault(this.#place, `expected a time in some line, found none in ${held} messages`);
    if (!this.#hasReceived)
      assume(
        'When a message was received was not recorded: it is taken to have been known the moment that the venue says ' +
          'it happened, and one that tells no time, along with the message before it.',
      );
    if (!this.#isNumbered) assume('Messages carry no numbers: one that was lost cannot be noticed.');
    if (findings.count('private-message') > 0)
      assume('The recorder traded: its own orders are part of the books that it recorded.');
  }

  #bad(what: string): void {
    this.#telling.findings.add('bad-row', this.#place, what);
    // Where messages have numbers, the next one shows whether this was one of them.
    if (!this.#isNumbered) this.#lose('a line that cannot be read, in a capture without numbers');
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
      // It took its number all the same, where it has one.
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

  /** A subscription that is announced again, or counts from the beginning again, is of another connection. */
  #followConnection(message: JsonRecord): void {
    const announced = this.dialect.announces(message);
    const sid = announced ?? message['sid'];
    if (typeof sid !== 'number') return;
    const begins = announced !== null ? this.#announced : message['seq'] === 1 ? this.#numbered : null;
    if (begins?.has(sid) === true) this.#reconnect(sid);
    if (announced !== null) this.#announced.add(sid);
    if (typeof message['seq'] !== 'number') return;
    this.#numbered.add(sid);
    this.#isNumbered = true;
  }

  #reconnect(sid: number): void {
    const { clock, findings } = this.#telling;
    findings.add('reconnect', this.#place, `subscription ${sid} begins anew`);
    this.#announced.clear();
    this.#numbered.clear();
    this.#connection += 1;
    const at = clock.last;
    this.#normalizer.normalize({ type: 'feed-down', at, reason: 'the capture begins anew' }, this.#hear);
    this.#normalizer.normalize({ type: 'feed-up', at, connection: this.#connection }, this.#hear);
    this.#lose('the recorder connected anew');
  }

  #frame(bytes: Uint8Array, received: Moment | null): void {
    this.#at = this.#date(received);
    this.#normalizer.normalize({ type: 'frame', at: this.#at ?? this.#telling.clock.last, bytes }, this.#hear);
  }

  /** The time of a line by its receipt; `null` where receipts are not told and the venue's times must do. */
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
    findings.add('untimed-line', this.#place, 'a line that tells no time of its receipt, among others that do');
    return clock.last;
  }

  #heard(event: EngineEvent): void {
    if (event.kind === 'book-delta') return this.#dated(event);
    if (event.kind === 'unrecognized') return this.#note(event.what, event.detail);
    if (CONTROL.has(event.kind) || (this.#isAside && event.kind === 'print')) return;
    const at = this.#at ?? this.#venueTime('exchangeAt' in event ? event.exchangeAt : null);
    if (at !== null) this.#put(event, at);
    else this.#hold(event);
  }

  /** A change comes all the time. */
  #dated(event: BookDelta): void {
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
        this.#count(this.#audit.delta(event), event.market);
        this.#telling.emit(event);
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

  #snapshot(event: BookSnapshot): void {
    const { market, bids, asks } = event;
    if (this.#origin === BOUNDARY && this.#audit.knows(market) && this.#isKnownAlready(event)) return;
    this.#count(this.#audit.snapshot(market, bids, asks), market);
    this.#telling.emit(event);
  }

  /** Whether a book that the recorder made up anew is the one followed, or lacks or has no more than the change beside it. */
  #isKnownAlready({ market, bids, asks, at }: BookSnapshot): boolean {
    const { findings, tickers } = this.#telling;
    const ticker = tickers.tickerOf(market);
    const differences = this.#audit.differences(market, bids, asks);
    const [first] = differences;
    const what =
      first === undefined
        ? `${ticker}: equal in every level`
        : `${ticker}: ${differences.length} levels differ, such as ${first[0]}: expected ${first[2]}, found ${first[1]}`;
    findings.add(differences.length > 1 ? 'boundary-differs' : 'boundary-snapshot', this.#place, what);
    if (differences.length <= 1) return true;
    this.#gap({ kind: 'feed-gap', at, markets: [market], reason: 'the recorder’s own books do not follow' });
    return false;
  }

  #gap(event: FeedGap): void {
    const { markets, reason } = event;
    if (reason.startsWith('sequence ')) this.#telling.findings.add('sequence-gap', this.#place, reason);
    this.#audit.lose(markets);
    this.#telling.emit(event);
  }

  /** Nothing is known of any book from here on; where nothing was told yet, nothing is lost. */
  #lose(reason: string): void {
    if (this.#lastAt !== null) this.#put({ kind: 'feed-gap', at: this.#lastAt, markets: [], reason }, this.#lastAt);
  }

  #count(fault: BookFault, market: MarketIndex): void {
    if (fault !== null) this.#telling.findings.add(fault, this.#place, this.#telling.tickers.tickerOf(market));
  }

  #note(what: string, detail: string): void {
    const [, kind = 'unreadable-frame'] = NOTES.find(([begins]) => what.startsWith(begins)) ?? [];
    this.#telling.findings.add(kind, this.#place, what === detail ? what : `${what}: ${detail}`);
  }
}
