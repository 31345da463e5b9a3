// Processor time of this process, and of its first thread alone, where the system shows it. Must never count the time in
// which a thread waits for a processor: other work on the machine lengthens it.
import { readFileSync } from 'node:fs';

/** Processor time in microseconds since the start of the process. */
export interface ProcessorTime {
  /** The time of all threads. */
  readonly all: number;
  /** The time of the first thread, which runs the event loop; `null` where the system does not show it. */
  readonly loop: number | null;
}

/** Linux counts the time of a thread in hundredths of a second. */
const MICROS_PER_COUNT = 10_000;
/** Places of the user's and the system's time behind the name of the thread, which ends with a bracket. */
const USER_AT = 11;
const SYSTEM_AT = 12;

/** Processor time so far. */
export function processorTime(): ProcessorTime {
  const { user, system } = process.cpuUsage();
  return { all: user + system, loop: loopTime() };
}

function loopTime(): number | null {
  try {
    const text = readFileSync(`/proc/self/task/${process.pid}/stat`, 'latin1');
    const counts = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(counts[USER_AT]) + Number(counts[SYSTEM_AT])) * MICROS_PER_COUNT;
  } catch {
    return null;
  }
}

/** Processor time between two moments. */
export function processorTimeBetween(from: ProcessorTime, to: ProcessorTime): ProcessorTime {
  const loop = from.loop === null || to.loop === null ? null : to.loop - from.loop;
  return { all: to.all - from.all, loop };
}
