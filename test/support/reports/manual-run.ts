// A state and a run recorder that a test drives without an engine, by books, trades and settlements in order. Keeps
// every mid of the run, so that a test can find the recorder's mids again by brute force.
import {
  clientOrderId,
  eventTicker,
  seriesTicker,
  strategyName,
  tradeId,
  venueOrderId,
} from '../../../src/domain/ids.ts';
import type { EngineEvent } from '../../../src/domain/event.ts';
import type { Market, MarketResult } from '../../../src/domain/market.ts';
import type { Liquidity, Side } from '../../../src/domain/orders/order.ts';
import { type Micros, type Price, type Qty, dollars, micros, money, price, qty } from '../../../src/domain/units.ts';
import { RateBudget } from '../../../src/domain/rate-budget.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import type { RunFacts, RunRecord } from '../../../src/report/record/run-record.ts';
import { RunRecorder, type RunRecorderOptions } from '../../../src/report/record/run-recorder.ts';
import type { StateChange } from '../../../src/state/state-change.ts';
import { State } from '../../../src/state/state.ts';
import { aFill, aMarket, aPlace, index, tickerTable } from '../engine/builders.ts';

/** Start of every run: midnight UTC of some day. Microseconds. */
export const RUN_START = 1_800_000_000_000_000;
/** Returns the time a number of seconds after the start. */
export const seconds = (count: number): Micros => micros(RUN_START + Math.round(count * 1_000_000));

export interface Trade {
  readonly market: number;
  readonly side: Side;
  readonly price: number;
  readonly qty: number;
  readonly fee?: number;
  readonly liquidity?: Liquidity;
  readonly strategy?: string;
  /** Quantity of the order; the traded quantity when absent. */
  readonly orderQty?: number;
}

export interface ManualRunOptions {
  readonly markets?: number;
  readonly cash?: number;
  readonly market?: (number: number) => Partial<Market>;
  readonly recorder?: Partial<RunRecorderOptions>;
}

const aBudget = (): RateBudget =>
  new RateBudget({ limit: { model: 'token-bucket', refillPerSecond: 10, capacity: 100 }, guardMs: 0 });

/** Returns facts of a run that only a driver knows. */
export const someFacts = (over: Partial<RunFacts> = {}): RunFacts => ({
  kind: 'backtest',
  name: 'a run',
  to: RUN_START,
  isPartial: false,
  seed: 1,
  decisionHash: 'ab'.repeat(32),
  strategies: [{ name: 'maker', file: 'strategies/maker.ts', params: {} }],
  models: { queue: { model: 'pessimistic' } },
  coverage: null,
  events: 0,
  ...over,
});

/** A run that the test drives. */
export class ManualRun {
  readonly state: State;
  readonly recorder: RunRecorder;
  readonly budgets = { read: aBudget(), trade: aBudget() };
  /** Every mid so far, doubled, with its start time, by market. */
  readonly mids: { readonly at: number; readonly mid2: number | null }[][] = [];
  readonly trades: (Required<Trade> & { readonly at: number })[] = [];
  #count = 0;

  constructor({
    markets = 1,
    cash = dollars(1000),
    market = () => ({}),
    recorder: keeper = {},
  }: ManualRunOptions = {}) {
    this.state = new State(tickerTable(markets));
    this.recorder = new RunRecorder({ engine: { state: this.state, planner: { budgets: this.budgets } }, ...keeper });
    this.state.now = seconds(0);
    for (let number = 0; number < markets; number++) {
      const defined = aMarket(number, { closeAt: seconds(86_400), openAt: seconds(-10), ...market(number) });
      this.defineGroup(defined.eventTicker, defined.eventTicker.split('-')[0] ?? 'S');
      this.applyEvent({ kind: 'market', at: seconds(0), market: defined });
      this.mids[number] = [{ at: seconds(0), mid2: null }];
    }
    this.state.portfolio.setOpeningCash(money(cash));
    this.state.portfolio.openAccount();
  }

  defineGroup(name: string, series: string): void {
    this.applyEvent({
      kind: 'event-group',
      at: seconds(0),
      group: {
        eventTicker: eventTicker(name),
        seriesTicker: seriesTicker(series),
        title: name,
        isExclusive: false,
        tickers: [],
      },
    });
  }

  /** Applies an event as a driver does: first the time, then the event, then its changes. */
  applyEvent(event: EngineEvent): void {
    if (event.at >= this.recorder.dueAt) this.recorder.onTimePassed(event.at);
    const changes: StateChange[] = [];
    this.state.applyEvent(event, changes);
    for (const change of changes) this.recorder.onNotice(change);
  }

