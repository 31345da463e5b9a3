// A latent model: the true probabilities of a few markets, and the crowd's estimates. Probabilities wander, jump and
// resolve. Those of exclusive markets sum to one; the crowd's estimates need not.
import type { FlowConfig } from '../../config/exchange-config.ts';
import { assert, must } from '../../base/assert.ts';
import type { Ticker } from '../../domain/ids.ts';
import { type Micros, PAYOUT, type Price } from '../../domain/units.ts';
import { RandomStream } from './random-stream.ts';

/** One market of a group model, with its initial probability. */
export interface GroupModelMarket {
  readonly ticker: Ticker;
  /** Probability of YES at the start, as a price. */
  readonly probability: Price;
}

export interface GroupModelOptions {
  readonly name: string;
  readonly seed: number;
  readonly isExclusive: boolean;
  /** Time from which the probabilities wander. */
  readonly startAt: Micros;
  readonly markets: readonly GroupModelMarket[];
  readonly config: FlowConfig;
}

interface Latent {
  readonly chance: RandomStream;
  logOdds: number;
  crowdError: number;
}

/** Known results of a model's markets, and the markets that still need a result. */
export interface ResultQuery {
  /** Markets with a result, from the oracle or the operator: true for YES. */
  readonly known: ReadonlyMap<Ticker, boolean>;
  readonly closed: readonly Ticker[];
}

/** The agents' knowledge of a few markets: the true probability of each, and the crowd's estimate. */
export interface LatentModel {
  readonly tickers: readonly Ticker[];
  /** Advances the model to a time. An earlier time changes nothing. */
  advanceTo(at: Micros): void;
  /** True probability of YES, between 0 and 1. */
  probability(ticker: Ticker): number;
  /** The crowd's estimate of the probability of YES, between 0 and 1. */
  crowdView(ticker: Ticker): number;
  /** Results of the closed markets that can be decided by now: true for YES. */
  resolveResults(inquiry: ResultQuery): ReadonlyMap<Ticker, boolean>;
}

/** Step of a model, in microseconds. */
export const STEP_US = 250_000;
const STEPS_PER_MINUTE = 60_000_000 / STEP_US;
/** Bound of the log-odds above and below zero. A market alone then stays between 3 % and 97 %. */
const LOG_ODDS_MAX = 3.5;

export const sigmoid = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));
export const logit = (probability: number): number => Math.log(probability / (1 - probability));

/** The crowd's estimate of a probability when its error is `error` log-odds. */
export function crowdViewOf(probability: number, error: number): number {
  const truth = Math.min(0.995, Math.max(0.005, probability));
  return sigmoid(logit(truth) + error);
}

/** The crowd's error one step later. Takes one draw of a normal distribution. */
export function nextCrowdError(error: number, chance: RandomStream, { crowdError, crowdMemory }: FlowConfig): number {
  const retained = Math.exp(-STEP_US / Math.max(STEP_US, crowdMemory));
  return error * retained + crowdError * Math.sqrt(1 - retained * retained) * chance.drawNormal();
}

/** A latent model of one exclusive group, or of one market alone. */
export class GroupModel implements LatentModel {
  readonly #options: GroupModelOptions;
  readonly #latents: ReadonlyMap<Ticker, Latent>;
  /** Results by market. Added when a market has a result; never removed. */
  readonly #results = new Map<Ticker, boolean>();
  #steps = 0;

  constructor(options: GroupModelOptions) {
    assert(
      options.isExclusive || options.markets.length === 1,
      'markets that do not exclude each other cannot share a model',
    );
    this.#options = options;
    this.#latents = new Map(
      options.markets.map(({ ticker, probability }) => {
        const share = probability / PAYOUT;
        const logOdds = options.isExclusive ? Math.log(share) : logit(share);
        return [ticker, { chance: new RandomStream(options.seed, `latent/${ticker}`), logOdds, crowdError: 0 }];
      }),
    );
  }

  get name(): string {
    return this.#options.name;
  }

  get tickers(): readonly Ticker[] {
    return this.#options.markets.map((market) => market.ticker);
  }

  advanceTo(at: Micros): void {
    const steps = Math.floor((at - this.#options.startAt) / STEP_US);
    for (; this.#steps < steps; this.#steps++) for (const latent of this.#latents.values()) this.#advanceLatent(latent);
  }

  probability(ticker: Ticker): number {
    const result = this.#results.get(ticker);
    if (result !== undefined) return result ? 1 : 0;
    const { logOdds } = this.#latent(ticker);
    if (!this.#options.isExclusive) return sigmoid(logOdds);
    if (this.#isWon) return 0;
    let sum = 0;
    for (const [other, latent] of this.#latents) if (!this.#results.has(other)) sum += Math.exp(latent.logOdds);
    return Math.exp(logOdds) / sum;
  }

  get #isWon(): boolean {
    for (const result of this.#results.values()) if (result) return true;
    return false;
  }

  crowdView(ticker: Ticker): number {
    return crowdViewOf(this.probability(ticker), this.#latent(ticker).crowdError);
  }

  /**
   * Resolves each closed market to YES with its current probability, given the earlier results. Of exclusive markets
   * exactly one resolves YES, unless the operator has declared other results.
   */
  resolveResults({ known, closed }: ResultQuery): ReadonlyMap<Ticker, boolean> {
    for (const [ticker, result] of known) this.#results.set(ticker, result);
    const resolving = this.tickers.filter((ticker) => closed.includes(ticker));
    const last = resolving.at(-1);
    if (last === undefined) return new Map();
    let draw = this.#resolutionDraw();
    const results = new Map<Ticker, boolean>();
    for (const ticker of resolving) {
      const probability = this.probability(ticker);
      results.set(ticker, draw >= 0 && draw < probability);
      draw -= probability;
    }
    const isWon = this.#isWon || [...results.values()].includes(true);
    const isLastRound = this.tickers.every((ticker) => this.#results.has(ticker) || resolving.includes(ticker));
    // Rounding may leave the draw just beyond the last share: the last market then resolves YES.
    if (this.#options.isExclusive && isLastRound && !isWon) results.set(last, true);
    for (const [ticker, result] of results) this.#results.set(ticker, result);
    return results;
  }

  /** A draw determined by the model's name and the number of results, so that a restarted exchange draws the same. */
  #resolutionDraw(): number {
    const chance = new RandomStream(this.#options.seed, `resolution/${this.name}`);
    for (let index = 0; index < this.#results.size; index++) chance.drawUniform();
    return chance.drawUniform();
  }

  #advanceLatent(latent: Latent): void {
    const { volatility, jumpsPerHour, jumpSize } = this.#options.config;
    const { chance } = latent;
    const drift = (volatility / Math.sqrt(STEPS_PER_MINUTE)) * chance.drawNormal();
    const jumps = chance.drawUniform() < jumpsPerHour / 60 / STEPS_PER_MINUTE;
    const jump = jumpSize * chance.drawNormal();
    const nextLogOdds = latent.logOdds + drift + (jumps ? jump : 0);
    latent.logOdds = Math.min(LOG_ODDS_MAX, Math.max(-LOG_ODDS_MAX, nextLogOdds));
    latent.crowdError = nextCrowdError(latent.crowdError, chance, this.#options.config);
  }

  #latent(ticker: Ticker): Latent {
    return must(this.#latents.get(ticker), `latent of ${ticker}`);
  }
}
