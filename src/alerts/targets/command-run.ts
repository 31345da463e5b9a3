// Runs a command with a record on its standard input, without a shell and with an empty environment. Must never leave a
// process of the command running beyond the time limit.
import { spawn } from 'node:child_process';

/** Time limit of a command. Milliseconds. */
export const COMMAND_MS_MAX = 10_000;

/** `problem` is `null` after exit code 0. */
export interface CommandEnd {
  readonly problem: string | null;
}

/** Runs a command. Never rejects. */
export function runCommand(
  [program = '', ...args]: readonly string[],
  input: string,
  withinMs = COMMAND_MS_MAX,
): Promise<CommandEnd> {
  return new Promise((resolve) => {
    // A process group, so that processes started by the command end with it.
    const child = spawn(program, args, { env: {}, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      endGroup(child.pid);
    }, withinMs);
    const end = (problem: string | null): void => {
      // A process that the command left running has the rest of the time. No other group can have its number meanwhile.
      if (isGroupAlive(child.pid)) timer.unref();
      else clearTimeout(timer);
      resolve({ problem: isLate ? `it took longer than ${withinMs} ms` : problem });
    };
    child.on('error', (fault) => end(`it could not be started: ${'code' in fault ? String(fault.code) : fault.name}`));
    child.on('exit', (code, signal) => end(code === 0 ? null : `it ended with ${signal ?? `exit code ${code ?? ''}`}`));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

function isGroupAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(-pid, 0);
  } catch {
    return false;
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}
