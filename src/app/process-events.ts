// Events of the process that end a session: signals, closed output, uncaught faults, and a time limit.
import { TIMER_MS_MAX } from '../runtime/session/system-clock.ts';

/** Signals from Ctrl-C, a service manager, or a closed terminal. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Resolves with the name of the first stop signal. A second signal ends the process at once with code 130, except
 * SIGHUP: a closed terminal may send SIGHUP twice.
 */
export function firstStopSignal(): { readonly signal: Promise<NodeJS.Signals>; readonly release: () => void } {
  let release = (): void => undefined;
  const signal = new Promise<NodeJS.Signals>((resolve) => {
    let isStopping = false;
    const onSignal = (name: NodeJS.Signals): void => {
      if (isStopping && name !== 'SIGHUP') process.exit(130);
      isStopping = true;
      resolve(name);
    };
    for (const name of STOP_SIGNALS) process.on(name, onSignal);
    release = () => {
      for (const name of STOP_SIGNALS) process.off(name, onSignal);
    };
  });
  return { signal, release };
}

type ClosedOutput = 'its output was closed';

/** Promises of `outputClosed` by stream. Never removed: a process has two such streams. */
const closedByStream = new WeakMap<NodeJS.WritableStream, Promise<ClosedOutput>>();

/**
 * Resolves when a stream's pipe or terminal was closed. From the first call on, a closed stream no longer ends the
 * process. All calls for a stream share one listener, because a process may run many sessions.
 */
export function outputClosed(stream: NodeJS.WritableStream): Promise<ClosedOutput> {
  const known = closedByStream.get(stream);
  if (known) return known;
  const closed = new Promise<ClosedOutput>((resolve) => {
    stream.on('error', () => resolve('its output was closed'));
  });
  closedByStream.set(stream, closed);
  return closed;
}

/**
 * Passes uncaught exceptions and rejections to a handler, until the handler is released. Meanwhile they do not end the
 * process.
 */
export function onUncaughtFault(handler: (fault: unknown) => void): { readonly release: () => void } {
  const onFault = (fault: unknown): void => handler(fault);
  process.on('uncaughtException', onFault).on('unhandledRejection', onFault);
  return {
    release: () => void process.off('uncaughtException', onFault).off('unhandledRejection', onFault),
  };
}

/** Resolves after a duration of any length, milliseconds. Without a duration, never resolves. */
export function timeLimit(durationMs: number | undefined): {
  readonly passed: Promise<'time'>;
  readonly release: () => void;
} {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<'time'>((resolve) => {
    const wait = (leftMs: number): void => {
      const partMs = Math.min(leftMs, TIMER_MS_MAX);
      timer = setTimeout(() => (leftMs > partMs ? wait(leftMs - partMs) : resolve('time')), partMs);
    };
    if (durationMs !== undefined) wait(durationMs);
  });
  return { passed, release: () => clearTimeout(timer) };
}
