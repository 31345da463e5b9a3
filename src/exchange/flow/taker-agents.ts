// Takers: noise traders, who trade at random, and informed traders, who know the true probability and wait for a wrong
// price. Must never rest an order.
import type { Side } from '../../domain/orders/order.ts';
import { type Micros, type Price, QTY_PER_CONTRACT } from '../../domain/units.ts';
import { type FlowAgent, type AgentTools, agentOrder, toQty } from './flow-agent.ts';

const MINUTE_US = 60_000_000;
/** Most contracts in one order of a noise taker. */
const NOISE_CONTRACTS = 12;
/** Inventory at which a noise taker always trades back. */
const NOISE_INVENTORY = 400 * QTY_PER_CONTRACT;
/** Distance of the touch from the true probability at which informed takers act, in dollars. */
const EDGE_DOLLARS = 0.035;
const INFORMED_CONTRACTS = 30;

const drawWait = ({ chance }: AgentTools, perMinute: number): number =>
  chance.drawWait(MINUTE_US / Math.max(0.001, perMinute));

function submitTake(tools: AgentTools, order: { side: Side; price: Price; contracts: number }): void {
  const { account, ticker, exchange, submit } = tools;
  const market = exchange.market(ticker);
  if (market === undefined) return;
  const qty = toQty(order.contracts * QTY_PER_CONTRACT, market.definition.qtyStep);
  const terms = { ticker, side: order.side, price: order.price, qty, timeInForce: 'ioc', postOnly: false } as const;
  submit({ type: 'place', account, order: agentOrder(terms) });
}

/** Buys or sells a small quantity at the touch. The larger its position, the more often it trades back toward flat. */
export class NoiseTaker implements FlowAgent {
  readonly #tools: AgentTools;

  constructor(tools: AgentTools) {
    this.#tools = tools;
  }

  act(_now: Micros): number {
    const { chance, config, exchange, account, ticker } = this.#tools;
    const wait = drawWait(this.#tools, config.noiseTradesPerMinute);
    const direction = chance.drawUniform();
    const contracts = 1 + Math.floor(chance.drawUniform() * NOISE_CONTRACTS);
    const held = exchange.position(account, ticker)?.qty ?? 0;
    const side: Side = direction < 0.5 - held / (2 * NOISE_INVENTORY) ? 'buy' : 'sell';
    const stats = exchange.stats(ticker);
    const touch = side === 'buy' ? stats?.ask : stats?.bid;
    if (touch) submitTake(this.#tools, { side, price: touch.price, contracts });
    return wait;
  }
}

/** Trades when the touch differs from the true probability by more than `EDGE_DOLLARS`. */
export class InformedTaker implements FlowAgent {
  readonly #tools: AgentTools;

  constructor(tools: AgentTools) {
    this.#tools = tools;
  }

  act(now: Micros): number {
    const { chance, config, exchange, ticker, world } = this.#tools;
    const wait = drawWait(this.#tools, config.informedTradesPerMinute);
    const contracts = 1 + Math.floor(chance.drawUniform() * INFORMED_CONTRACTS);
    world.advanceTo(now);
    const truth = world.probability(ticker) * 10_000;
    const stats = exchange.stats(ticker);
    const edge = EDGE_DOLLARS * 10_000;
    if (stats?.ask && stats.ask.price < truth - edge)
      submitTake(this.#tools, { side: 'buy', price: stats.ask.price, contracts });
    else if (stats?.bid && stats.bid.price > truth + edge)
      submitTake(this.#tools, { side: 'sell', price: stats.bid.price, contracts });
    return wait;
  }
}
