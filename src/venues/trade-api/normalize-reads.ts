// Answers to reads as events: facts about markets, and pages of what is ours. Pure.
// Must never tell a page of ours that it could not read in whole: a list with a hole proves nothing.
import { must } from '../../domain/assert.ts';
import type { ReadCommand, ReadTarget } from '../../domain/command.ts';
import type { OrderReport, SettlementReport } from '../../domain/event.ts';
import type { TickerTable } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { Answer } from '../../venue.ts';
import type { Emit } from './normalize-frames.ts';
import { describeError } from './normalize-errors.ts';
import {
  feeChangesOf,
  fillOf,
  groupOf,
  marketOf,
  orderOf,
  positionOf,
  seriesOf,
  settlementOf,
} from './normalize-records.ts';
import type { WireProfile } from './profile.ts';
import type { Shards } from './shards.ts';
import { type Codec, codecOf } from './wire/codec.ts';
import { parseError } from './wire/errors.ts';
import { WireFault } from './wire/fault.ts';
import { parseBody } from './wire/json.ts';
import type * as Wire from './wire/records.ts';
import type { RecordSpec } from './wire/spec.ts';

/** One answer being read. */
interface Reading {
  readonly at: Micros;
  readonly askedAt: Micros;
  readonly command: ReadCommand;
  readonly body: string;
  readonly emit: Emit;
}

/** What is an account's own. */
type OurList = Extract<
  ReadTarget['what'],
  'balance' | 'positions' | 'orders' | 'order' | 'fills' | 'settlements' | 'queue-positions'
>;

const NOT_FOUND = 404;
/** Statuses that say the request itself is wrong, now and later. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 404, 410]);

/** What answers are read with. */
export interface ReadingOptions {
  readonly profile: WireProfile;
  readonly tickers: TickerTable;
  /** Takes note of where markets trade. */
  readonly shards: Shards;
}

/** Reads answers to reads. */
export class ReadAnswers {
  readonly #profile: WireProfile;
  readonly #tickers: TickerTable;
  readonly #shards: Shards;

  constructor({ profile, tickers, shards }: ReadingOptions) {
    this.#profile = profile;
    this.#tickers = tickers;
    this.#shards = shards;
  }

  /** Tells what was read, or that it failed. */
  read({ at, askedAt, outcome }: Answer, command: ReadCommand, emit: Emit): void {
    const fail = (reason: string, isRefused = false): void =>
      emit({ kind: 'read-failed', at, commandId: command.id, reason, isRefused });
    if (outcome.type !== 'answered') return fail(outcome.reason);
    const { status, body } = outcome;
    if (status < 200 || status >= 300) {
      if (status === NOT_FOUND && command.target.what === 'order')
        return emit({ kind: 'order-found', at, askedAt, commandId: command.id, order: null });
      return fail(describeError(status, parseError(status, body)), REFUSED.has(status));
    }
    try {
      this.#tell({ at, askedAt, command, body, emit });
    } catch (fault) {
      if (!(fault instanceof WireFault)) throw fault;
      fail(fault.message);
    }
  }

