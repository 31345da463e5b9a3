// A live session from its start until something asks for its end: a signal, its time, a reader that is gone, a fault.
import type { SessionEnd, LiveSession } from '../../runtime/session/live-session.ts';
import { timeLimit, firstStopSignal, outputClosed, onUncaughtFault } from '../process-events.ts';

interface Bounds {
  readonly forMs: number | undefined;
  /** How long stopping may take. Milliseconds. */
  readonly withinMs: number;
  /** Called once it has begun. */
  readonly begun?: () => void;
  /** Resolves when there is another reason to end it. */
  readonly over?: Promise<string>;
}

const NEVER = new Promise<never>(() => undefined);

/** Runs a session until a signal, its time, or a fault. */
export async function runUntilStopped(
  session: LiveSession,
  { forMs, withinMs, begun = () => undefined, over = NEVER }: Bounds,
): Promise<SessionEnd> {
  const { signal, release } = firstStopSignal();
  const timer = timeLimit(forMs);
  const unread = outputClosed(process.stdout);
  // Nobody is to die of it.
  void outputClosed(process.stderr);
  const uncaught = onUncaughtFault((fault) => session.failWith(fault));
  try {
    await session
      .start()
      .then(begun)
      .catch((fault: unknown) => session.failWith(fault));
    const doomed = session.mustStop.then(() => 'it cannot go on');
    const why = await Promise.race([signal, timer.passed, unread, doomed, over]);
    return await session.stop(why === 'time' ? 'its time is over' : why, withinMs);
  } finally {
    uncaught.release();
    timer.release();
    release();
  }
}
