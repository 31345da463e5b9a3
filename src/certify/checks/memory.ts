// How much a strategy holds on to: its own memory after streams of one, two and three lengths in which markets come and go.
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
const PASSES = 3;
/** A strategy may hold so much. Bytes. */
const HELD_MAX = 64 * KB * KB;
/** By so little may grow from length to length what an instance holds, and what is left of it. Bytes. */
const GROWTH_MAX = { own: 24 * KB, left: KB * KB } as const;

/** So many lengths of a stream show whether what grew until the third goes on. */
const LENGTHS_SURE = 6;

const REMEDY = 'bound every list, and let go of a market in onMarket once its status is finalized';

export const memoryCheck: Check = {
  name: 'memory',
  meaning: 'holds on to no more the longer it runs',
  run({ subject, seed, effort, names }) {
    const collect = collector();
    const after = (lengths: number): Held => {
      const seconds = lengths * effort.memorySeconds;
      return heldAfter(subject, generate({ ...RECIPES.churn, seconds }, seed, names), collect);
    };
    // The first run is for what the platform keeps of any code that runs for the first time.
    after(1);
    const held = [1, 2, 3].map(after);
    // What is full by now grows no more.
    if (faultOf(held) !== null) held.push(after(LENGTHS_SURE));
    const fault = faultOf(held);
    const { memorySeconds: seconds } = effort;
    const [one, , three] = held.map(({ own }) => own);
    const words = fault ?? `holds ${size(three)} after a stream of ${3 * seconds} s, ${size(one)} after ${seconds} s`;
    return { check: 'memory', isPassed: fault === null, words, remedy: fault === null ? null : REMEDY, stream: null };
  },
};

/** Bytes of an instance, and those that are left when it is gone. */
interface Held {
  readonly own: number;
  readonly left: number;
}

function faultOf(held: readonly Held[]): string | null {
  const [own, left] = [held.map((each) => each.own), held.map((each) => each.left)];
  return growthOf(own, GROWTH_MAX.own) ?? growthOf(left, GROWTH_MAX.left);
}

/** Growth from each length to the next, and beyond: one that fills up stops, and what the platform does goes up and down. */
function growthOf([one = 0, two = 0, three = 0, six]: readonly number[], growthMax: number): string | null {
  const most = Math.max(three, six ?? 0);
  if (most > HELD_MAX) return `it holds ${size(most)}, at most ${size(HELD_MAX)} is borne`;
  const isGrowing = two - one > growthMax && three - two > Math.max(growthMax, (two - one) / 3);
  if (!isGrowing || (six !== undefined && six - three <= Math.max(growthMax, three - two))) return null;
  const sizes = [one, two, three, ...(six === undefined ? [] : [six])].map(size).join(', ');
  return `it grows: ${sizes} after a stream, two, three and ${LENGTHS_SURE} of its length`;
}

/** What the strategy has kept after a run. */
function heldAfter(subject: Subject, stream: Stream, collect: () => void): Held {
  const used = (): number => {
    // What is let go of by what is let go of is seen the second time.
    for (let pass = 0; pass < PASSES; pass++) collect();
    return process.memoryUsage().heapUsed;
  };
  const holder: Handlers[] = [];
  const before = used();
  hold(holder, subject, stream);
  const during = used();
  holder.length = 0;
  const after = used();
  return { own: during - after, left: after - before };
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
