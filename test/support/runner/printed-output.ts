// Keeps the output of a command that runs in the process of a test.
import { afterEach, beforeEach, vi } from 'vitest';

/** Holds the output of a command, and its exit code. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: typeof process.exitCode;
}

/** Keeps the output of each test of a file. Returns a function that runs a command and returns what it printed. */
export function capturingOutput(): (run: () => Promise<unknown>) => Promise<Printed> {
  const printed = { stdout: '', stderr: '' };
  beforeEach(() => {
    for (const stream of ['stdout', 'stderr'] as const)
      vi.spyOn(process[stream], 'write').mockImplementation((text) => {
        printed[stream] += String(text);
        return true;
      });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    process.exitCode = undefined;
  });
  return async (run) => {
    Object.assign(printed, { stdout: '', stderr: '' });
    await run();
    const { exitCode } = process;
    return { ...printed, exitCode };
  };
}