  emitNotice(notice: Notice): void {
    this.recorder.onNotice(notice);
  }

  /** Sets a book of one level a side; `null` for no level. */
  setBook(at: number, market: number, touch: readonly [bid: number | null, ask: number | null]): void {
    const [bid, ask] = touch;
    const level = (value: number | null): [Price, Qty][] => (value === null ? [] : [[price(value), qty(10_000)]]);
    this.applyEvent({
      kind: 'book-snapshot',
      at: seconds(at),
      exchangeAt: null,
      market: index(market),
      bids: level(bid),
      asks: level(ask),
    });
    this.mids[market]?.push({ at: seconds(at), mid2: bid === null || ask === null ? null : bid + ask });
  }

  /** Applies an order, its acceptance and its fill. */
  tradeOrder(at: number, trade: Trade): string {
    const complete = { fee: 0, liquidity: 'maker', strategy: 'maker', orderQty: trade.qty, ...trade } as const;
    const id = this.placeOrder(at, complete);
    const number = this.#count;
    this.trades.push({ ...complete, at: seconds(at) });
    const fill = aFill({
      tradeId: tradeId(`t-${number}`),
      venueOrderId: venueOrderId(`v-${number}`),
      clientOrderId: clientOrderId(id),
      market: index(trade.market),
      side: trade.side,
      price: price(trade.price),
      qty: qty(trade.qty),
      fee: money(complete.fee),
      liquidity: complete.liquidity,
    });
    this.applyEvent({ kind: 'fill', at: seconds(at), fill });
    return id;
  }

  /** Applies an order that the venue accepts. Returns its id. */
  placeOrder(at: number, trade: Trade & { readonly strategy: string; readonly orderQty: number }): string {
    this.#count += 1;
    const id = clientOrderId(`c-${this.#count}`);
    const market = index(trade.market);
    const order = this.state.orders.addOrder(
      aPlace({
        id: this.#count,
        createdAt: seconds(at),
        clientOrderId: id,
        strategy: strategyName(trade.strategy),
        market,
        ticker: this.state.tickers.tickerOf(market),
        side: trade.side,
        price: price(trade.price),
        qty: qty(trade.orderQty),
      }),
      'test',
    );
    this.state.orders.applyChange(id, 'send', seconds(at));
    this.recorder.onNotice({ type: 'order', order, from: 'queued', to: 'in-flight', why: 'sent' });
    this.applyEvent({
      kind: 'order-accepted',
      at: seconds(at),
      exchangeAt: null,
      clientOrderId: id,
      venueOrderId: venueOrderId(`v-${this.#count}`),
      filledQty: qty(0),
      leavesQty: qty(trade.orderQty),
      isFinished: false,
    });
    return id;
  }

  cancelOrder(at: number, id: string, reducedBy: number): void {
    const reduced = qty(reducedBy);
    this.applyEvent({ kind: 'cancel-accepted', at: seconds(at), clientOrderId: clientOrderId(id), reducedBy: reduced });
  }

  settleMarket(at: number, market: number, value: number): void {
    const result: MarketResult = value === 10_000 ? 'yes' : value === 0 ? 'no' : 'scalar';
    this.applyEvent({
      kind: 'market-changed',
      at: seconds(at),
      exchangeAt: null,
      market: index(market),
      status: 'finalized',
      result,
      settlementValue: price(value),
    });
  }

  closeMarket(at: number, market: number): void {
    this.applyEvent({
      kind: 'market-changed',
      at: seconds(at),
      exchangeAt: null,
      market: index(market),
      status: 'closed',
    });
  }

  emitForecast(at: number, market: number, probability: number): void {
    if (seconds(at) >= this.recorder.dueAt) this.recorder.onTimePassed(seconds(at));
    this.state.now = seconds(at);
    this.emitNotice({
      type: 'forecast',
      strategy: strategyName('maker'),
      forecast: { type: 'forecast', market: index(market), probability: price(probability) },
    });
  }

  passTime(at: number): void {
    this.applyEvent({ kind: 'timer', at: seconds(at) });
  }

  finishRecord(at: number, over: Partial<RunFacts> = {}): RunRecord {
    this.passTime(at);
    return this.recorder.runRecord(someFacts({ to: seconds(at), ...over }));
  }

  /** Finds the doubled mid just before a time by brute force. */
  mid2Before(at: number, market: number): number | null {
    let found: number | null = null;
    for (const each of this.mids[market] ?? []) if (each.at < at) found = each.mid2;
    return found;
  }
}
