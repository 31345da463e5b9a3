// Finds markets, event groups, series and candles in captured answers of a `trade-api` exchange, however deep. Must
// never let an unreadable record spoil the others.
import { TickerTable, ticker } from '../../../domain/ids.ts';
import type { EventGroup, Series } from '../../../domain/market.ts';
import { EPOCH, type Micros } from '../../../domain/units.ts';
import type {
  ListedCandle,
  Definitions,
  JsonObject,
  ListedMarket,
  NoteListener,
} from '../../../tape/import/import-wire.ts';
import { groupOf, marketOf, quoteOf, seriesOf } from '../normalize/domain-values.ts';
import * as spelled from '../profiles/dollars-market.ts';
import { codecOf, tryDecode } from '../wire/codec.ts';
import { WireFault } from '../wire/wire-fault.ts';
import { isRecord } from '../wire/json-record.ts';
import type { RecordSpec } from '../wire/record-spec.ts';

interface Gathered {
  readonly markets: ListedMarket[];
  readonly groups: EventGroup[];
  readonly series: Series[];
}

/** Members that hold a record or a list of records. */
const HOLDERS = ['response', 'market', 'markets', 'event', 'events', 'series'] as const;

/** All definitions in a JSON value: an answer, a page, a bare record, or a list of these. */
export function listedDefinitions(json: unknown, report: NoteListener): Definitions {
  const gathered: Gathered = { markets: [], groups: [], series: [] };
  gather(json, gathered, report);
  return gathered;
}

function gather(json: unknown, into: Gathered, report: NoteListener): void {
  if (Array.isArray(json)) for (const each of json) gather(each, into, report);
  else if (isRecord(json)) gatherRecord(json, into, report);
  else report('definition', 'expected records of markets, events or series');
}

function gatherRecord(json: JsonObject, into: Gathered, report: NoteListener): void {
  const hasAll = (...names: readonly string[]): boolean => names.every((name) => Object.hasOwn(json, name));
  if (hasAll('open_time', 'ticker')) return addMarket(json, into, report);
  if (hasAll('fee_type', 'ticker')) return addSeries(json, into, report);
  const isGroup = hasAll('series_ticker', 'mutually_exclusive');
  if (isGroup) addGroup(json, into, report);
  // An event group may contain its markets.
  const holders = HOLDERS.filter((name) => isRecord(json[name]));
  if (holders.length === 0 && !isGroup) report('definition', 'expected a market, an event or a series');
  for (const name of holders) gather(json[name], into, report);
}

function decodeOrReport<T>(spec: RecordSpec<T>, json: JsonObject, report: NoteListener): T | null {
  const value = tryDecode(codecOf(spec), json, report);
  if (!(value instanceof WireFault)) return value;
  report(`record ${value.record}.${value.field}`, value.message);
  return null;
}

function addMarket(json: JsonObject, { markets }: Gathered, report: NoteListener): void {
  const record = decodeOrReport(spelled.market, json, report);
  if (record === null) return;
  const market = marketOf(record, new TickerTable());
  if (market === null) return report('record market.price_ranges', `${record.ticker}: the price grid holds no price`);
  const { index: _index, ...listed } = market;
  const { settledAt, settlementDelay } = record;
  markets.push({ ...listed, determinedAt: null, settledAt, settlementDelay: settlementDelay ?? EPOCH });
}

function addGroup(json: JsonObject, { groups }: Gathered, report: NoteListener): void {
  const event = decodeOrReport(spelled.event, json, report);
  if (event !== null) groups.push(groupOf({ event, markets: null }));
}

function addSeries(json: JsonObject, { series }: Gathered, report: NoteListener): void {
  const record = decodeOrReport(spelled.series, json, report);
  if (record !== null) series.push(seriesOf(record));
}

/** All candles in an answer about one market, several markets or an event group. */
export function listedCandles(json: unknown, report: NoteListener): readonly ListedCandle[] {
  if (Array.isArray(json)) return json.flatMap((each: unknown) => listedCandles(each, report));
  if (!isRecord(json)) return reportNoCandles(report);
  if (isRecord(json['response'])) return listedCandles(withName(json['response'], json['_metadata']), report);
  const { candlesticks, markets, market_candlesticks: lists, market_tickers: names } = json;
  if (Array.isArray(candlesticks)) return candlesticks.flatMap((each) => candleOf(each, nameIn(json), report));
  if (Array.isArray(markets)) return markets.flatMap((each: unknown) => listedCandles(each, report));
  if (!Array.isArray(lists) || !Array.isArray(names)) return reportNoCandles(report);
  return lists.flatMap((list: unknown, at) =>
    listedCandles({ market_ticker: names[at] as unknown, candlesticks: list }, report),
  );
}

function reportNoCandles(report: NoteListener): readonly ListedCandle[] {
  report('candles', 'expected an answer with candlesticks');
  return [];
}

/** Adds the market of the recorded request to an answer that names none. */
const withName = (answer: JsonObject, request: unknown): JsonObject =>
  isRecord(request) && nameIn(answer) === null && nameIn(request) !== null
    ? { ...answer, market_ticker: nameIn(request) }
    : answer;

function nameIn(json: JsonObject): string | null {
  const name = json['market_ticker'] ?? json['ticker'];
  return typeof name === 'string' && name !== '' ? name : null;
}

function candleOf(json: unknown, name: string | null, report: NoteListener): readonly ListedCandle[] {
  const record = isRecord(json) ? decodeOrReport(spelled.candle, json, report) : null;
  if (record === null) return [];
  const { endAt, bid, ask, price, volume, openInterest } = record;
  return [
    {
      ticker: name === null ? null : ticker(name),
      endAt: endAt satisfies Micros,
      bid: quoteOf(bid.close),
      ask: quoteOf(ask.close),
      lastPrice: quoteOf(price.close) ?? quoteOf(price.previous),
      volume,
      openInterest,
    },
  ];
}
