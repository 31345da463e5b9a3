// A state and a run recorder that a test drives without an engine, by books, trades and settlements in order. Keeps
// every mid of the run, so that a test can find the recorder's mids again by brute force.
import { clientOrderId, eventTicker, seriesTicker, strategyName, tradeId, venueOrderId } from '../../src/domain/ids.ts';
import type { EngineEvent } from '../../src/domain/event.ts';
import type { Market, MarketResult } from '../../src/domain/market.ts';
import type { Liquidity, Side } from '../../src/domain/order.ts';
import { type Micros, type Price, type Qty, dollars, micros, money, price, qty } from '../../src/domain/units.ts';
import { RateBudget } from '../../src/domain/rate-budget.ts';
import type { Notice } from '../../src/execution/engine-notice.ts';
import type { RunFacts, RunRecord } from '../../src/report/record/run-record.ts';
import { RunRecorder, type RunRecorderOptions } from '../../src/report/record/run-recorder.ts';
import type { StateChange } from '../../src/state/state-change.ts';
import { State } from '../../src/state/state.ts';
import { aFill, aMarket, aPlace, index, tickerTable } from './engine/builders.ts';

/** Start of every run: midnight UTC of some day. Microseconds. */
export const DAWN = 1_800_000_000_000_000;
/** Returns the time a number of seconds after the start. */
export const seconds = (count: number): Micros => micros(DAWN + Math.round(count * 1_000_000));

export interface Trade {
  readonly market: number;
  readonly side: Side;
  readonly price: number;
  readonly qty: number;
  readonly fee?: number;
  readonly liquidity?: Liquidity;
  readonly strategy?: string;
  /** Quantity of the order; the traded quantity when absent. */
  readonly asked?: number;
}

export interface RunOptions {
  readonly markets?: number;
  readonly cash?: number;
  readonly market?: (number: number) => Partial<Market>;
  readonly keeper?: Partial<RunRecorderOptions>;
}

const aBudget = (): RateBudget =>
  new RateBudget({ limit: { model: 'token-bucket', refillPerSecond: 10, capacity: 100 }, guardMs: 0 });

/** Returns facts of a run that only a driver knows. */
export const someFacts = (over: Partial<RunFacts> = {}): RunFacts => ({
  kind: 'backtest',
  name: 'a run',
  to: DAWN,
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
export class ScoredRun {
  readonly state: State;
  readonly keeper: RunRecorder;
  readonly budgets = { read: aBudget(), trade: aBudget() };
  /** Every mid so far, doubled, with its start time, by market. */
  readonly mids: { readonly at: number; readonly mid2: number | null }[][] = [];
  readonly trades: (Required<Trade> & { readonly at: number })[] = [];
  #count = 0;

  constructor({ markets = 1, cash = dollars(1000), market = () => ({}), keeper = {} }: RunOptions = {}) {
    this.state = new State(tickerTable(markets));
    this.keeper = new RunRecorder({ engine: { state: this.state, planner: { budgets: this.budgets } }, ...keeper });
    this.state.now = seconds(0);
    for (let number = 0; number < markets; number++) {
      const defined = aMarket(number, { closeAt: seconds(86_400), openAt: seconds(-10), ...market(number) });
      this.group(defined.eventTicker, defined.eventTicker.split('-')[0] ?? 'S');
      this.apply({ kind: 'market', at: seconds(0), market: defined });
      this.mids[number] = [{ at: seconds(0), mid2: null }];
    }
    this.state.portfolio.setOpeningCash(money(cash));
    this.state.portfolio.openAccount();
  }

  group(name: string, series: string): void {
    this.apply({
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
  apply(event: EngineEvent): void {
    if (event.at >= this.keeper.dueAt) this.keeper.onTimePassed(event.at);
    const changes: StateChange[] = [];
    this.state.applyEvent(event, changes);
    for (const change of changes) this.keeper.onNotice(change);
  }

  tell(notice: Notice): void {
    this.keeper.onNotice(notice);
  }

  /** Sets a book of one level a side; `null` for no level. */
  book(at: number, market: number, touch: readonly [bid: number | null, ask: number | null]): void {
    const [bid, ask] = touch;
    const level = (value: number | null): [Price, Qty][] => (value === null ? [] : [[price(value), qty(10_000)]]);
    this.apply({
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
  trade(at: number, trade: Trade): string {
    const whole = { fee: 0, liquidity: 'maker', strategy: 'maker', asked: trade.qty, ...trade } as const;
    const id = this.place(at, whole);
    const number = this.#count;
    this.trades.push({ ...whole, at: seconds(at) });
    const fill = aFill({
      tradeId: tradeId(`t-${number}`),
      venueOrderId: venueOrderId(`v-${number}`),
      clientOrderId: clientOrderId(id),
      market: index(trade.market),
      side: trade.side,
      price: price(trade.price),
      qty: qty(trade.qty),
      fee: money(whole.fee),
      liquidity: whole.liquidity,
    });
    this.apply({ kind: 'fill', at: seconds(at), fill });
    return id;
  }

  /** Applies an order that the venue accepts. Returns its id. */
  place(at: number, trade: Trade & { readonly strategy: string; readonly asked: number }): string {
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
        qty: qty(trade.asked),
      }),
      'test',
    );
    this.state.orders.applyChange(id, 'send', seconds(at));
    this.keeper.onNotice({ type: 'order', order, from: 'queued', to: 'in-flight', why: 'sent' });
    this.apply({
      kind: 'order-accepted',
      at: seconds(at),
      exchangeAt: null,
      clientOrderId: id,
      venueOrderId: venueOrderId(`v-${this.#count}`),
      filledQty: qty(0),
      leavesQty: qty(trade.asked),
      isFinished: false,
    });
    return id;
  }

  cancel(at: number, id: string, reducedBy: number): void {
    const reduced = qty(reducedBy);
    this.apply({ kind: 'cancel-accepted', at: seconds(at), clientOrderId: clientOrderId(id), reducedBy: reduced });
  }

  settle(at: number, market: number, value: number): void {
    const result: MarketResult = value === 10_000 ? 'yes' : value === 0 ? 'no' : 'scalar';
    this.apply({
      kind: 'market-changed',
      at: seconds(at),
      exchangeAt: null,
      market: index(market),
      status: 'finalized',
      result,
      settlementValue: price(value),
    });
  }

  close(at: number, market: number): void {
    this.apply({ kind: 'market-changed', at: seconds(at), exchangeAt: null, market: index(market), status: 'closed' });
  }

  forecast(at: number, market: number, probability: number): void {
    if (seconds(at) >= this.keeper.dueAt) this.keeper.onTimePassed(seconds(at));
    this.state.now = seconds(at);
    this.tell({
      type: 'forecast',
      strategy: strategyName('maker'),
      forecast: { type: 'forecast', market: index(market), probability: price(probability) },
    });
  }

  pass(at: number): void {
    this.apply({ kind: 'timer', at: seconds(at) });
  }

  record(at: number, over: Partial<RunFacts> = {}): RunRecord {
    this.pass(at);
    return this.keeper.runRecord(someFacts({ to: seconds(at), ...over }));
  }

  /** Finds the doubled mid just before a time by brute force. */
  mid2Before(at: number, market: number): number | null {
    let found: number | null = null;
    for (const each of this.mids[market] ?? []) if (each.at < at) found = each.mid2;
    return found;
  }
}
