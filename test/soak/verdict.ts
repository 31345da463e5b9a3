// What a soak is told as, and whether it is good: the heap against the markets that have come and gone, and every figure
// against the exchange's own. Pure.
import type { Look, SoakEnd } from './soak.ts';

/**
 * The heap may grow so much with each thousand markets: what a measurement of a flat one scatters by, because tables
 * double and halve their places. One that kept a kilobyte of each market would grow twice as fast. Bytes.
 */
const GROWTH_MAX = 512 * 1024;
/** The first part of a session fills what has a bound: it does not count. */
const WARM_UP = 0.2;

/** The heap when so many markets had come and gone. */
export interface HeapPoint {
  readonly markets: number;
  readonly heapBytes: number;
}

/**
 * How much the heap grows with a thousand markets, from the first half to the second of what counts. The least of each
 * half stands for it: what is kept for good is in the least too. Bytes.
 */
export function growthPerThousand(points: readonly HeapPoint[]): number {
  const counted = points.slice(Math.floor(points.length * WARM_UP));
  const middle = Math.floor(counted.length / 2);
  const [early, late] = [leastOf(counted.slice(0, middle)), leastOf(counted.slice(middle))];
  if (early === null || late === null || late.markets <= early.markets) return 0;
  return ((late.heapBytes - early.heapBytes) / (late.markets - early.markets)) * 1000;
}

/** The least heap, at the mean of the markets. */
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
  if (last.drifts > 0) faults.push(`DRIFT was told ${last.drifts} times`);
  if (growth > GROWTH_MAX) faults.push(`MEMORY GROWS by ${Math.round(growth / 1024)} KiB per 1000 markets`);
  if (last.fills === 0) faults.push('NOTHING TRADED: it proves nothing');
  return faults;
}

const COLUMNS = ['hour', 'opened', 'settled', 'forgotten', 'known', 'orders', 'fills', 'drifts', 'heap', 'rss', 'wall'];
const WIDTH = 10;

const line = (cells: readonly string[]): string => cells.map((cell) => cell.padStart(WIDTH)).join('');

export const tableHead = (): string => line(COLUMNS);

/** A look, and what the process took then. */
export interface Sample {
  readonly look: Look;
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
