// Normalizes answers to reads into events: market data, and pages of account data. Must never emit an incomplete page
// of account data, which proves nothing.
import { must } from '../../../base/assert.ts';
import type { ReadCommand, ReadTarget } from '../../../domain/venue-command.ts';
import type { OrderReport, SettlementReport } from '../../../domain/event.ts';
import type { TickerTable } from '../../../domain/ids.ts';
import type { Micros } from '../../../domain/units.ts';
import type { Answer } from '../../../venue.ts';
import type { Emit } from './frame-normalizer.ts';
import {
  feeChangesOf,
  fillOf,
  groupOf,
  marketOf,
  orderOf,
  positionOf,
  seriesOf,
  settlementOf,
} from './domain-values.ts';
import type { WireProfile } from '../profiles/wire-profile.ts';
import type { MarketShards } from '../rest/market-shards.ts';
import { type Codec, codecOf } from '../wire/codec.ts';
import { describeError, decodeError } from '../wire/error-body.ts';
import { WireFault } from '../wire/wire-fault.ts';
import { parseBody } from '../wire/json-record.ts';
import type * as Wire from '../wire/wire-records.ts';
import type { RecordSpec } from '../wire/record-spec.ts';

interface Reading {
  readonly at: Micros;
  readonly askedAt: Micros;
  readonly command: ReadCommand;
  readonly body: string;
  readonly emit: Emit;
}

type AccountRead = Extract<
  ReadTarget['what'],
  'balance' | 'positions' | 'orders' | 'order' | 'fills' | 'settlements' | 'queue-positions'
>;

const NOT_FOUND = 404;
/** Statuses after which a repeated request would fail, too. */
const PERMANENT: ReadonlySet<number> = new Set([400, 401, 403, 404, 410]);

/** Inputs of the answer readers. */
export interface AnswerNormalizerOptions {
  readonly profile: WireProfile;
  readonly tickers: TickerTable;
  readonly shards: MarketShards;
}

/** Turns answers to reads into events. */
export class ReadNormalizer {
  readonly #profile: WireProfile;
  readonly #tickers: TickerTable;
  readonly #shards: MarketShards;

  constructor({ profile, tickers, shards }: AnswerNormalizerOptions) {
    this.#profile = profile;
    this.#tickers = tickers;
    this.#shards = shards;
  }

  normalizeRead({ at, askedAt, outcome }: Answer, command: ReadCommand, emit: Emit): void {
    const emitFailure = (reason: string, isRefused = false): void =>
      emit({ kind: 'read-failed', at, commandId: command.id, reason, isRefused });
    if (outcome.type !== 'answered') return emitFailure(outcome.reason);
    const { status, body } = outcome;
    if (status < 200 || status >= 300) {
      if (status === NOT_FOUND && command.target.what === 'order')
        return emit({ kind: 'order-found', at, askedAt, commandId: command.id, order: null });
      return emitFailure(describeError(status, decodeError(status, body)), PERMANENT.has(status));
    }
    try {
      this.#emitContent({ at, askedAt, command, body, emit });
    } catch (fault) {
      if (!(fault instanceof WireFault)) throw fault;
      emitFailure(fault.message);
    }
  }

