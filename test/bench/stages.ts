// The stages of a client between a tick and its order, combined with the times that the server saw.
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { startCompanion, type Companion } from './companion.ts';
import { monotonicMicros } from './monotonic.ts';
import type { Figures } from './scenario.ts';

const WARM_TICKS = 1000;
const TICKS = 2000;
const MICROS_PER_MS = 1000;

/** Time from an order to the next tick: always the same, or drawn between two bounds. Milliseconds. */
export type Pace = number | readonly [number, number];

/** Quiet enough that the processor turns to other work between two ticks. */
const USUAL_PACE: Pace = 5;
/** Further paces, by the end of a scenario's name. */
export const FURTHER_PACES: readonly (readonly [string, Pace])[] = [
  ['fast', 0.5],
  ['random', [0.2, 10]],
];

/** The work of the companion `ticks`. */
export interface TickPlan {
  /** The pause after the orders of each tick, in microseconds. */
  readonly pauses: Float64Array<ArrayBuffer>;
  /** Number of orders that a tick causes. The last of them ends the tick. */
  readonly ordersPerTick: number;
}

/** The way in which a client answers ticks. */
export interface TickLoad {
  /** Default: 5 ms. */
  readonly pace?: Pace;
  /** Default: 1. */
  readonly ordersPerTick?: number;
}

/** The ports of the companion `ticks`. */
export interface TickServer {
  readonly feedPort: number;
  readonly ordersPort: number;
}

interface Seen {
  readonly sentAt: Float64Array;
  readonly receivedAt: Float64Array;
  /** Share of one core that the server used, in percent. It never sleeps. */
  readonly serverCpu: number;
}

/** The times of one client, tick by tick. */
export class Stages {
  readonly frameAt = new Float64Array(WARM_TICKS + TICKS);
  readonly decidedAt = new Float64Array(WARM_TICKS + TICKS);
  readonly signedAt = new Float64Array(WARM_TICKS + TICKS);
  #lastFrameAt = 0;
  #count = 0;

  /** Records that a frame came. */
  noteFrame(): void {
    this.#lastFrameAt = monotonicMicros();
  }

  /** Records that the frame caused an order. */
  noteDecided(): void {
    this.frameAt[this.#count] = this.#lastFrameAt;
    this.decidedAt[this.#count] = monotonicMicros();
  }

  /** Records that the order's request is signed and handed to the HTTP client. */
  noteSigned(): void {
    this.signedAt[this.#count] = monotonicMicros();
    this.#count += 1;
  }

  figures({ sentAt, receivedAt, serverCpu }: Seen): Figures {
    return {
      p50: quantile(sentAt, receivedAt, 0.5),
      p99: quantile(sentAt, receivedAt, 0.99),
      frameIn: quantile(sentAt, this.frameAt, 0.5),
      decided: quantile(this.frameAt, this.decidedAt, 0.5),
      signed: quantile(this.decidedAt, this.signedAt, 0.5),
      received: quantile(this.signedAt, receivedAt, 0.5),
      first: (receivedAt[0] ?? Number.NaN) - (sentAt[0] ?? Number.NaN),
      serverCpu,
    };
  }
}

/** A quantile of the time between two moments of each tick, after the warm-up. */
function quantile(from: Float64Array, to: Float64Array, share: number): number {
  const spans = to.subarray(WARM_TICKS).map((at, tick) => at - (from[WARM_TICKS + tick] ?? Number.NaN));
  spans.sort();
  return spans[Math.min(spans.length - 1, Math.floor(spans.length * share))] ?? Number.NaN;
}

/** The pauses of a pace. Every client gets the same ones. */
function pausesOf(pace: Pace): Float64Array<ArrayBuffer> {
  const [least, most] = typeof pace === 'number' ? [pace, pace] : pace;
  const random = xoroshiro128plus(1);
  const draw = (): number => uniformInt(random, least * MICROS_PER_MS, most * MICROS_PER_MS);
  return new Float64Array(WARM_TICKS + TICKS).map(draw);
}

/** Measures a client: `open` connects it, and resolves when it is ready for the next tick. */
export async function measureTicks(
  open: (server: TickServer, stages: Stages) => Promise<void>,
  { pace = USUAL_PACE, ordersPerTick = 1 }: TickLoad = {},
): Promise<Figures> {
  const companion: Companion<TickServer> = await startCompanion<TickServer>('ticks');
  const stages = new Stages();
  await open(companion.ready, stages);
  const seen = (await companion.ask({ pauses: pausesOf(pace), ordersPerTick } satisfies TickPlan)) as Seen;
  companion.stop();
  return stages.figures(seen);
}
