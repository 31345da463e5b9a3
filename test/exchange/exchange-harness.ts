// A small exchange for tests: one series, one event group, some markets, some accounts, and short ways to submit.
import type { Exchange } from '../../src/exchange/machine/exchange-interface.ts';
import { createExchange } from '../../src/exchange/machine/exchange-machine.ts';
import type { MarketDefinition, NewOrder, Op, SeriesDefinition } from '../../src/exchange/machine/exchange-input.ts';
import type { Answer, Fact, OrderView, StepResult } from '../../src/exchange/machine/exchange-output.ts';
import { eventTicker, seriesTicker, ticker } from '../../src/domain/ids.ts';
import { CENT_GRID } from '../../src/domain/price-grid.ts';
import { cents, contracts, dollars, fromSeconds, micros, type Micros } from '../../src/domain/units.ts';

export const START = micros(1_795_000_000_000_000);
export const seconds = (count: number): Micros => micros(START + count * 1_000_000);

export const definitionOf = (name: string, changes: Partial<MarketDefinition> = {}): MarketDefinition => ({
  ticker: ticker(name),
  eventTicker: eventTicker('RAIN-26'),
  title: `Will it rain in ${name}?`,
  yesSubtitle: 'It rains',
  noSubtitle: 'It stays dry',
  rules: 'Rain is rain.',
  gridName: 'linear_cent',
  gridRanges: CENT_GRID.ranges,
  qtyStep: contracts(1),
  openAt: START,
  closeAt: seconds(3600),
  canCloseEarly: true,
  settlementDelay: fromSeconds(10),
  ...changes,
});

export const orderOf = (changes: Partial<NewOrder> = {}): NewOrder => ({
  ticker: ticker('A'),
  clientOrderId: null,
  side: 'buy',
  price: cents(50),
  qty: contracts(10),
  timeInForce: 'gtc',
  postOnly: false,
  reduceOnly: false,
  selfTrade: 'taker_at_cross',
  expiresAt: null,
  cancelOnPause: false,
  ...changes,
});

/** The operation that places an order. */
export const placeOp = (account: string, changes: Partial<NewOrder>): Op => ({
  type: 'place',
  account,
  order: orderOf(changes),
});

export interface ExchangeHarnessOptions {
  readonly accounts?: readonly string[];
  readonly cash?: number;
  readonly markets?: readonly MarketDefinition[];
  readonly series?: Partial<SeriesDefinition>;
}

/** An exchange with a manual clock. */
export class ExchangeHarness {
  readonly exchange: Exchange = createExchange(7);
  /** Every input so far, for replays. */
  readonly inputs: { at: Micros; op: Op }[] = [];
  /** The result of each input. */
  readonly results: StepResult[] = [];
  at: Micros = START;

  constructor({ accounts = ['ann', 'bob', 'cat'], cash = 1000, markets, series }: ExchangeHarnessOptions = {}) {
    const event = eventTicker('RAIN-26');
    const rain = seriesTicker('RAIN');
    this.submit({
      type: 'define-series',
      series: {
        ticker: rain,
        title: 'Rain',
        category: 'Weather',
        frequency: 'daily',
        feeType: 'quadratic_with_maker_fees',
        feeMultiplierPercent: 100,
        ...series,
      },
    });
    this.submit({
      type: 'define-group',
      group: { ticker: event, seriesTicker: rain, title: 'Rain', subtitle: '', isExclusive: false },
    });
    for (const market of markets ?? [definitionOf('A')]) this.submit({ type: 'define-market', market });
    for (const account of accounts) {
      this.submit({ type: 'open-account', account, keepsHistory: true });
      this.submit({ type: 'deposit', account, amount: dollars(cash) });
    }
  }

  step(op: Op): StepResult {
    const input = { at: this.at, op };
    this.inputs.push(input);
    const result = this.exchange.step(input);
    this.results.push(result);
    return result;
  }

  /** Submits an operation and returns its answer, which must not be a refusal. */
  submit(op: Op): Answer {
    const { answer } = this.step(op);
    if (answer.type === 'refused') throw new Error(`${op.type} refused: ${JSON.stringify(answer.refusal)}`);
    return answer;
  }

  /** Submits an operation and returns the refusal's code, or the answer's type when it was not refused. */
  codeOf(op: Op): string {
    const { answer } = this.step(op);
    return answer.type === 'refused' ? answer.refusal.code : answer.type;
  }

  placeOrder(account: string, changes: Partial<NewOrder> = {}): OrderView {
    const answer = this.submit({ type: 'place', account, order: orderOf(changes) });
    if (answer.type !== 'order') throw new Error(`place answered ${answer.type}`);
    return answer.order;
  }

  facts<Type extends Fact['type']>(op: Op, type: Type): Extract<Fact, { type: Type }>[] {
    return this.step(op).facts.filter((fact): fact is Extract<Fact, { type: Type }> => fact.type === type);
  }

  /** Advances the clock. */
  advance(seconds: number): StepResult {
    this.at = micros(this.at + seconds * 1_000_000);
    return this.step({ type: 'tick' });
  }

  bookText(name = 'A'): string {
    const book = this.exchange.book(ticker(name));
    const side = (levels: readonly { price: number; qty: number }[] = []) =>
      levels.map((level) => `${level.qty / 100}@${level.price / 100}`).join(' ');
    return `${side(book?.bids)} | ${side(book?.asks)}`;
  }

  orderOf(account: string, orderId: string): OrderView | undefined {
    return this.exchange.order(account, orderId);
  }
}