  #tell(reading: Reading): void {
    const { records } = this.#profile;
    const { what } = reading.command.target;
    switch (what) {
      case 'status':
        return this.#tellStatus(reading, this.#decode(records.status, reading));
      case 'limits':
        // That they can be read is all there is to tell: the budgets are set by the config.
        this.#decode(records.limits, reading);
        return;
      case 'market':
        return this.#tellMarkets(reading, [this.#decode(records.market, reading).market]);
      case 'markets':
        return this.#tellListing(reading, this.#page(records.markets, reading));
      case 'event':
        return this.#tellEvent(reading, this.#decode(records.event, reading));
      case 'events':
        return this.#tellEvents(reading, this.#page(records.events, reading));
      case 'series':
        return this.#tellSeries(reading, this.#decode(records.series, reading).series);
      case 'fee-changes':
        return this.#tellFeeChanges(reading);
      case 'book':
        return this.#tellBook(reading);
      default:
        return this.#tellOurs(reading, what);
    }
  }

  #tellOurs(reading: Reading, what: OurList): void {
    const { records } = this.#profile;
    const { at, askedAt, command, emit } = reading;
    const told = { at, askedAt, commandId: command.id };
    switch (what) {
      case 'balance':
        return emit({ kind: 'balance', ...told, available: this.#decode(records.balance, reading).available });
      case 'positions': {
        const { rows, cursor } = this.#page(records.positions, reading);
        return emit({ kind: 'positions', ...told, rows: rows.map((row) => positionOf(row, this.#tickers)), cursor });
      }
      case 'orders': {
        const { rows, cursor } = this.#page(records.orders, reading);
        return emit({ kind: 'orders', ...told, rows: rows.map((row) => this.#order(row)), cursor });
      }
      case 'order':
        return emit({ kind: 'order-found', ...told, order: this.#order(this.#decode(records.order, reading).order) });
      case 'fills': {
        const { rows, cursor } = this.#page(records.fills, reading);
        return emit({ kind: 'fills', ...told, rows: rows.map((row) => fillOf(row, this.#tickers)), cursor });
      }
      case 'queue-positions': {
        const spec = must(records.further, 'the further records').queuePositions;
        const { positions } = this.#decode(spec, reading);
        const rows = positions.map(({ orderId, ahead }) => ({ venueOrderId: orderId, aheadQty: ahead }));
        return emit({ kind: 'queue-positions', ...told, rows });
      }
      case 'settlements': {
        const { rows, cursor } = this.#page(records.settlements, reading);
        return emit({ kind: 'settlements', ...told, rows: rows.map((row) => this.#settlement(row)), cursor });
      }
    }
  }

  #order(record: Wire.OrderRecord): OrderReport {
    return orderOf(record, this.#tickers);
  }

  #settlement(record: Wire.SettlementRecord): SettlementReport {
    const report = settlementOf(record, this.#tickers);
    if (report !== null) return report;
    throw new WireFault({
      record: 'settlement',
      field: record.ticker,
      expected: 'what each YES was paid, as the result is scalar',
      found: undefined,
    });
  }

  #tellStatus({ at, emit }: Reading, record: Wire.StatusRecord): void {
    emit({ kind: 'exchange-status', at, ...this.#shards.standing(record) });
  }

  #tellMarkets({ at, askedAt, emit }: Reading, records: readonly Wire.MarketRecord[]): void {
    for (const record of records) {
      this.#shards.note(record.ticker, record.shard);
      const market = marketOf(record, this.#tickers);
      if (market !== null) emit({ kind: 'market', at, askedAt, market });
      else emit({ kind: 'unrecognized', at, what: 'record market.price_ranges', detail: record.ticker });
    }
  }

  #tellListing(reading: Reading, { rows, cursor }: Wire.PageRecord<Wire.MarketRecord>): void {
    this.#tellMarkets(reading, rows);
    reading.emit({ kind: 'markets-listed', at: reading.at, commandId: reading.command.id, cursor });
  }

  #tellEvent(reading: Reading, answer: Wire.EventAnswer): void {
    reading.emit({ kind: 'event-group', at: reading.at, group: groupOf(answer) });
    this.#tellMarkets(reading, answer.event.markets ?? answer.markets ?? []);
  }

  #tellEvents(reading: Reading, { rows, cursor }: Wire.PageRecord<Wire.EventRecord>): void {
    for (const event of rows) this.#tellEvent(reading, { event, markets: null });
    reading.emit({ kind: 'markets-listed', at: reading.at, commandId: reading.command.id, cursor });
  }

  #tellSeries({ at, emit }: Reading, record: Wire.SeriesRecord): void {
    emit({ kind: 'series', at, series: seriesOf(record) });
  }

  #tellFeeChanges(reading: Reading): void {
    const { at, command, emit } = reading;
    const spec = this.#profile.records.further?.seriesFeeChanges;
    if (spec === undefined || command.target.what !== 'fee-changes') return;
    const { seriesTicker } = command.target;
    const { changes } = this.#decode(spec, reading);
    emit({ kind: 'fees-scheduled', at, seriesTicker, changes: feeChangesOf(changes, { seriesTicker, at }) });
  }

  #tellBook(reading: Reading): void {
    const { at, askedAt, command, emit } = reading;
    const { target } = command;
    if (target.what !== 'book') return;
    const { market } = target;
    // Nobody follows the market any more: the number may be another one's.
    if (this.#tickers.indexOf(target.ticker) !== market) return;
    const { bids, asks } = this.#decode(this.#profile.records.book, reading).book;
    emit({ kind: 'book-poll', at, askedAt, market, bids, asks });
  }

  #decode<T>(spec: RecordSpec<T>, { at, body, emit }: Reading): T {
    const codec: Codec<T> = codecOf(spec);
    return codec.decode(parseBody(body), (what, detail) => emit({ kind: 'unrecognized', at, what, detail }));
  }

  /** A page that names itself as the next one would be read for ever: a venue may take a mark it lost for the beginning. */
  #page<T>(spec: RecordSpec<Wire.PageRecord<T>>, reading: Reading): Wire.PageRecord<T> {
    const page = this.#decode(spec, reading);
    if (page.cursor === null || page.cursor !== reading.command.cursor) return page;
    const expected = 'the mark of another page than this one';
    throw new WireFault({ record: spec.name, field: 'cursor', expected, found: page.cursor });
  }
}
