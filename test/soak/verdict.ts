// Table and verdict of a soak: the heap against the number of past markets, and every figure against the exchange's
// own. Pure.
import type { SoakSample, SoakEnd } from './soak.ts';

/**
 * Allowed heap growth per thousand markets: the noise in the measurement of a flat heap, because tables double and
 * halve. A heap that holds a kilobyte of each market would grow twice as fast. Bytes.
 */
const GROWTH_MAX = 512 * 1024;
/** Share of the session that does not count: it fills structures that are bounded. */
const WARM_UP = 0.2;

/** The heap after this many past markets. */
export interface HeapPoint {
  readonly markets: number;
  readonly heapBytes: number;
}

/**
 * Heap growth per thousand markets, from the first half to the second of what counts. Each half is measured by its
 * least heap: a leak shows in the least too. Bytes.
 */
export function growthPerThousand(points: readonly HeapPoint[]): number {
  const counted = points.slice(Math.floor(points.length * WARM_UP));
  const middle = Math.floor(counted.length / 2);
  const [early, late] = [leastOf(counted.slice(0, middle)), leastOf(counted.slice(middle))];
  if (early === null || late === null || late.markets <= early.markets) return 0;
  return ((late.heapBytes - early.heapBytes) / (late.markets - early.markets)) * 1000;
}

/** The least heap, at the mean number of markets. */
function leastOf(points: readonly HeapPoint[]): HeapPoint | null {
  if (points.length === 0) return null;
  const heapBytes = Math.min(...points.map((point) => point.heapBytes));
  return { heapBytes, markets: points.reduce((sum, point) => sum + point.markets, 0) / points.length };
}

/** Everything that is wrong with a soak; empty when all is well. */
export function whyNot({ end, differences, last }: SoakEnd, growth: number): string[] {
  const faults = differences.map(
    ({ what, ours, theirs }) => `LEDGER DIFFERS in ${what}: ours ${ours}, theirs ${theirs}`,
  );
  if (end.type !== 'stopped' || !end.isReconciled) faults.push(`THE SESSION ENDED BADLY: ${JSON.stringify(end)}`);
  if (last.drifts > 0) faults.push(`POSITION DRIFT was reported ${last.drifts} times`);
  if (growth > GROWTH_MAX) faults.push(`MEMORY GROWS by ${Math.round(growth / 1024)} KiB per 1000 markets`);
  if (last.fills === 0) faults.push('NOTHING TRADED: it proves nothing');
  return faults;
}

const COLUMNS = ['hour', 'opened', 'settled', 'forgotten', 'known', 'orders', 'fills', 'drifts', 'heap', 'rss', 'wall'];
const WIDTH = 10;

const line = (cells: readonly string[]): string => cells.map((cell) => cell.padStart(WIDTH)).join('');

export const tableHead = (): string => line(COLUMNS);

/** A sample, with the memory and time of the process. */
export interface Sample {
  readonly look: SoakSample;
  readonly heapBytes: number;
  readonly rssBytes: number;
  readonly wallMs: number;
}

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(2)}M`;

export function tableRow({ look, heapBytes, rssBytes, wallMs }: Sample): string {
  const { retained } = look;
  return line([
    look.elapsedHours.toFixed(1),
    String(look.opened),
    String(look.settled),
    String(look.forgotten),
    String(retained['markets'] ?? 0),
    String(retained['open orders'] ?? 0),
    String(look.fills),
    String(look.drifts),
    megabytes(heapBytes),
    megabytes(rssBytes),
    `${(wallMs / 1000).toFixed(0)}s`,
  ]);
}
