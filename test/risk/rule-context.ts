// The context of the risk rules in tests: a state, limits that no order meets by accident, and a venue that accepts
// everything.
import { Exposure } from '../../src/risk/exposure/exposure.ts';
import { FeeSchedules } from '../../src/risk/exposure/fee-schedules.ts';
import { type RiskLimits, type StrategyLimits, tightened } from '../../src/risk/risk-limits.ts';
import { MarketWatch } from '../../src/risk/market-watch.ts';
import { MessageRates } from '../../src/risk/message-rates.ts';
import { StrategyAccount } from '../../src/risk/exposure/strategy-account.ts';
import type { RiskContext, VenueTerms } from '../../src/risk/rules/proposal.ts';
import type { State } from '../../src/state/state.ts';
import { checkOrder } from '../../src/risk/risk-check.ts';
import type { Side } from '../../src/domain/orders/order.ts';
import { type Money, cents, contracts } from '../../src/domain/units.ts';
import { clientOrderId, eventTicker, seriesTicker } from '../../src/domain/ids.ts';
import type { EventGroup, Series } from '../../src/domain/market.ts';
import { BEGIN, MAKER, aPlace, index, tickerOf, wideLimits } from '../support/engine/builders.ts';

export const TERMS: VenueTerms = {
  canPostOnly: true,
  canReduceOnly: true,
  timeInForce: ['gtc', 'gtd', 'ioc', 'fok'],
  qtyStep: 100,
  priceMin: cents(1),
  priceMax: cents(99),
};

/** The strategy's own limits and capital. */
export interface OwnScene {
  readonly own?: StrategyLimits;
  readonly capital?: Money | null;
}

/** Makes the context that the rules read. */
export function riskContext(
  state: State,
  over: Omit<Partial<RiskContext>, 'own'> & OwnScene & { readonly account?: Partial<RiskLimits> } = {},
): RiskContext {
  const { own = {}, capital = null, account = {}, ...rest } = over;
  const accountLimits = wideLimits(account);
  const fees = new FeeSchedules(state.markets);
  return {
    state,
    limits: tightened(accountLimits, own),
    accountLimits,
    venue: TERMS,
    readiness: { type: 'ready' },
    halt: null,
    fees,
    exposure: new Exposure(state, fees),
    own: { limits: own, account: new StrategyAccount({ state, strategy: MAKER, fees, capital }) },
    rates: new MessageRates(),
    watch: new MarketWatch(),
    ...rest,
  };
}

/** An order of a random sequence. */
export interface DrawnOrder {
  readonly id: string;
  readonly market: number;
  readonly side: Side;
  readonly cent: number;
  /** Contracts. */
  readonly size: number;
}

/** Sends an order under limits of strategy and account. Returns false when risk denies it. */
export function sendOrder(state: State, { id, market, side, cent, size }: DrawnOrder, limits: RiskLimits): boolean {
  const command = aPlace({
    clientOrderId: clientOrderId(id),
    strategy: MAKER,
    market: index(market),
    side,
    price: cents(cent),
    qty: contracts(size),
  });
  if (checkOrder(command, riskContext(state, { limits, accountLimits: limits }))) return false;
  state.orders.addOrder(command, '');
  state.orders.applyChange(command.clientOrderId, 'send', BEGIN);
  return true;
}

/** The event group of every market that `aMarket` makes. */
export const aGroup = (count: number, over: Partial<EventGroup> = {}): EventGroup => ({
  eventTicker: eventTicker('EVENT'),
  seriesTicker: seriesTicker('SERIES'),
  title: 'Event',
  isExclusive: false,
  tickers: Array.from({ length: count }, (_, i) => tickerOf(i)),
  ...over,
});

/** The series of that group. Charges no fees by default. */
export const aSeries = (over: Partial<Series> = {}): Series => ({
  ticker: seriesTicker('SERIES'),
  title: 'Series',
  category: 'test',
  frequency: 'once',
  feeType: 'free',
  feeMultiplierPercent: 100,
  ...over,
});

/** Adds the group and its series to a state. */
export function describeGroup(state: State, group: EventGroup, series = aSeries()): void {
  state.applyEvent({ kind: 'event-group', at: BEGIN, group }, []);
  state.applyEvent({ kind: 'series', at: BEGIN, series }, []);
}
