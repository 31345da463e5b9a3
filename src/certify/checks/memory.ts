// How much a strategy holds on to: its own memory after streams of ever greater length in which markets come and go.
// What an instance holds is what is free once it is let go of, to the byte; what its module holds is what is left then, in
// which the platform has its part. What it keeps may fill up; it must not grow with all that ever happened.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Check } from '../check.ts';
import { RECIPES, generate } from '../generate.ts';
import type { Handlers } from '../../strategy/strategy.ts';
import type { Stream } from '../stream.ts';
import { type Subject, runTrial } from '../trial.ts';

const KB = 1024;
/** The heap is at rest when so many collections in a row change it by no more than that; it is waited for so long at most. */
const AT_REST = 3;
const STIRRED_MIN = KB;
const PASSES_MAX = 40;
/** A strategy may hold so much. Bytes. */
const HELD_MAX = 64 * KB * KB;
/** By so little may grow from length to length what an instance holds, and what is left of it. Bytes. */
const GROWTH_MAX = { own: 24 * KB, left: KB * KB } as const;

/**
 * Lengths of the stream. What grew until one of them is looked at once more after twice as much: a table that is doubled
 * when it is full grows in steps, but no step is that long; and what has a bound is full at the last.
 */
const LENGTHS = [3, 6, 12, 24] as const;

const REMEDY = 'bound every list, and let go of a market in onMarket once its status is finalized';

/** What has no bound grows twice as much from length to length, but for the steps of a table. */
const STEP_MIN = 0.75;

export const memoryCheck: Check = {
  name: 'memory',
  meaning: 'holds on to no more the longer it runs',
  run({ subject, seed, effort, names }) {
    const collect = collector();
    const after = (lengths: number): Held => {
      const seconds = lengths * effort.memorySeconds;
      const stream = generate({ ...RECIPES.churn, seconds }, seed, names);
      return typicalOf(() => heldAfter(subject, stream, collect));
    };
    const held: Held[] = [];
    for (const lengths of LENGTHS) if (held.length < 2 || faultOf(held) !== null) held.push(after(lengths));
    const fault = faultOf(held);
    const { memorySeconds: seconds } = effort;
    const [some, more] = held.map(({ own }) => own);
    const words =
      fault ??
      `holds ${size(more)} after a stream of ${LENGTHS[1] * seconds} s, ${size(some)} after ${LENGTHS[0] * seconds} s`;
    return { check: 'memory', isPassed: fault === null, words, remedy: fault === null ? null : REMEDY, stream: null };
  },
};

/** The platform compiles and lets go when it likes, which may add to a run or take from it: of so many the middle counts. */
const RUNS = 3;
const LITTLE = { own: 2 * GROWTH_MAX.own, left: GROWTH_MAX.left } as const;

/** Bytes of an instance, and those that are left when it is gone. */
interface Held {
  readonly own: number;
  readonly left: number;
}

/** The middle of some runs; one, where that is so little either way that nothing can be behind it. */
function typicalOf(run: () => Held): Held {
  const first = run();
  if (Math.abs(first.own) <= LITTLE.own && Math.abs(first.left) <= LITTLE.left) return first;
  const all = [first, ...Array.from({ length: RUNS - 1 }, run)];
  return { own: middleOf(all.map(({ own }) => own)), left: middleOf(all.map(({ left }) => left)) };
}

const middleOf = (sizes: readonly number[]): number => sizes.toSorted((a, b) => a - b)[sizes.length >> 1] ?? 0;

function faultOf(held: readonly Held[]): string | null {
  const [own, left] = [held.map((each) => each.own), held.map((each) => each.left)];
  return growthOf(own, GROWTH_MAX.own) ?? growthOf(left, GROWTH_MAX.left);
}

/** Whether it grew from each length to the next, and no more slowly than what has no bound does. */
function growthOf(sizes: readonly number[], growthMax: number): string | null {
  const most = Math.max(...sizes);
  if (most > HELD_MAX) return `it holds ${size(most)}, at most ${size(HELD_MAX)} is borne`;
  const steps = sizes.slice(1).map((bytes, i) => bytes - (sizes[i] ?? 0));
  const isGrowing = steps.every((step, i) => step > Math.max(growthMax, (steps[i - 1] ?? 0) * STEP_MIN));
  if (!isGrowing) return null;
  const lengths = LENGTHS.slice(0, sizes.length).join(', ');
  return `it grows: ${sizes.map(size).join(', ')} after ${lengths} lengths of a stream`;
}

/** What the strategy has kept after a run. */
function heldAfter(subject: Subject, stream: Stream, collect: () => void): Held {
  const used = (): number => restingHeap(collect);
  const holder: Handlers[] = [];
  const before = used();
  hold(holder, subject, stream);
  const during = used();
  holder.length = 0;
  const after = used();
  return { own: during - after, left: after - before };
}

/** What the heap holds once it is at rest: what is let go of late is gone, and what was being compiled is there. */
function restingHeap(collect: () => void): number {
  let [size, calm] = [Infinity, 0];
  for (let pass = 0; pass < PASSES_MAX && calm < AT_REST; pass++) {
    collect();
    const { heapUsed } = process.memoryUsage();
    calm = Math.abs(heapUsed - size) <= STIRRED_MIN ? calm + 1 : 0;
    size = heapUsed;
  }
  return size;
}

/** Apart from its caller, in whose frame the engine would live on, and the strategy too. */
function hold(holder: Handlers[], subject: Subject, stream: Stream): void {
  holder.push(runTrial(subject, stream).bound.handlers);
}

/** Collects garbage: the platform offers it only to whoever asks for it so. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  return typeof gc === 'function' ? () => void gc() : () => undefined;
}

const size = (bytes = 0): string =>
  bytes < KB * KB ? `${Math.max(0, Math.round(bytes / KB))} KB` : `${(bytes / KB / KB).toFixed(1)} MB`;