  #emitContent(reading: Reading): void {
    const { records } = this.#profile;
    const { what } = reading.command.target;
    switch (what) {
      case 'status':
        return this.#emitStatus(reading, this.#decode(records.status, reading));
      case 'limits':
        // Success is all that matters here: the config sets the budgets.
        this.#decode(records.limits, reading);
        return;
      case 'market':
        return this.#emitMarkets(reading, [this.#decode(records.market, reading).market]);
      case 'markets':
        return this.#emitListing(reading, this.#decodePage(records.markets, reading));
      case 'event':
        return this.#emitEvent(reading, this.#decode(records.event, reading));
      case 'events':
        return this.#emitEvents(reading, this.#decodePage(records.events, reading));
      case 'series':
        return this.#emitSeries(reading, this.#decode(records.series, reading).series);
      case 'fee-changes':
        return this.#emitFeeChanges(reading);
      case 'book':
        return this.#emitBook(reading);
      case 'balance':
      case 'positions':
      case 'orders':
      case 'order':
      case 'fills':
      case 'queue-positions':
      case 'settlements':
        return this.#emitAccountRead(reading, what);
    }
  }

  #emitAccountRead(reading: Reading, what: AccountRead): void {
    const { records } = this.#profile;
    const { at, askedAt, command, emit } = reading;
    const common = { at, askedAt, commandId: command.id };
    switch (what) {
      case 'balance':
        return emit({ kind: 'balance', ...common, available: this.#decode(records.balance, reading).available });
      case 'positions': {
        const { rows, cursor } = this.#decodePage(records.positions, reading);
        return emit({ kind: 'positions', ...common, rows: rows.map((row) => positionOf(row, this.#tickers)), cursor });
      }
      case 'orders': {
        const { rows, cursor } = this.#decodePage(records.orders, reading);
        return emit({ kind: 'orders', ...common, rows: rows.map((row) => this.#orderReport(row)), cursor });
      }
      case 'order':
        return emit({
          kind: 'order-found',
          ...common,
          order: this.#orderReport(this.#decode(records.order, reading).order),
        });
      case 'fills': {
        const { rows, cursor } = this.#decodePage(records.fills, reading);
        return emit({ kind: 'fills', ...common, rows: rows.map((row) => fillOf(row, this.#tickers)), cursor });
      }
      case 'queue-positions': {
        const spec = must(records.extensions, 'the extension records').queuePositions;
        const { positions } = this.#decode(spec, reading);
        const rows = positions.map(({ orderId, ahead }) => ({ venueOrderId: orderId, aheadQty: ahead }));
        return emit({ kind: 'queue-positions', ...common, rows });
      }
      case 'settlements': {
        const { rows, cursor } = this.#decodePage(records.settlements, reading);
        const reports = rows.map((row) => this.#settlementReport(row, reading));
        return emit({ kind: 'settlements', ...common, rows: reports.filter((report) => report !== null), cursor });
      }
    }
  }

  #orderReport(record: Wire.OrderRecord): OrderReport {
    return orderOf(record, this.#tickers);
  }

  /** `null` for a scalar result without a value, which is reported. */
  #settlementReport(record: Wire.SettlementRecord, { at, emit }: Reading): SettlementReport | null {
    const report = settlementOf(record, this.#tickers);
    if (report !== null) return report;
    const detail = `settlement.value: expected the payout of each YES, as the result is scalar, found nothing (${record.ticker})`;
    emit({ kind: 'unrecognized', at, what: 'record settlement.value', detail });
    return null;
  }

  #emitStatus({ at, emit }: Reading, record: Wire.StatusRecord): void {
    emit({ kind: 'exchange-status', at, ...this.#shards.statusOfUsedShards(record) });
  }

  #emitMarkets({ at, askedAt, emit }: Reading, records: readonly Wire.MarketRecord[]): void {
    for (const record of records) {
      this.#shards.recordShard(record.ticker, record.shard);
      const market = marketOf(record, this.#tickers);
      if (market !== null) emit({ kind: 'market', at, askedAt, market });
      else emit({ kind: 'unrecognized', at, what: 'record market.price_ranges', detail: record.ticker });
    }
  }

  #emitListing(reading: Reading, { rows, cursor }: Wire.PageRecord<Wire.MarketRecord>): void {
    this.#emitMarkets(reading, rows);
    reading.emit({ kind: 'markets-listed', at: reading.at, commandId: reading.command.id, cursor });
  }

  #emitEvent(reading: Reading, answer: Wire.EventAnswer): void {
    reading.emit({ kind: 'event-group', at: reading.at, group: groupOf(answer) });
    this.#emitMarkets(reading, answer.event.markets ?? answer.markets ?? []);
  }

  #emitEvents(reading: Reading, { rows, cursor }: Wire.PageRecord<Wire.EventRecord>): void {
    for (const event of rows) this.#emitEvent(reading, { event, markets: null });
    reading.emit({ kind: 'markets-listed', at: reading.at, commandId: reading.command.id, cursor });
  }

  #emitSeries({ at, emit }: Reading, record: Wire.SeriesRecord): void {
    emit({ kind: 'series', at, series: seriesOf(record) });
  }

  #emitFeeChanges(reading: Reading): void {
    const { at, command, emit } = reading;
    const spec = this.#profile.records.extensions?.seriesFeeChanges;
    if (spec === undefined || command.target.what !== 'fee-changes') return;
    const { seriesTicker } = command.target;
    const { changes } = this.#decode(spec, reading);
    emit({ kind: 'fees-scheduled', at, seriesTicker, changes: feeChangesOf(changes, { seriesTicker, at }) });
  }

  #emitBook(reading: Reading): void {
    const { at, askedAt, command, emit } = reading;
    const { target } = command;
    if (target.what !== 'book') return;
    const { market } = target;
    // The index of a market that is no longer followed may belong to another market.
    if (this.#tickers.indexOf(target.ticker) !== market) return;
    const { bids, asks } = this.#decode(this.#profile.records.book, reading).book;
    emit({ kind: 'book-poll', at, askedAt, market, bids, asks });
  }

  #decode<T>(spec: RecordSpec<T>, { at, body, emit }: Reading): T {
    const codec: Codec<T> = codecOf(spec);
    return codec.decode(parseBody(body), (kind, detail) => emit({ kind: 'unrecognized', at, what: kind, detail }));
  }

  /**
   * Decodes a page. Refuses a page that returns the cursor of its own request: the same pages would be read forever.
   */
  #decodePage<T>(spec: RecordSpec<Wire.PageRecord<T>>, reading: Reading): Wire.PageRecord<T> {
    const page = this.#decode(spec, reading);
    if (page.cursor === null || page.cursor !== reading.command.cursor) return page;
    const expected = 'the cursor of a different page';
    throw new WireFault({ record: spec.name, field: 'cursor', expected, found: page.cursor });
  }
}
