// Latency models: constant, log-normal, drawn from a live session's journal or from tables of quantiles or, for the
// feed, as late as the recorder's feed. Drawn delays are too kind: they do not depend on how busy the market is, while live delays come in bursts. Must
// never draw a negative delay, nor use any randomness but `UniformDraw`.
import type { DelayConfig, SimulationConfig } from '../../../config/simulation-config.ts';
import { delayTables } from './delay-tables.ts';
import type { Departure, LatencyModel, MessageLeg, UniformDraw } from '../simulator-interfaces.ts';

/** Delays in a live session's journal, for each leg (`feed`, `order` or `answer`): microseconds, ascending. */
export type LatencySamples = Partial<Readonly<Record<MessageLeg, readonly number[]>>>;

/** Thrown when a model cannot be made from its figures. */
export class LatencyFault extends Error {
  override readonly name = 'LatencyFault';
}

type Delays = (draw: UniformDraw, departure: Departure) => number;

/**
 * Returns the model that a config names.
 * @param samples for the legs that are drawn from a journal.
 * @throws {LatencyFault} when a leg that is drawn from a journal has no samples, or its figures make no distribution.
 */
export function latencyModel(config: SimulationConfig['latency'], samples: LatencySamples = {}): LatencyModel {
  const order = delaysOf('order', config.order, samples);
  const answer = delaysOf('answer', config.answer, samples);
  const name = `feed ${nameOf(config.feed)}, order ${nameOf(config.order)}, answer ${nameOf(config.answer)}`;
  const differsByWay = [config.order, config.answer].some(hasWays);
  if (config.feed === 'recorded') return new RecordedLatency(name, { order, answer, differsByWay });
  const feed = delaysOf('feed', config.feed, samples);
  const delays: Readonly<Record<MessageLeg, Delays>> = { feed, order, answer };
  return { name, differsByWay, drawDelay: (leg, departure, draw) => delays[leg](draw, departure) };
}

const hasWays = (config: DelayConfig): boolean =>
  config.model === 'quantiles' && config.rows.some(({ way }) => way !== undefined);

const nameOf = (config: SimulationConfig['latency']['feed']): string => {
  if (config === 'recorded') return config;
  if (config.model === 'constant') return `constant ${config.delay} us`;
  if (config.model === 'log-normal') return `log-normal ${config.median} us, p99 ${config.p99} us`;
  if (config.model === 'quantiles') return `quantiles ${config.rows.length} rows`;
  return `journal ${config.folder}`;
};

interface RequestDelays {
  readonly order: Delays;
  readonly answer: Delays;
  readonly differsByWay: boolean;
}

/**
 * A feed as late as the recorder's was. A private event, which the tape does not have, gets the latest recorded delay.
 * Before the first recorded delay, it gets the delay of an answer.
 */
class RecordedLatency implements LatencyModel {
  readonly name: string;
  readonly differsByWay: boolean;
  readonly #delays: Readonly<Record<'order' | 'answer', Delays>>;
  #lastDelay: number | null = null;

  constructor(name: string, { differsByWay, ...delays }: RequestDelays) {
    this.name = name;
    this.differsByWay = differsByWay;
    this.#delays = delays;
  }

  onRecordedDelay(delay: number): void {
    this.#lastDelay = Math.max(0, delay);
  }

  drawDelay(leg: MessageLeg, departure: Departure, draw: UniformDraw): number {
    if (leg !== 'feed') return this.#delays[leg](draw, departure);
    return this.#lastDelay ?? this.#delays.answer(draw, departure);
  }
}

function delaysOf(leg: MessageLeg, config: DelayConfig, samples: LatencySamples): Delays {
  switch (config.model) {
    case 'constant':
      return () => config.delay;
    case 'log-normal':
      return logNormal(config.median, config.p99);
    case 'journal':
      return empirical(leg, samples[leg] ?? []);
    case 'quantiles':
      return delayTables(config.rows);
  }
}

/** Φ⁻¹(0.99): the standard normal's 99th percentile. */
const Z99 = 2.3263478740408408;

/**
 * Log-normal delays: X = m · exp(σ · Z), where Z is standard normal. The median of X is m, and its 99th percentile is m
 * · exp(σ · z₀.₉₉), so σ = ln(p99 / m) / z₀.₉₉. Box and Muller (“A Note on the Generation of Random Normal Deviates”,
 * 1958) give Z = √(−2 ln u₁) · cos(2π u₂).
 */
function logNormal(median: number, p99: number): Delays {
  if (!(median > 0 && p99 >= median))
    throw new LatencyFault(`log-normal delay: expected 0 < median <= p99, found ${median} and ${p99} us`);
  const sigma = Math.log(p99 / median) / Z99;
  return (draw) => {
    // `draw` is in [0, 1); the logarithm needs (0, 1].
    const radius = Math.sqrt(-2 * Math.log(1 - draw()));
    return Math.round(median * Math.exp(sigma * radius * Math.cos(2 * Math.PI * draw())));
  };
}

/** Draws each sample with equal probability. */
function empirical(leg: MessageLeg, samples: readonly number[]): Delays {
  if (samples.length === 0) throw new LatencyFault(`the journal has no delay of the leg "${leg}"`);
  const badIndex = samples.findIndex((delay, i) => !(Number.isSafeInteger(delay) && delay >= (samples[i - 1] ?? 0)));
  if (badIndex >= 0)
    throw new LatencyFault(
      `delays of the leg "${leg}": expected ascending whole microseconds, found ${samples[badIndex]} at ${badIndex}`,
    );
  return (draw) => samples[Math.floor(draw() * samples.length)] ?? 0;
}
