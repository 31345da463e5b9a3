// Runs a live session until a signal, a time limit, closed output, a fault or the caller ends it.
import type { LiveSession, SessionEnd } from '../../runtime/session/live-session.ts';
import { firstStopSignal, onUncaughtFault, outputClosed, timeLimit } from '../process-events.ts';

interface StopOptions {
  readonly forMs: number | undefined;
  readonly withinMs: number;
  readonly onStarted?: () => void;
  /** Resolves with a further reason to stop. */
  readonly stopReason?: Promise<string>;
}

const NEVER = new Promise<never>(() => undefined);

/** Starts a session, waits for a reason to stop, and stops the session. */
export async function runUntilStopped(
  session: LiveSession,
  { forMs, withinMs, onStarted = () => undefined, stopReason = NEVER }: StopOptions,
): Promise<SessionEnd> {
  const { signal, release } = firstStopSignal();
  const timer = timeLimit(forMs);
  const closed = outputClosed(process.stdout);
  // A closed standard error must not end the process.
  void outputClosed(process.stderr);
  const uncaught = onUncaughtFault((fault) => session.failWith(fault));
  try {
    await session
      .start()
      .then(onStarted)
      .catch((fault: unknown) => session.failWith(fault));
    const failed = session.mustStop.then(() => 'it cannot go on');
    const why = await Promise.race([signal, timer.passed, closed, failed, stopReason]);
    return await session.stop(why === 'time' ? 'its time is over' : why, withinMs);
  } finally {
    uncaught.release();
    timer.release();
    release();
  }
}
