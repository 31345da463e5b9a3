// The oracle of a world: when its markets have closed, it declares how the world turned out.
// Must never declare twice, nor before every market of the world is closed.
import { type Micros } from '../../domain/units.ts';
import type { Agent, AgentTools } from './agent.ts';

/** How long after the close the answer comes, and how long until it looks again when a close has moved. */
const ANSWER_US = 500_000;

/** Declares the results of one world. */
export class Oracle implements Agent {
  readonly #tools: Pick<AgentTools, 'world' | 'exchange' | 'submit'>;

  constructor(tools: Pick<AgentTools, 'world' | 'exchange' | 'submit'>) {
    this.#tools = tools;
  }

  wake(now: Micros): number {
    const { world, exchange, submit } = this.#tools;
    const markets = world.tickers.flatMap((ticker) => exchange.market(ticker) ?? []);
    const closeAt = Math.max(...markets.map((market) => market.closeAt));
    if (markets.some((market) => ['initialized', 'active', 'inactive'].includes(market.status)))
      return Math.max(ANSWER_US, closeAt + ANSWER_US - now);
    world.advance(closeAt as Micros);
    const results = world.resolve();
    for (const { definition, status } of markets) {
      const result = results.get(definition.ticker) === true ? 'yes' : 'no';
      if (status === 'closed') submit({ type: 'determine', ticker: definition.ticker, result, settlementValue: null });
    }
    return Infinity;
  }
}
