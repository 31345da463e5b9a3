// The flow: simulated traders (agents) that keep the books busy. Must never read a clock: time is an argument.
import { DueQueue } from '../../base/due-queue.ts';
import type { FlowConfig } from '../../config/exchange-config.ts';
import type { Ticker } from '../../domain/ids.ts';
import { isSettled } from '../../domain/market.ts';
import { type Micros, micros } from '../../domain/units.ts';
import type { ExchangeReader } from '../machine/exchange-interface.ts';
import type { AccountName, Op } from '../machine/exchange-input.ts';
import { accountOps } from '../markets/config-listing.ts';
import type { StepResult } from '../machine/exchange-output.ts';
import type { FlowAgent, AgentTools } from './flow-agent.ts';
import { RandomStream } from './random-stream.ts';
import { MakerAgent } from './maker-agent.ts';
import { ANSWER_US, ResultOracle } from './result-oracle.ts';
import { InformedTaker, NoiseTaker } from './taker-agents.ts';
import type { LatentModel } from './latent-model.ts';
import { type FlowMarket, latentModelsOf } from './latent-models.ts';

/** Options of a flow. */
export interface AgentFlowOptions {
  readonly seed: number;
  readonly config: FlowConfig;
  readonly markets: readonly FlowMarket[];
  readonly exchange: ExchangeReader;
  readonly submit: (op: Op) => StepResult;
}

interface Actor {
  readonly agent: FlowAgent;
  /** The agent acts until all of these markets are paid out. */
  readonly tickers: readonly Ticker[];
  /** Time of the next action. Other queue entries of the agent no longer apply. */
  dueAt: Micros;
}

const WAIT_MIN_US = 1000;

/** All agents and their wakeup times. */
export class AgentFlow {
  readonly #options: AgentFlowOptions;
  readonly #actors: DueQueue<Actor, Micros>;
  /**
   * Oracles, which declare results, by market. Added when the flow joins a market; removed when the market is paid out.
   */
  readonly #oracles = new Map<Ticker, Actor>();
  #hasAccounts = false;

  constructor(options: AgentFlowOptions, now: Micros) {
    this.#options = options;
    const isOpen = (market: Ticker): boolean => {
      const status = options.exchange.statusOf(market);
      return status !== undefined && !isSettled(status);
    };
    this.#actors = new DueQueue<Actor, Micros>(({ tickers, dueAt }, at) => dueAt === at && tickers.some(isOpen));
    this.addMarkets(options.markets, now);
  }

  /** Adds markets to the flow. The markets of one event group must be added in one call. */
  addMarkets(markets: readonly FlowMarket[], now: Micros): void {
    const worlds = latentModelsOf(this.#options, markets);
    if (!this.#options.config.enabled || worlds.length === 0) return;
    if (!this.#hasAccounts) this.#openAccounts();
    this.#hasAccounts = true;
    for (const world of worlds) this.#populate(world, now);
  }

  /** Number of wakeups in the queue, outdated ones included. */
  get size(): number {
    return this.#actors.size;
  }

  nextAt(): Micros | null {
    return this.#actors.nextAt();
  }

  advance(now: Micros): void {
    for (let actor = this.#actors.popDue(now); actor !== null; actor = this.#actors.popDue(now)) {
      const wait = actor.agent.act(now);
      // The wait counts from now, not from the due time: a late agent does not catch up.
      if (Number.isFinite(wait)) this.#wakeAt(actor, micros(now + Math.max(WAIT_MIN_US, Math.round(wait))));
    }
  }

  /** Wakes the oracle sooner when a market closes early. Its result then comes after the usual delay. */
  onStep({ facts }: StepResult): void {
    for (const fact of facts) {
      if (fact.type !== 'market') continue;
      const oracle = this.#oracles.get(fact.ticker);
      const answerAt = micros(fact.at + ANSWER_US);
      if (fact.to === 'closed' && oracle !== undefined && answerAt < oracle.dueAt) this.#wakeAt(oracle, answerAt);
      if (fact.to === 'finalized') this.#oracles.delete(fact.ticker);
    }
  }

  #wakeAt(actor: Actor, at: Micros): void {
    actor.dueAt = at;
    this.#actors.schedule(at, actor);
  }

  #openAccounts(): void {
    const { config, exchange, submit } = this.#options;
    for (const name of agentNames(config))
      for (const op of accountOps(exchange, { name, cash: config.agentCash, keepsHistory: false })) submit(op);
  }

  #populate(world: LatentModel, now: Micros): void {
    const { seed, exchange, submit, config } = this.#options;
    const add = (agent: FlowAgent, tickers: readonly Ticker[]): Actor => {
      const actor = { agent, tickers, dueAt: now };
      this.#wakeAt(actor, now);
      return actor;
    };
    const oracle = add(new ResultOracle({ world, exchange, submit }), world.tickers);
    for (const name of world.tickers) {
      this.#oracles.set(name, oracle);
      const tools = (account: AccountName): AgentTools => {
        const chance = new RandomStream(seed, `${account}/${name}`);
        return { account, ticker: name, world, chance, config, exchange, submit };
      };
      for (let i = 1; i <= config.makersPerMarket; i++) add(new MakerAgent(tools(makerName(i))), [name]);
      if (config.noiseTradesPerMinute > 0) add(new NoiseTaker(tools(NOISE)), [name]);
      if (config.informedTradesPerMinute > 0) add(new InformedTaker(tools(INFORMED)), [name]);
    }
  }
}

const NOISE = 'flow-noise';
const INFORMED = 'flow-informed';
const makerName = (number: number): AccountName => `flow-maker-${number}`;

/** Accounts of the flow's agents. */
export const agentNames = (config: FlowConfig): AccountName[] => [
  ...Array.from({ length: config.makersPerMarket }, (_, index) => makerName(index + 1)),
  NOISE,
  INFORMED,
];
