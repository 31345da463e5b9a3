// The process that certifies a strategy: loads the strategy and runs the checks. Clock and randomness are guarded. Must
// never be the process that waits for the result: the strategy may hang, or use up all memory.
import { ConfigError } from '../base/config-error.ts';
import { bindStrategies } from '../runtime/plugins/strategy-binding.ts';
import { loadPlugin } from '../runtime/plugins/strategy-loader.ts';
import { StrategyFileError } from '../runtime/plugins/strategy-file-error.ts';
import { guardWallClock } from '../../backtest/wall-clock-guard.ts';
import { EFFORTS } from './check-verdict.ts';
import type { CertifyJob, WorkerMessage } from './certify-job.ts';
import { inspectSource } from './runs/source-inspection.ts';
import { certify } from './check-suite.ts';
import { SUBJECT_NAME } from './runs/trial.ts';

/** Certifies a strategy. Progress and result are sent as messages. */
export async function runJob(job: CertifyJob, send: (message: WorkerMessage) => void): Promise<void> {
  const clock = performance.now.bind(performance);
  guardWallClock();
  try {
    const { place, folder, seed, only } = job;
    const { strategy, bundle } = await loadPlugin(place);
    const use = { name: strategy.name || SUBJECT_NAME, file: place, params: job.params };
    const [ready] = await bindStrategies([use], () => ({ folder, lines: null }));
    const { seen } = certify({
      subject: { strategy, params: ready?.use.params ?? {}, limits: undefined, onRunEnd: () => send({ type: 'run' }) },
      sourceFaults: await inspectSource(bundle),
      seed,
      effort: EFFORTS[job.effort],
      only,
      clock,
      onCheck: (name) => send({ type: 'check', name }),
      onVerdict: (verdict, elapsedMs) => send({ type: 'verdict', verdict, elapsedMs }),
    });
    send({ type: 'done', strategy: strategy.name, seen });
  } catch (fault) {
    const isUsers = fault instanceof StrategyFileError || fault instanceof ConfigError;
    const message = fault instanceof Error ? (isUsers ? fault.message : (fault.stack ?? fault.message)) : String(fault);
    send({ type: 'refused', isUsers, message });
  }
}
