// The truth behind a few markets and the crowd's view of it: latent probabilities that wander, jump and resolve.
// Of exclusive markets the truths sum to one; the crowd's errors are independent, so that its views need not.
import type { FlowConfig } from '../../config/exchange-config.ts';
import { assert, must } from '../../domain/assert.ts';
import type { Ticker } from '../../domain/ids.ts';
import { type Micros, PAYOUT, type Price } from '../../domain/units.ts';
import { Chance } from './chance.ts';

/** One market of a world. */
export interface WorldMarket {
  readonly ticker: Ticker;
  /** Where its probability begins. */
  readonly probability: Price;
}

export interface WorldOptions {
  readonly name: string;
  readonly seed: number;
  readonly isExclusive: boolean;
  /** When the wandering begins. */
  readonly startAt: Micros;
  readonly markets: readonly WorldMarket[];
  readonly config: FlowConfig;
}

interface Latent {
  readonly chance: Chance;
  logOdds: number;
  crowdError: number;
}

/** What is known of the results of a world's markets, and of which ones they are wanted. */
export interface Inquiry {
  /** Markets that have a result, from the oracle or from the operator: whether they came true. */
  readonly known: ReadonlyMap<Ticker, boolean>;
  /** Markets that are closed and have none yet. */
  readonly closed: readonly Ticker[];
}

/** What agents know of a few markets: how likely each truly is, and how likely the crowd thinks it is. */
export interface Truths {
  readonly tickers: readonly Ticker[];
  /** Moves on to a time. It never moves back. */
  advance(at: Micros): void;
  /** How likely YES truly is, between 0 and 1. */
  probability(ticker: Ticker): number;
  /** How likely the crowd thinks YES is, between 0 and 1. */
  crowdView(ticker: Ticker): number;
  /** Which of the closed markets came true, as far as that can be decided by now. */
  resolve(inquiry: Inquiry): ReadonlyMap<Ticker, boolean>;
}

/** A world moves in steps of this, microseconds. */
export const STEP_US = 250_000;
const STEPS_PER_MINUTE = 60_000_000 / STEP_US;
/** Log-odds stay within this: 3 % to 97 %. */
const LOG_ODDS_MAX = 3.5;

export const sigmoid = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));
export const logit = (probability: number): number => Math.log(probability / (1 - probability));

/** What the crowd makes of a truth when it errs by so many log-odds. */
export function crowdViewOf(probability: number, error: number): number {
  const truth = Math.min(0.995, Math.max(0.005, probability));
  return sigmoid(logit(truth) + error);
}

/** The crowd's error a step later. Takes two draws. */
export function nextCrowdError(error: number, chance: Chance, { crowdError, crowdMemory }: FlowConfig): number {
  const kept = Math.exp(-STEP_US / Math.max(STEP_US, crowdMemory));
  return error * kept + crowdError * Math.sqrt(1 - kept * kept) * chance.normal();
}

/** A world: the markets of one exclusive group, or one market alone. */
export class World implements Truths {
  readonly #options: WorldOptions;
  readonly #latents: ReadonlyMap<Ticker, Latent>;
  /** Added when a market has a result; kept as long as the world. */
  readonly #results = new Map<Ticker, boolean>();
  #steps = 0;

  constructor(options: WorldOptions) {
    assert(
      options.isExclusive || options.markets.length === 1,
      'markets that do not exclude each other share no world',
    );
    this.#options = options;
    this.#latents = new Map(
      options.markets.map(({ ticker, probability }) => {
        const share = probability / PAYOUT;
        const logOdds = options.isExclusive ? Math.log(share) : logit(share);
        return [ticker, { chance: new Chance(options.seed, `latent/${ticker}`), logOdds, crowdError: 0 }];
      }),
    );
  }

  get name(): string {
    return this.#options.name;
  }

  get tickers(): readonly Ticker[] {
    return this.#options.markets.map((market) => market.ticker);
  }

  advance(at: Micros): void {
    const steps = Math.floor((at - this.#options.startAt) / STEP_US);
    for (; this.#steps < steps; this.#steps++) for (const latent of this.#latents.values()) this.#move(latent);
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

  /** Whether a market of the world has come true. */
  get #isWon(): boolean {
    for (const result of this.#results.values()) if (result) return true;
    return false;
  }

  crowdView(ticker: Ticker): number {
    return crowdViewOf(this.probability(ticker), this.#latent(ticker).crowdError);
  }

  /**
   * Each closed market comes true as likely as it is now, given the results before; of exclusive ones exactly one does in
   * the end. One draw for all that are asked about together.
   */
  resolve({ known, closed }: Inquiry): ReadonlyMap<Ticker, boolean> {
    for (const [ticker, result] of known) this.#results.set(ticker, result);
    const asked = this.tickers.filter((ticker) => closed.includes(ticker));
    const last = asked.at(-1);
    if (last === undefined) return new Map();
    let draw = this.#resolutionDraw();
    const results = new Map<Ticker, boolean>();
    for (const ticker of asked) {
      const probability = this.probability(ticker);
      results.set(ticker, draw >= 0 && draw < probability);
      draw -= probability;
    }
    const isWon = this.#isWon || [...results.values()].includes(true);
    const isOver = this.tickers.every((ticker) => this.#results.has(ticker) || asked.includes(ticker));
    // Rounding may leave a sliver beyond the last share; it belongs to the last.
    if (this.#options.isExclusive && isOver && !isWon) results.set(last, true);
    for (const [ticker, result] of results) this.#results.set(ticker, result);
    return results;
  }

  /** A draw of the world's own, another one for each number of results: it stays the same when the exchange comes back. */
  #resolutionDraw(): number {
    const chance = new Chance(this.#options.seed, `resolution/${this.name}`);
    for (let index = 0; index < this.#results.size; index++) chance.uniform();
    return chance.uniform();
  }

  #move(latent: Latent): void {
    const { volatility, jumpsPerHour, jumpSize } = this.#options.config;
    const { chance } = latent;
    const wander = (volatility / Math.sqrt(STEPS_PER_MINUTE)) * chance.normal();
    const jumps = chance.uniform() < jumpsPerHour / 60 / STEPS_PER_MINUTE;
    const jump = jumpSize * chance.normal();
    const moved = latent.logOdds + wander + (jumps ? jump : 0);
    latent.logOdds = Math.min(LOG_ODDS_MAX, Math.max(-LOG_ODDS_MAX, moved));
    latent.crowdError = nextCrowdError(latent.crowdError, chance, this.#options.config);
  }

  #latent(ticker: Ticker): Latent {
    return must(this.#latents.get(ticker), `latent of ${ticker}`);
  }
}
