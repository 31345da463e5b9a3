// How much a strategy holds on to: its own memory after streams of one, two and three lengths in which markets come and go.
// What it keeps may fill up; it must not grow with all that ever happened.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { must } from '../../domain/assert.ts';
import type { Check } from '../check.ts';
import { RECIPES, generate } from '../generate.ts';
import type { Handlers } from '../../strategy/strategy.ts';
import type { Stream } from '../stream.ts';
import { type Subject, runTrial } from '../trial.ts';

const KB = 1024;
/** A strategy may hold so much, and grow by so little from the second length to the third. Bytes. */
const HELD_MAX = 64 * KB * KB;
const GROWTH_MAX = 300 * KB;

const REMEDY = 'bound every list, and let go of a market in onMarket once its status is finalized';

export const memoryCheck: Check = {
  name: 'memory',
  meaning: 'holds on to no more the longer it runs',
  run({ subject, seed, effort, names }) {
    const collect = collector();
    const seconds = [1, 2, 3].map((times) => times * effort.memorySeconds);
    const streams = seconds.map((each) => generate({ ...RECIPES.churn, seconds: each }, seed, names));
    const measured = (): number[] => streams.map((stream) => heldAfter(subject, stream, collect));
    // The first run is for what the platform keeps of any code that runs for the first time.
    heldAfter(subject, must(streams[0], 'stream'), collect);
    let held = measured();
    // What the platform does at its leisure shows once, not twice.
    if (faultOf(held) !== null) held = least(held, measured());
    const fault = faultOf(held);
    const words =
      fault ?? `holds ${size(held[2])} after a stream of ${seconds[2]} s, ${size(held[0])} after ${seconds[0]} s`;
    return { check: 'memory', isPassed: fault === null, words, remedy: fault === null ? null : REMEDY, stream: null };
  },
};

/** Growth from each length to the next: one that fills up stops, and what the platform does goes up and down. */
function faultOf([one = 0, two = 0, three = 0]: readonly number[]): string | null {
  if (three > HELD_MAX) return `it holds ${size(three)}, at most ${size(HELD_MAX)} is borne`;
  const isGrowing = two - one > GROWTH_MAX && three - two > Math.max(GROWTH_MAX, (two - one) / 3);
  return isGrowing
    ? `it grows: ${size(one)}, ${size(two)}, ${size(three)} after a stream, two and three of its length`
    : null;
}

/** The least of two measurements. */
const least = (first: readonly number[], second: readonly number[]): number[] =>
  first.map((held, at) => Math.min(held, second[at] ?? held));

/** What the strategy itself has kept after a run, module and all. Bytes. */
function heldAfter(subject: Subject, stream: Stream, collect: () => void): number {
  collect();
  const before = process.memoryUsage().heapUsed;
  const handlers = handlersAfter(subject, stream);
  collect();
  const held = process.memoryUsage().heapUsed - before;
  // Until here they must live.
  return typeof handlers === 'object' ? held : 0;
}

/** Apart from its caller, in whose frame the engine would live on. */
const handlersAfter = (subject: Subject, stream: Stream): Handlers => runTrial(subject, stream).bound.handlers;

/** Collects garbage: the platform offers it only to whoever asks for it so. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  return typeof gc === 'function' ? () => void gc() : () => undefined;
}

const size = (bytes = 0): string =>
  bytes < KB * KB ? `${Math.max(0, Math.round(bytes / KB))} KB` : `${(bytes / KB / KB).toFixed(1)} MB`;
