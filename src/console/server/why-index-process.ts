// Keeps the index of `why` for one bot while the console runs: `presage why --follow` in a process of its own, started again
// when it ends. Must never outlive the console, nor replay in the console's own process, which would stand still.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { writtenJournal } from '../../app/why/why-run.ts';
import type { Logger } from '../../log.ts';
import { Backoff } from '../../transport/backoff.ts';
import { type ProgramCommand, childEnd, lowerPriority } from './child-program.ts';

export interface WhyIndexProcessOptions {
  /** Command of this program. */
  readonly program: ProgramCommand;
  /** Name of the bot, for the log. */
  readonly bot: string;
  readonly dataFolder: string;
  readonly log: Logger;
}

/** Interval at which a folder without a journal is looked at. Milliseconds. */
const LOOK_MS = 1000;
/** First and longest wait before a process is started again. Milliseconds. */
const WAIT_FIRST_MS = 1000;
const WAIT_MAX_MS = 60_000;
/** Time after which a process that does not heed the request to end is killed. Milliseconds. */
const END_WITHIN_MS = 1000;

/** A line about a session whose index is finished, or is not made. */
const indexedSchema = z.object({
  type: z.literal('why-indexed'),
  session: z.string().max(200),
  leftOut: z.string().max(4000).nullable(),
});

/**
 * The process for one bot. A folder's lock admits one such process at a time, of this console or of another: this one then
 * tries again later.
 */
export class WhyIndexProcess {
  readonly #options: WhyIndexProcessOptions;
  readonly #closing = new AbortController();
  readonly #backoff = new Backoff(
    { firstMs: WAIT_FIRST_MS, capMs: WAIT_MAX_MS, jitter: 'equal' },
    // The waits of several bots of one console must not coincide.
    () => Math.random(),
  );
  readonly #ended: Promise<void>;

  constructor(options: WhyIndexProcessOptions) {
    this.#options = options;
    this.#ended = this.#keepRunning();
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const waitMs = await this.#runOnce().catch((fault: unknown) => this.#waitAfter(fault));
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** A process that could not even be started is no reason to end the console. */
  #waitAfter(fault: unknown): number {
    const { bot, log } = this.#options;
    log.error({ err: fault, bot }, 'the process that keeps the index of why could not be started');
    return this.#backoff.nextDelayMs();
  }

  /** Runs the process until it ends. Resolves with the time to wait before the next one. */
  async #runOnce(): Promise<number> {
    const { program, bot, dataFolder, log } = this.#options;
    // A console may start before the first session of its bot.
    if (!hasJournal(dataFolder)) return LOOK_MS;
    const begunMs = performance.now();
    const [command, ...first] = program;
    const args = [...first, 'why', '--follow', '--data', dataFolder, '--parent-pid', String(process.pid), '--json'];
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    lowerPriority(child);
    this.#logLines(child);
    log.info({ bot, pid: child.pid }, 'a process keeps the index of why');
    const { code, words } = await this.#endOf(child);
    if (performance.now() - begunMs >= WAIT_MAX_MS) this.#backoff.recordSuccess();
    const waitMs = this.#backoff.nextDelayMs();
    if (!this.#closing.signal.aborted)
      log.warn({ bot, code, words, waitMs }, 'the process that keeps the index of why has ended; it is started again');
    return waitMs;
  }

  /** Waits for the end of a child. At the end of the console the child is ended. */
  async #endOf(child: ChildProcess): ReturnType<typeof childEnd> {
    const { signal } = this.#closing;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = (): void => {
      child.kill('SIGTERM');
      timer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
    };
    signal.addEventListener('abort', end, { once: true });
    try {
      return await childEnd(child);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  }

  /** Logs why a session has no index: questions about it take a replay each. */
  #logLines({ stdout }: ChildProcess): void {
    if (stdout === null) return;
    const { bot, log } = this.#options;
    createInterface({ input: stdout }).on('line', (line) => {
      const indexed = indexedIn(line);
      if (indexed === null || indexed.leftOut === null) return;
      const { session, leftOut: why } = indexed;
      log.warn({ bot, session, why }, 'a session has no index of why: each question replays it');
    });
  }

  /** Ends the process. Resolves when it has ended. */
  close(): Promise<void> {
    this.#closing.abort();
    return this.#ended;
  }
}

/** A folder that cannot be read has none for now. */
function hasJournal(dataFolder: string): boolean {
  try {
    return writtenJournal(dataFolder) !== null;
  } catch {
    return false;
  }
}

function indexedIn(line: string): z.output<typeof indexedSchema> | null {
  try {
    return indexedSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
