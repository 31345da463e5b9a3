// Runs streams (generated markets with their events) in which the strategy can change nothing that it is given. A session
// hands out its own objects: a strategy that writes to one changes what the engine knows.
import type { Finding } from '../check-verdict.ts';
import { type InputWrite, ReadOnlyInputs, withReadOnlyInputs } from '../runs/read-only-inputs.ts';
import { type Subject, runTrial } from '../runs/trial.ts';
import type { StrategyCheck } from '../strategy-check.ts';
import { thrownAt } from '../../strategy/fault-place.ts';
import { mixedStream } from '../streams/stream-generator.ts';
import { shrinkFor } from '../streams/stream-shrinker.ts';
import type { Stream } from '../streams/stream.ts';
import { wrapHandlers } from '../runs/call-observers.ts';
import { millisOf } from '../streams/stream-rows.ts';

const REMEDY = 'events and what the view returns are only to be read: copy what you want to change';

export const writesCheck: StrategyCheck = {
  name: 'writes',
  meaning: 'changes nothing that it is given',
  runCheck(context) {
    const { subject, names, seed, effort } = context;
    let calls = 0;
    const findFault = (stream: Stream): Finding | null => writeIn(subject, stream, () => void (calls += 1));
    for (let turn = 0; turn < effort.repetitions; turn++) {
      const stream = mixedStream(effort, seed + turn, names);
      const finding = findFault(stream);
      if (finding === null) continue;
      const smallest = shrinkFor(stream, { finding, findFault }, context);
      const { words } = smallest.finding;
      return { check: 'writes', isPassed: false, words, remedy: REMEDY, stream: smallest.stream };
    }
    const words = `nothing changed in ${calls.toLocaleString('en-US')} calls`;
    return { check: 'writes', isPassed: true, words, remedy: null, stream: null };
  },
};

/** The first write of a strategy in a stream, even one whose error it catches; `null` without one. */
function writeIn(subject: Subject, stream: Stream, onCall: () => void): Finding | null {
  let atMs = 0;
  const writes: Finding[] = [];
  const inputs = new ReadOnlyInputs((write) => void writes.push(findingOf(write, atMs)));
  runTrial(subject, stream, {
    wrap: (bound) =>
      wrapHandlers(withReadOnlyInputs(bound, inputs), ({ view }, ask) => {
        onCall();
        atMs = millisOf(view.now);
        return ask();
      }),
    isEnough: () => writes.length > 0,
  });
  return writes[0] ?? null;
}

const findingOf = (write: InputWrite, atMs: number): Finding => ({ words: write.message + thrownAt(write), atMs });
