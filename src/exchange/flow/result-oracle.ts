// The oracle of a latent model: declares results half a second after the close. A model that cannot decide yet delays
// its results. Must never declare a result twice, nor before the close.
import type { Ticker } from '../../domain/ids.ts';
import { type Micros, micros } from '../../domain/units.ts';
import type { FlowAgent, AgentTools } from './flow-agent.ts';

/** Delay of the result after the close, in microseconds. */
export const ANSWER_US = 500_000;

/** Declares the results of one latent model. */
export class ResultOracle implements FlowAgent {
  readonly #tools: Pick<AgentTools, 'world' | 'exchange' | 'submit'>;

  constructor(tools: Pick<AgentTools, 'world' | 'exchange' | 'submit'>) {
    this.#tools = tools;
  }

  /**
   * Returns the delay until half a second after the next scheduled close; infinite when there is none. The caller must
   * wake the oracle sooner when a market closes early.
   */
  act(now: Micros): number {
    const { world, exchange, submit } = this.#tools;
    const known = new Map<Ticker, boolean>();
    const closed: Ticker[] = [];
    let lastCloseAt = 0;
    let nextCloseAt = Infinity;
    for (const name of world.tickers) {
      const market = exchange.market(name);
      if (market === undefined) continue;
      if (market.result !== null) known.set(name, market.result === 'yes');
      else if (market.status === 'closed') {
        closed.push(name);
        lastCloseAt = Math.max(lastCloseAt, market.closeAt);
      } else nextCloseAt = Math.min(nextCloseAt, market.closeAt);
    }
    if (closed.length > 0) world.advanceTo(micros(lastCloseAt));
    for (const [name, isYes] of world.resolveResults({ known, closed }))
      submit({ type: 'determine', ticker: name, result: isYes ? 'yes' : 'no', settlementValue: null });
    return Math.max(ANSWER_US, nextCloseAt + ANSWER_US - now);
  }
}
