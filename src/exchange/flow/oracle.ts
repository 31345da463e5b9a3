// The oracle of a world: half a second after a market has closed, it declares how the market turned out, if that is decided.
// Must never declare twice, nor before the close.
import type { Ticker } from '../../domain/ids.ts';
import { type Micros, micros } from '../../domain/units.ts';
import type { Agent, AgentTools } from './agent.ts';

/** How long after the close the answer comes, in microseconds. */
export const ANSWER_US = 500_000;

/** Declares the results of one world. */
export class Oracle implements Agent {
  readonly #tools: Pick<AgentTools, 'world' | 'exchange' | 'submit'>;

  constructor(tools: Pick<AgentTools, 'world' | 'exchange' | 'submit'>) {
    this.#tools = tools;
  }

  /** Wakes again after the next close that is planned. One that comes sooner must wake it by itself. */
  wake(now: Micros): number {
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
    if (closed.length > 0) world.advance(micros(lastCloseAt));
    for (const [name, isTrue] of world.resolve({ known, closed }))
      submit({ type: 'determine', ticker: name, result: isTrue ? 'yes' : 'no', settlementValue: null });
    return Math.max(ANSWER_US, nextCloseAt + ANSWER_US - now);
  }
}
