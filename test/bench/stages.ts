// The stages of a client between a tick and its order, combined with the times that the server saw.
import { startCompanion, type Companion } from './companion.ts';
import { monotonicMicros } from './monotonic.ts';
import type { Figures } from './scenario.ts';

const WARM_TICKS = 1000;
const TICKS = 2000;

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

/** Measures a client: `open` connects it, and resolves when it is ready for the next tick. */
export async function measureTicks(open: (server: TickServer, stages: Stages) => Promise<void>): Promise<Figures> {
  const companion: Companion<TickServer> = await startCompanion<TickServer>('ticks');
  const stages = new Stages();
  await open(companion.ready, stages);
  const seen = (await companion.ask(WARM_TICKS + TICKS)) as Seen;
  companion.stop();
  return stages.figures(seen);
}
