// An agent of the flow: it wakes, reads the exchange, submits operations like any account, and returns its next delay.
// Must never bypass the exchange's operations.
import type { FlowConfig } from '../../config/exchange-config.ts';
import type { Ticker } from '../../domain/ids.ts';
import { type Micros, PAYOUT, type Price, type Qty, price, qty } from '../../domain/units.ts';
import type { ExchangeReader } from '../machine/exchange-interface.ts';
import type { AccountName, NewOrder, Op } from '../machine/exchange-input.ts';
import type { StepResult } from '../machine/exchange-output.ts';
import type { RandomStream } from './random-stream.ts';
import type { LatentModel } from './latent-model.ts';

/** The tools of an agent: its account and market, its model and random stream, and the exchange. */
export interface AgentTools {
  readonly account: AccountName;
  readonly ticker: Ticker;
  readonly world: LatentModel;
  readonly chance: RandomStream;
  readonly config: FlowConfig;
  readonly exchange: ExchangeReader;
  readonly submit: (op: Op) => StepResult;
}

/** A participant in a market, or the oracle of a model. */
export interface FlowAgent {
  /** Acts once. Returns the delay until its next action, in microseconds. */
  act(now: Micros): number;
}

/** A probability as a price strictly between zero and a dollar. */
export const toPrice = (probability: number): Price =>
  price(Math.min(PAYOUT - 1, Math.max(1, Math.round(probability * PAYOUT))));

/** Rounds a quantity to the market's step, to at least one step. */
export const toQty = (wanted: number, step: Qty): Qty => qty(Math.max(1, Math.round(wanted / step)) * step);

/** An order of an agent. Its own resting order is canceled where it would trade with itself. */
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
