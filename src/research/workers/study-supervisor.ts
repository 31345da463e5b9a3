// Watches over the process that runs a study, and starts another when it dies: a thread out of memory may take its whole
// process along. Must never run a trial itself, nor count a death by someone's kill against a trial.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { UsageError } from '../../app/usage-error.ts';

/** The job of the process: its first message. */
export const runnerJobSchema = z.strictObject({
  file: z.string(),
  workers: z.int().min(1),
  heapMb: z.int().min(16),
  json: z.boolean(),
  /** Trials run on the workers of this queue. `null`: in threads of the process. */
  queue: z.nullable(z.strictObject({ flag: z.string().optional(), store: z.string() })),
  /** How often processes ran out of memory during a trial: pairs of number and count. */
  lost: z.array(z.tuple([z.int(), z.int()])),
});
export type RunnerJob = z.output<typeof runnerJobSchema>;

/** News that the process sends. */
const newsSchema = z.strictObject({ type: z.enum(['started', 'ended']), n: z.int().min(0) });
export type RunnerNews = z.output<typeof newsSchema>;

export interface SuperviseStudyOptions {
  readonly job: Omit<RunnerJob, 'lost'>;
  /** The program to start, and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** Asks the process to stop. */
  readonly signal: AbortSignal;
  /** Called when another process starts, with the reason. */
  readonly onRestart?: (why: string) => void;
  /** Milliseconds that the process has to stop, before it is killed: a file system that blocks makes it deaf. @default 15 000 */
  readonly stopMs?: number;
}

const STOP_MS = 15_000;

/** Processes that may die in a row without ending any trial. */
const DEATHS_MAX = 10;
const ABORTED = 134;
const KILLED = 137;

/**
 * Runs a study in a process of its own. Returns its exit code.
 * @throws {UsageError} when process after process dies, and no trial ends.
 */
export async function superviseStudy(options: SuperviseStudyOptions): Promise<number> {
  const lost = new Map<number, number>();
  for (let deaths = 0; deaths < DEATHS_MAX;) {
    const before = killsByMemory();
    const { code, signal, underWay, hasEnded } = await runOnce(options, lost);
    if (code !== null && code !== ABORTED && code !== KILLED) return code;
    if (options.signal.aborted) return 1;
    const isAbort = code === ABORTED || signal === 'SIGABRT';
    const isKill = code === KILLED || signal === 'SIGKILL';
    if (!isAbort && !isKill) throw new Error(`the process of the study ended with ${signal}`);
    if (isAbort || killsByMemory() > before) for (const n of underWay) lost.set(n, (lost.get(n) ?? 0) + 1);
    deaths = hasEnded ? 1 : deaths + 1;
    options.onRestart?.(isAbort ? 'it ran out of memory' : 'it was killed');
  }
  throw new UsageError(
    `--heap, --workers: expected processes that end a trial, found ${DEATHS_MAX} in a row that died before; give a thread more memory, or run fewer`,
  );
}

interface RunnerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Trials that had begun and not ended. */
  readonly underWay: ReadonlySet<number>;
  readonly hasEnded: boolean;
}

function runOnce({ job, command, signal, stopMs = STOP_MS }: SuperviseStudyOptions, lost: ReadonlyMap<number, number>) {
  const [program, ...args] = command;
  // In a group of its own, Ctrl-C reaches it once, through its parent.
  const child = spawn(program, args, { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const underWay = new Set<number>();
  let hasEnded = false;
  child.on('message', (message) => {
    const news = newsSchema.parse(message);
    if (news.type === 'started') underWay.add(news.n);
    else hasEnded = underWay.delete(news.n) || hasEnded;
  });
  const kill = (): void => void child.kill('SIGKILL');
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    child.kill('SIGINT');
    timer = setTimeout(kill, stopMs);
  };
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  // A second signal ends this process, and must leave none behind.
  process.once('exit', kill);
  const ended = new Promise<RunnerEnd>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, by) => resolve({ code, signal: by, underWay, hasEnded }));
  });
  sendJob(child, { ...job, lost: [...lost] });
  return ended.finally(() => {
    signal.removeEventListener('abort', stop);
    process.off('exit', kill);
    clearTimeout(timer);
  });
}

/** A process that died before it read its job is seen by its end. */
const sendJob = (child: ChildProcess, job: RunnerJob): void => void child.send(job, () => undefined);

/** Processes that the system has killed for want of memory since it began; 0 where it does not say. */
function killsByMemory(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
