// The flow: agents that make the books look alive. Given a seed and the passing of time it asks the exchange for things.
// Pure: time is told to it. What it does not share with the outside trader's doings, the seed alone decides.
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

/** What a flow is made of. */
export interface FlowOptions {
  readonly seed: number;
  readonly config: FlowConfig;
  readonly markets: readonly FlowMarket[];
  readonly exchange: ExchangeReader;
  /** Asks the exchange, now. */
  readonly submit: (op: Op) => StepResult;
}

interface Actor {
  readonly agent: Agent;
  /** It acts until all of these markets are paid out. */
  readonly tickers: readonly Ticker[];
  /** When it wakes next; whatever else was set for it is over. */
  dueAt: Micros;
}

/** No agent acts twice within a millisecond. */
const WAIT_MIN_US = 1000;

/** All the agents, and when each of them wakes. */
export class Flow {
  readonly #options: FlowOptions;
  readonly #actors: Timers<Actor>;
  /** By their markets: added when a market is taken part in, removed when it is paid out. */
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

  /** Takes part in further markets. Those of an exclusive group must come together. */
  add(markets: readonly FlowMarket[], now: Micros): void {
    const worlds = worldsOf(this.#options, markets);
    if (!this.#options.config.enabled || worlds.length === 0) return;
    if (!this.#hasAccounts) this.#openAccounts();
    this.#hasAccounts = true;
    for (const world of worlds) this.#populate(world, now);
  }

  /** Agents that still have something to do. */
  get size(): number {
    return this.#actors.size;
  }

  /** When the next agent wakes; `null` when none ever will. */
  nextAt(): Micros | null {
    return this.#actors.next();
  }

  /** Lets everyone act who is due. */
  advance(now: Micros): void {
    for (let actor = this.#actors.take(now); actor !== null; actor = this.#actors.take(now)) {
      const wait = actor.agent.wake(now);
      // From now and not from when it was due: an agent that overslept does not catch up.
      if (Number.isFinite(wait)) this.#wakeAt(actor, micros(now + Math.max(WAIT_MIN_US, Math.round(wait))));
    }
  }

  /** Follows what happens: a market that closes before its time is answered for as any other. */
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

/** The accounts that the flow trades through. */
export const agentNames = (config: FlowConfig): AccountName[] => [
  ...Array.from({ length: config.makersPerMarket }, (_, index) => makerName(index + 1)),
  NOISE,
  INFORMED,
];
