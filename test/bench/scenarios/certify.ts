// The certification of the shipped quoter: the time of its checks, and of the same streams run once without a check.
import { join } from 'node:path';
import { type CheckName, EFFORTS } from '../../../src/certify/check-verdict.ts';
import { certify } from '../../../src/certify/check-suite.ts';
import { type Subject, bindSubject, runTrial } from '../../../src/certify/runs/trial.ts';
import { requestedNames } from '../../../src/certify/streams/generated-markets.ts';
import { mixedStream } from '../../../src/certify/streams/stream-generator.ts';
import { loadStrategy } from '../../../src/runtime/plugins/strategy-loader.ts';
import { ROOT } from '../../e2e/presage.ts';
import type { Figures, Scenario } from '../scenario.ts';

const SEED = 7;
const EFFORT = EFFORTS.full;
/** The checks that share one run of each stream: the first of them runs the streams. */
const JUDGED: readonly CheckName[] = ['isolation', 'throws', 'numbers', 'limits', 'denials', 'gaps', 'settlement'];
/** The other checks with runs of their own. */
const OTHERS = ['determinism', 'blindness', 'restart', 'markets', 'time', 'memory'] as const;

interface BareRuns {
  readonly events: number;
  readonly ms: number;
}

/** Runs the streams of the judged checks without a judge. */
function runBare(subject: Subject): BareRuns {
  const names = requestedNames(bindSubject(subject).selector);
  const began = performance.now();
  let events = 0;
  for (let stream = 0; stream < EFFORT.streams; stream++)
    events += runTrial(subject, mixedStream(EFFORT, SEED + stream, names)).eventCount;
  return { events, ms: performance.now() - began };
}

/** Certifies the strategy. Returns the milliseconds of each check. */
function timeChecks(subject: Subject): ReadonlyMap<CheckName, number> {
  const spent = new Map<CheckName, number>();
  const clock = (): number => performance.now();
  const { verdicts } = certify({
    subject,
    seed: SEED,
    effort: EFFORT,
    clock,
    onVerdict: ({ check }, ms) => void spent.set(check, ms),
  });
  const failed = verdicts.find(({ isPassed }) => !isPassed);
  if (failed) throw new Error(`certify: ${failed.check} failed: ${failed.words}`);
  return spent;
}

export const certifyQuoter: Scenario = {
  name: 'certify',
  what: 'the shipped quoter certified in full: all checks, each check, and its streams run once without a check',
  run: async (): Promise<Figures> => {
    const strategy = await loadStrategy(join(ROOT, 'strategies/two-sided-quoter.ts'));
    const subject: Subject = { strategy, params: {}, limits: undefined };
    const spent = timeChecks(subject);
    const msOf = (names: readonly CheckName[]): number => names.reduce((sum, name) => sum + (spent.get(name) ?? 0), 0);
    const wholeMs = msOf([...spent.keys()]);
    const bare = runBare(subject);
    return {
      wholeMs,
      bareMs: bare.ms,
      inBareRuns: wholeMs / bare.ms,
      bareEventsPerSecond: (bare.events * 1000) / bare.ms,
      judgedMs: msOf(JUDGED),
      ...Object.fromEntries(OTHERS.map((name) => [`${name}Ms`, msOf([name])])),
    };
  },
};
