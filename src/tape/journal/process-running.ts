// Finds whether a process runs. Must never send a signal that a process could notice.

/** True when a process of this machine has the id. A process of another user counts, too: it exists and may not be signaled. */
export function isProcessRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (fault) {
    return fault instanceof Error && 'code' in fault && fault.code === 'EPERM';
  }
}
