// Runs the same stream (generated markets with their events) twice. The decisions must be equal, to the byte.
import { createHash } from 'node:crypto';
import type { Finding } from '../check-verdict.ts';
import { mixedStream } from '../streams/stream-generator.ts';
import { shrinkFor } from '../streams/stream-shrinker.ts';
import type { Stream } from '../streams/stream.ts';
import { millisOf } from '../streams/stream-rows.ts';
import type { StrategyCheck } from '../strategy-check.ts';
import { type Decision, type Subject, decisionsOf } from '../runs/trial.ts';
import { firstDifference } from '../runs/decision-difference.ts';

const digestOf = (decisions: readonly Decision[]): string => {
  const hash = createHash('sha256');
  for (const { text } of decisions) hash.update(text);
  return hash.digest('hex');
};

const REMEDY = 'keep all state in setup, none in the module: two instances must not share any';

export const determinismCheck: StrategyCheck = {
  name: 'determinism',
  meaning: 'the same stream gives the same decisions',
  runCheck(context) {
    const { subject, names, seed, effort } = context;
    const shows = (stream: Stream): Finding | null => differenceOf(subject, stream);
    let last = '';
    let count = 0;
    for (let turn = 0; turn < effort.repetitions; turn++) {
      const stream = mixedStream(effort, seed + turn, names);
      const decisions = decisionsOf(subject, stream);
      const again = decisionsOf(subject, stream);
      count += decisions.length;
      last = digestOf(decisions);
      if (last === digestOf(again)) continue;
      const finding = difference(decisions, again);
      const smallest = shrinkFor(stream, { finding, findFault: shows }, context);
      const { words } = smallest.finding;
      return { check: 'determinism', isPassed: false, words, remedy: REMEDY, stream: smallest.stream };
    }
    const words = `${count} decisions twice, ${last.slice(0, 12)}`;
    return { check: 'determinism', isPassed: true, words, remedy: null, stream: null };
  },
};

function differenceOf(subject: Subject, stream: Stream): Finding | null {
  const decisions = decisionsOf(subject, stream);
  const again = decisionsOf(subject, stream);
  return digestOf(decisions) === digestOf(again) ? null : difference(decisions, again);
}

function difference(first: readonly Decision[], second: readonly Decision[]): Finding {
  const difference = firstDifference(first, second);
  const words = `a second instance decides differently: ${difference?.words ?? 'nothing'}`;
  return { words, atMs: difference === null ? 0 : millisOf(difference.at) };
}
