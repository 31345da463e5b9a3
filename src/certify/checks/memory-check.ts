// Measures the memory that a strategy holds after ever longer runs. Memory freed together with the strategy was the
// strategy's own. Memory that remains belongs to its module and, in part, to the JavaScript engine. Collections may
// grow at first, but not with everything that ever happened.
import { garbageCollector } from '../../runtime/plugins/collect-garbage.ts';
import type { StrategyCheck } from '../strategy-check.ts';
import { RECIPES, generateStream } from '../streams/stream-generator.ts';
import type { Handlers } from '../../strategy/strategy-definition.ts';
import type { Stream } from '../streams/stream.ts';
import { type Subject, runTrial } from '../runs/trial.ts';

const KB = 1024;
/**
 * The heap is settled after `SETTLED_PASSES` garbage collections with a change of at most `SETTLED_BYTES` each. There
 * are at most `PASSES_MAX` collections.
 */
const SETTLED_PASSES = 3;
const SETTLED_BYTES = KB;
const PASSES_MAX = 40;
/** Maximum memory of a strategy. Bytes. */
const HELD_MAX = 64 * KB * KB;
/** Maximum growth from one run to the next. `left`: of the memory that remains. Bytes. */
const GROWTH_MAX = { own: 24 * KB, left: KB * KB } as const;

/**
 * Lengths of the run, as multiples of `memorySeconds`. Growth over the first two lengths is followed by a run of the
 * next length, and so on. The table behind a collection doubles when it is full. Each length is twice the one before:
 * an unbounded table grows every time.
 */
const LENGTHS = [3, 6, 12, 24] as const;

const REMEDY = 'bound every list, and drop a market in onMarket once its status is finalized';

/** Least growth of an unbounded collection, relative to the growth before. */
const STEP_MIN = 0.75;

export const memoryCheck: StrategyCheck = {
  name: 'memory',
  meaning: 'holds no more memory the longer it runs',
  runCheck({ subject, seed, effort, names }) {
    const collect = garbageCollector();
    const after = (lengths: number): HeldMemory => {
      const seconds = lengths * effort.memorySeconds;
      const stream = generateStream({ ...RECIPES.churn, seconds }, seed, names);
      return typicalOf(() => heldAfter(subject, stream, collect));
    };
    const held: HeldMemory[] = [];
    for (const lengths of LENGTHS) if (held.length < 2 || faultOf(held) !== null) held.push(after(lengths));
    const fault = faultOf(held);
    const { memorySeconds: seconds } = effort;
    const [shorter, longer] = held.map(({ own }) => own);
    const words =
      fault ??
      `holds ${size(longer)} after a stream of ${LENGTHS[1] * seconds} s, ${size(shorter)} after ${LENGTHS[0] * seconds} s`;
    return { check: 'memory', isPassed: fault === null, words, remedy: fault === null ? null : REMEDY, stream: null };
  },
};

/**
 * The middle result of this many runs counts: the JavaScript engine compiles code and frees memory at times of its own.
 */
const RUNS = 3;
const NEGLIGIBLE = { own: 2 * GROWTH_MAX.own, left: GROWTH_MAX.left } as const;

/** Bytes of the strategy, and bytes that remain without it. */
interface HeldMemory {
  readonly own: number;
  readonly left: number;
}

/** One run is enough when the result is too small to matter. */
function typicalOf(run: () => HeldMemory): HeldMemory {
  const first = run();
  if (Math.abs(first.own) <= NEGLIGIBLE.own && Math.abs(first.left) <= NEGLIGIBLE.left) return first;
  const all = [first, ...Array.from({ length: RUNS - 1 }, run)];
  return { own: middleOf(all.map(({ own }) => own)), left: middleOf(all.map(({ left: remaining }) => remaining)) };
}

const middleOf = (sizes: readonly number[]): number => sizes.toSorted((a, b) => a - b)[sizes.length >> 1] ?? 0;

function faultOf(held: readonly HeldMemory[]): string | null {
  const [own, remaining] = [held.map((each) => each.own), held.map((each) => each.left)];
  return growthOf(own, GROWTH_MAX.own) ?? growthOf(remaining, GROWTH_MAX.left);
}

/** Describes memory that is too large or grows every time, or returns `null`. */
function growthOf(sizes: readonly number[], growthMax: number): string | null {
  const largest = Math.max(...sizes);
  if (largest > HELD_MAX) return `it holds ${size(largest)}, at most ${size(HELD_MAX)} is allowed`;
  const steps = sizes.slice(1).map((bytes, i) => bytes - (sizes[i] ?? 0));
  const isGrowing = steps.every((step, i) => step > Math.max(growthMax, (steps[i - 1] ?? 0) * STEP_MIN));
  if (!isGrowing) return null;
  const lengths = LENGTHS.slice(0, sizes.length).join(', ');
  return `it grows: ${sizes.map(size).join(', ')} after ${lengths} lengths of a stream`;
}

function heldAfter(subject: Subject, stream: Stream, collect: () => void): HeldMemory {
  const heapSize = (): number => settledHeap(collect);
  const holder: Handlers[] = [];
  const before = heapSize();
  runAndHold(holder, subject, stream);
  const during = heapSize();
  holder.length = 0;
  const after = heapSize();
  return { own: during - after, left: after - before };
}

/** Garbage may be freed late, and compilation may still run. */
function settledHeap(collect: () => void): number {
  let [size, settledPasses] = [Infinity, 0];
  for (let pass = 0; pass < PASSES_MAX && settledPasses < SETTLED_PASSES; pass++) {
    collect();
    const { heapUsed } = process.memoryUsage();
    settledPasses = Math.abs(heapUsed - size) <= SETTLED_BYTES ? settledPasses + 1 : 0;
    size = heapUsed;
  }
  return size;
}

/** A separate function: the stack frame of its caller would keep the engine and the strategy alive. */
function runAndHold(holder: Handlers[], subject: Subject, stream: Stream): void {
  holder.push(runTrial(subject, stream).bound.handlers);
}

const size = (bytes = 0): string =>
  bytes < KB * KB ? `${Math.max(0, Math.round(bytes / KB))} KB` : `${(bytes / KB / KB).toFixed(1)} MB`;
