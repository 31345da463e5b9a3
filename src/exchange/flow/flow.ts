// The flow: agents that trade, so that the books look alive. Submits operations determined by a seed and the time.
// Pure: time is an argument. Except for reactions to other traders, the seed alone determines it.
import type { FlowConfig } from '../../config/exchange-config.ts';
import type { Ticker } from '../../domain/ids.ts';
import { isSettled } from '../../domain/market.ts';
import { type Micros, micros } from '../../domain/units.ts';
import type { ExchangeReader } from '../exchange.ts';
import type { AccountName, Op } from '../input.ts';
import { accountOps } from '../listing.ts';
import type { StepResult } from '../output.ts';
import { Timers } from '../timers.ts';
import type { Agent, AgentTools } from './agent.ts';
import { Chance } from './chance.ts';
import { Maker } from './maker.ts';
import { ANSWER_US, Oracle } from './oracle.ts';
import { InformedTaker, NoiseTaker } from './takers.ts';
import type { Truths } from './world.ts';
import { type FlowMarket, worldsOf } from './worlds.ts';

/** Options of a flow. */
export interface FlowOptions {
  readonly seed: number;
  readonly config: FlowConfig;
  readonly markets: readonly FlowMarket[];
  readonly exchange: ExchangeReader;
  /** Submits an operation to the exchange at once. */
  readonly submit: (op: Op) => StepResult;
}

interface Actor {
  readonly agent: Agent;
  /** The actor stays active until all of these markets are paid out. */
  readonly tickers: readonly Ticker[];
  /** Time of the next action; earlier entries of the actor in the queue no longer apply. */
  dueAt: Micros;
}

/** Shortest wait between two actions of an agent: a millisecond. */
const WAIT_MIN_US = 1000;

/** All agents and their wakeup times. */
export class Flow {
  readonly #options: FlowOptions;
  readonly #actors: Timers<Actor>;
  /** Oracles by market. Added when the flow joins a market; removed when the market is paid out. */
  readonly #oracles = new Map<Ticker, Actor>();
  #hasAccounts = false;

  constructor(options: FlowOptions, now: Micros) {
    this.#options = options;
    const isOpen = (market: Ticker): boolean => {
      const status = options.exchange.statusOf(market);
      return status !== undefined && !isSettled(status);
    };
    this.#actors = new Timers<Actor>(({ tickers, dueAt }, at) => dueAt === at && tickers.some(isOpen));
    this.add(options.markets, now);
  }

  /** Joins further markets. Those of an exclusive group must come together. */
  add(markets: readonly FlowMarket[], now: Micros): void {
    const worlds = worldsOf(this.#options, markets);
    if (!this.#options.config.enabled || worlds.length === 0) return;
    if (!this.#hasAccounts) this.#openAccounts();
    this.#hasAccounts = true;
    for (const world of worlds) this.#populate(world, now);
  }

  /** Number of agents that are still active. */
  get size(): number {
    return this.#actors.size;
  }

  /** Time of the next wakeup; `null` when there is none. */
  nextAt(): Micros | null {
    return this.#actors.next();
  }

  /** Runs every agent that is due. */
  advance(now: Micros): void {
    for (let actor = this.#actors.take(now); actor !== null; actor = this.#actors.take(now)) {
      const wait = actor.agent.wake(now);
      // The wait counts from now, not from the due time: a late agent does not catch up.
      if (Number.isFinite(wait)) this.#wakeAt(actor, micros(now + Math.max(WAIT_MIN_US, Math.round(wait))));
    }
  }

  /** Watches market closes: a market that closes early gets its result as late after the close as any other. */
  hear({ facts }: StepResult): void {
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
    this.#actors.set(at, actor);
  }

  #openAccounts(): void {
    const { config, exchange, submit } = this.#options;
    for (const name of agentNames(config))
      for (const op of accountOps(exchange, { name, cash: config.agentCash, keepsHistory: false })) submit(op);
  }

  #populate(world: Truths, now: Micros): void {
    const { seed, exchange, submit, config } = this.#options;
    const add = (agent: Agent, tickers: readonly Ticker[]): Actor => {
      const actor = { agent, tickers, dueAt: now };
      this.#wakeAt(actor, now);
      return actor;
    };
    const oracle = add(new Oracle({ world, exchange, submit }), world.tickers);
    for (const name of world.tickers) {
      this.#oracles.set(name, oracle);
      const tools = (account: AccountName): AgentTools => {
        const chance = new Chance(seed, `${account}/${name}`);
        return { account, ticker: name, world, chance, config, exchange, submit };
      };
      for (let i = 1; i <= config.makersPerMarket; i++) add(new Maker(tools(makerName(i))), [name]);
      if (config.noiseTradesPerMinute > 0) add(new NoiseTaker(tools(NOISE)), [name]);
      if (config.informedTradesPerMinute > 0) add(new InformedTaker(tools(INFORMED)), [name]);
    }
  }
}

const NOISE = 'flow-noise';
const INFORMED = 'flow-informed';
const makerName = (number: number): AccountName => `flow-maker-${number}`;

/** Accounts that the flow trades through. */
export const agentNames = (config: FlowConfig): AccountName[] => [
  ...Array.from({ length: config.makersPerMarket }, (_, index) => makerName(index + 1)),
  NOISE,
  INFORMED,
];
