// A generated tape of any length: the workload's changes and their reversal in turn, with advancing time. It needs the
// memory of two periods, at any length. Must never be taken for a real market: it contains no trades.
import type { EventGroup, Market, Series } from '../../../src/domain/market.ts';
import {
  type EventTicker,
  type MarketIndex,
  type Ticker,
  TickerTable,
  eventTicker,
  seriesTicker,
  ticker,
} from '../../../src/domain/ids.ts';
import { CENT_GRID } from '../../../src/domain/price-grid.ts';
import { EPOCH, type Micros, fromSeconds, micros } from '../../../src/domain/units.ts';
import {
  BLOCK_ROWS,
  NO_VENUE_TIME,
  ReusedBlockMemory,
  type OtherEvent,
  type RowBlock,
  RowKind,
  type RowRange,
  type RowSource,
  type TapeFacts,
} from '../../../src/tape/baked/tape-rows.ts';
import { MemoryRows } from '../../../backtest/memory-rows.ts';
import { ROW_LENGTH, type WorkloadOptions, deltaRows, undoRows } from './workload.ts';

export interface WorkloadTapeOptions extends WorkloadOptions {
  /** Number of changes before they are undone; `rows` is the total number. */
  readonly period: number;
  /** Changes per second of the tape. */
  readonly perSecond: number;
}

/** Series of every market of a generated tape. */
export const WORKLOAD_SERIES = seriesTicker('WORKLOAD');
const BEGIN = fromSeconds(1_700_000_000);
/** An absent venue time for every row of a block. */
const NO_TIMES = new Float64Array(BLOCK_ROWS).fill(NO_VENUE_TIME);
/** Markets per event group. */
const GROUP_SIZE = 10;

/** Returns the event group of a market, by its number. */
const eventOfMarket = (number: number): EventTicker => eventTicker(`WORK-${Math.floor(number / GROUP_SIZE)}`);

interface Changes {
  readonly kind: Uint8Array;
  readonly market: Int32Array;
  readonly price: Int32Array;
  readonly qty: Float64Array;
}

/** The generated tape. */
export class WorkloadRows implements RowSource {
  readonly tickers = new TickerTable();
  readonly facts: TapeFacts;
  readonly #options: WorkloadTapeOptions;
  readonly #halves: readonly [Changes, Changes];
  readonly #opening: MemoryRows;
  readonly #step: number;

  constructor(options: WorkloadTapeOptions) {
    this.#options = options;
    const { markets, rows, period, perSecond } = options;
    this.#step = 1_000_000 / perSecond;
    const changes = deltaRows({ ...options, rows: period });
    this.#halves = [halfOf(changes), halfOf(undoRows(changes))];
    for (let number = 0; number < markets; number++) this.tickers.internTicker(ticker(`WORK-${number}`));
    const to = micros(BEGIN + Math.ceil(rows * this.#step));
    this.#opening = openingOf(this.tickers, to);
    this.facts = {
      source: 'workload',
      venue: 'service',
      from: BEGIN,
      to,
      rows: rows + this.#opening.facts.rows,
      counts: { delta: rows },
      gaps: [],
      assumptions: ['The rows are generated.'],
      sourceHash: '',
      bakerVersion: 0,
    };
  }

  *readBlocks({ to, memory = new ReusedBlockMemory() }: RowRange = {}): Generator<RowBlock> {
    yield* this.#opening.readBlocks();
    const { rows, period } = this.#options;
    for (let done = 0; done < rows;) {
      const at = new Float64Array(memory.bufferOf(BLOCK_ROWS * Float64Array.BYTES_PER_ELEMENT), 0, BLOCK_ROWS);
      const half = this.#halves[Math.floor(done / period) % 2 === 0 ? 0 : 1];
      const begin = done % period;
      const count = Math.min(BLOCK_ROWS, period - begin, rows - done);
      for (let row = 0; row < count; row++) at[row] = BEGIN + Math.ceil((done + row + 1) * this.#step);
      if (to !== undefined && (at[0] ?? 0) >= to) return;
      yield blockOf(half, at, { begin, count });
      done += count;
    }
  }

  close(): void {}
}

function blockOf(half: Changes, at: Float64Array, { begin, count }: { begin: number; count: number }): RowBlock {
  const end = begin + count;
  return {
    count,
    kind: half.kind.subarray(begin, end),
    at,
    venueAt: NO_TIMES.subarray(0, count),
    market: half.market.subarray(begin, end),
    price: half.price.subarray(begin, end),
    qty: half.qty.subarray(begin, end),
    text: () => '',
  };
}

function halfOf(changes: Int32Array): Changes {
  const count = changes.length / ROW_LENGTH;
  const half: Changes = {
    kind: new Uint8Array(count),
    market: new Int32Array(count),
    price: new Int32Array(count),
    qty: new Float64Array(count),
  };
  for (let row = 0; row < count; row++) {
    const from = row * ROW_LENGTH;
    half.market[row] = changes[from] ?? 0;
    half.kind[row] = changes[from + 1] === 1 ? RowKind.bid : RowKind.ask;
    half.price[row] = changes[from + 2] ?? 0;
    half.qty[row] = changes[from + 3] ?? 0;
  }
  return half;
}

/** Makes the rows that define the markets, with empty books. */
function openingOf(tickers: TickerTable, to: Micros): MemoryRows {
  const opening = new MemoryRows(tickers);
  const names = tickers.tickersByIndex().filter((name) => name !== undefined);
  const series: Series = {
    ticker: WORKLOAD_SERIES,
    title: 'Generated',
    category: 'None',
    frequency: 'one_off',
    feeType: 'quadratic_with_maker_fees',
    feeMultiplierPercent: 100,
  };
  const events: OtherEvent[] = [
    { kind: 'series', at: BEGIN, series },
    ...groupsOf(names).map((group): OtherEvent => ({ kind: 'event-group', at: BEGIN, group })),
    ...names.map((_, index): OtherEvent => ({ kind: 'market', at: BEGIN, market: marketOf(tickers, index, to) })),
  ];
  for (const event of events) opening.addEvent(event);
  for (let index = 0; index < names.length; index++)
    opening.addSnapshot({ at: BEGIN }, index as MarketIndex, { bids: [], asks: [] });
  return opening;
}

function groupsOf(names: readonly Ticker[]): EventGroup[] {
  const groups: EventGroup[] = [];
  for (let first = 0; first < names.length; first += GROUP_SIZE)
    groups.push({
      eventTicker: eventOfMarket(first),
      seriesTicker: WORKLOAD_SERIES,
      title: 'Generated',
      isExclusive: false,
      tickers: names.slice(first, first + GROUP_SIZE),
    });
  return groups;
}

const marketOf = (tickers: TickerTable, number: number, to: Micros): Market => ({
  ticker: tickers.tickerOf(number as MarketIndex),
  index: number as MarketIndex,
  eventTicker: eventOfMarket(number),
  title: 'A generated market',
  status: 'active',
  openAt: EPOCH,
  closeAt: micros(to + fromSeconds(3600)),
  canCloseEarly: false,
  grid: CENT_GRID,
  result: null,
  settlementValue: null,
});
