// A latent model of markets about one number: above a strike, below a strike, or between two. The number wanders until
// the close, so that the probabilities are consistent. Must never resolve two strikes to contradictory results.
import type { FlowConfig } from '../../config/exchange-config.ts';
import { must } from '../../base/assert.ts';
import type { Ticker } from '../../domain/ids.ts';
import type { Strike } from '../../domain/market.ts';
import { type Micros, PAYOUT, type Price } from '../../domain/units.ts';
import { RandomStream } from './random-stream.ts';
import {
  type ResultQuery,
  STEP_US,
  type LatentModel,
  crowdViewOf,
  logit,
  nextCrowdError,
  sigmoid,
} from './latent-model.ts';

/** A market about the number: strike and initial probability. */
export interface StrikeMarket {
  readonly ticker: Ticker;
  readonly strike: Strike;
  /** Initial probability. Only those of thresholds determine the number's start and scale. */
  readonly probability: Price;
}

export interface UnderlyingModelOptions {
  readonly name: string;
  readonly seed: number;
  /** Time at which the number begins to wander. The results are read from it at `endAt`. */
  readonly startAt: Micros;
  readonly endAt: Micros;
  readonly markets: readonly StrikeMarket[];
  readonly config: FlowConfig;
}

/** The number's start, and its scale: log-odds fall by one as the strike rises by one scale. */
export interface UnderlyingLine {
  readonly start: number;
  readonly scale: number;
}

/**
 * Standard deviation of the normal distribution closest to a logistic one of scale 1. The two differ by less than 0.01.
 */
const DEVIATION_PER_SCALE = 1.702;

/** The strike of a threshold and the log-odds of ending above it; `null` for a market between two strikes. */
function pointOf({ strike, probability }: Pick<StrikeMarket, 'strike' | 'probability'>): [number, number] | null {
  const share = Math.min(0.999, Math.max(0.001, probability / PAYOUT));
  if (strike.type === 'between') return null;
  return strike.floor === null ? [strike.cap ?? 0, -logit(share)] : [strike.floor, logit(share)];
}

/**
 * The line that best fits the thresholds' probabilities. `null` with too few thresholds, or with contradictory ones.
 */
export function fitLine(markets: readonly Pick<StrikeMarket, 'strike' | 'probability'>[]): UnderlyingLine | null {
  const points = markets.flatMap((market) => {
    const point = pointOf(market);
    return point === null ? [] : [point];
  });
  // Least squares: log-odds fall linearly with the strike.
  const [strikeMean, oddsMean] = [mean(points.map(([strike]) => strike)), mean(points.map(([, odds]) => odds))];
  const spread = mean(points.map(([strike]) => (strike - strikeMean) ** 2));
  const slope = mean(points.map(([strike, odds]) => (strike - strikeMean) * (odds - oddsMean))) / spread;
  return slope < 0 ? { start: strikeMean - oddsMean / slope, scale: -1 / slope } : null;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

interface Crowd {
  readonly strike: Strike;
  readonly chance: RandomStream;
  error: number;
}

/** A latent model of the markets about one number. */
export class UnderlyingModel implements LatentModel {
  readonly #options: UnderlyingModelOptions;
  readonly #line: UnderlyingLine;
  readonly #chance: RandomStream;
  readonly #crowds: ReadonlyMap<Ticker, Crowd>;
  readonly #stepsMax: number;
  #steps = 0;
  #number: number;

  /** @throws {AssertionFault} when no line fits the markets. */
  constructor(options: UnderlyingModelOptions) {
    const { seed, name, markets, startAt, endAt } = options;
    this.#options = options;
    this.#line = must(fitLine(markets), `line of ${name}`);
    this.#number = this.#line.start;
    this.#stepsMax = Math.max(1, Math.floor((endAt - startAt) / STEP_US));
    this.#chance = new RandomStream(seed, `line/${name}`);
    this.#crowds = new Map(
      markets.map(({ ticker, strike }) => [
        ticker,
        { strike, chance: new RandomStream(seed, `crowd/${ticker}`), error: 0 },
      ]),
    );
  }

  get tickers(): readonly Ticker[] {
    return this.#options.markets.map((market) => market.ticker);
  }

  advanceTo(at: Micros): void {
    const steps = Math.floor((at - this.#options.startAt) / STEP_US);
    for (; this.#steps < steps; this.#steps++) {
      const moved = ((this.#line.scale * DEVIATION_PER_SCALE) / Math.sqrt(this.#stepsMax)) * this.#chance.drawNormal();
      if (this.#steps < this.#stepsMax) this.#number += moved;
      for (const crowd of this.#crowds.values())
        crowd.error = nextCrowdError(crowd.error, crowd.chance, this.#options.config);
    }
  }

  probability(ticker: Ticker): number {
    const { type, floor, cap } = this.#crowd(ticker).strike;
    const above = floor === null ? 1 : this.#above(floor, type === 'greater');
    return Math.max(0, above - (cap === null ? 0 : this.#above(cap, type !== 'less')));
  }

  crowdView(ticker: Ticker): number {
    return crowdViewOf(this.probability(ticker), this.#crowd(ticker).error);
  }

  /** Decides every result by the number at the end, once no market is open. */
  resolveResults({ known, closed }: ResultQuery): ReadonlyMap<Ticker, boolean> {
    if (!this.tickers.every((ticker) => known.has(ticker) || closed.includes(ticker))) return new Map();
    this.advanceTo(this.#options.endAt);
    return new Map(closed.map((ticker) => [ticker, this.probability(ticker) >= 0.5]));
  }

  /** Probability that the number ends above a strike. Without `isStrict`, a number at the strike counts as above. */
  #above(strike: number, isStrict: boolean): number {
    const left = Math.max(0, 1 - this.#steps / this.#stepsMax);
    const distance = this.#number - strike;
    if (left > 0) return sigmoid(distance / (this.#line.scale * Math.sqrt(left)));
    return distance > 0 || (distance === 0 && !isStrict) ? 1 : 0;
  }

  #crowd(ticker: Ticker): Crowd {
    return must(this.#crowds.get(ticker), `crowd of ${ticker}`);
  }
}
