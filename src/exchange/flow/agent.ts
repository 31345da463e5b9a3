// What an agent of the flow is: something that wakes, looks, asks the exchange like anybody, and says when to wake again.
// Must never reach past the exchange's door, and draws the same number of times whatever it sees.
import type { FlowConfig } from '../../config/exchange-config.ts';
import type { Ticker } from '../../domain/ids.ts';
import { type Micros, PAYOUT, type Price, type Qty, price, qty } from '../../domain/units.ts';
import type { ExchangeReader } from '../exchange.ts';
import type { AccountName, NewOrder, Op } from '../input.ts';
import type { StepResult } from '../output.ts';
import type { Chance } from './chance.ts';
import type { Truths } from './world.ts';

/** What an agent has to work with. */
export interface AgentTools {
  readonly account: AccountName;
  readonly ticker: Ticker;
  readonly world: Truths;
  readonly chance: Chance;
  readonly config: FlowConfig;
  readonly exchange: ExchangeReader;
  readonly submit: (op: Op) => StepResult;
}

/** One actor in one market. */
export interface Agent {
  /** Acts once. Returns how long until it wants to act again, in microseconds. */
  wake(now: Micros): number;
}

/** A probability as a price strictly between zero and a dollar. */
export const toPrice = (probability: number): Price =>
  price(Math.min(PAYOUT - 1, Math.max(1, Math.round(probability * PAYOUT))));

/** A number of contracts on the market's step, at least one step. */
export const toQty = (wanted: number, step: Qty): Qty => qty(Math.max(1, Math.round(wanted / step)) * step);

/** An order as the agents place them: nameless, until canceled. */
export const agentOrder = (
  order: Pick<NewOrder, 'ticker' | 'side' | 'price' | 'qty' | 'timeInForce' | 'postOnly'>,
): NewOrder => ({
  ...order,
  clientOrderId: null,
  reduceOnly: false,
  selfTrade: 'maker',
  expiresAt: null,
  cancelOnPause: false,
});
