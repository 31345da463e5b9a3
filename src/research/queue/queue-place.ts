// Runs the trials of a study on the workers of a queue. The queue only carries: whatever it loses is added again, and
// whatever it repeats has the same name. Must never take a result that is not signed, nor remove one before the study's file
// holds it.
import { setImmediate as untilNextTurn, setTimeout as delay } from 'node:timers/promises';
import { Queue, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import { UsageError } from '../../app/usage-error.ts';
import type { TrialOutcome, TrialPlace } from '../workers/trial-pool.ts';
import type { TrialTask } from '../workers/trial-run.ts';
import { NOTE_INTERVAL_MS, countOtherWorkers, noteOpenStudy, presentWorkers, removeOpenStudy } from './open-studies.ts';
import type { QueueAddress } from './queue-address.ts';
import { asQueueFault, connectionOptions, isPassingFault, openConnection } from './queue-connection.ts';
import { MESSAGE_VERSION, type SetupMessage, outcomeSchema } from './queue-messages.ts';
import { STUDY_KEPT_S, beginnersKey, tenantOf, jobIdOf, queueNameOf, resultKey, setupKey } from './queue-names.ts';
import { QueueWatch, type ServerNews } from './queue-watch.ts';
import { PayloadFault, isTooLong, openPayload, sealPayload } from './signed-payload.ts';

export interface QueuePlaceOptions {
  readonly address: QueueAddress;
  readonly setup: SetupMessage;
  /** Number of trials that may be in the queue at once: the study's lag. */
  readonly size: number;
  /** Called at first, and whenever the workers have changed. */
  readonly onWorkers?: (workers: SeenWorkers) => void;
  readonly onServer?: (news: ServerNews) => void;
}

/** Number of workers that a study sees at its queue. */
export interface SeenWorkers {
  readonly own: number;
  /** Those that cannot run the study, such as for want of its strategy; they say why themselves. */
  readonly refusing: number;
  /** Those with another secret, which cannot take its trials; 0 where it has workers of its own. */
  readonly others: number;
}

interface WantedTrial {
  readonly task: TrialTask;
  readonly resolve: (outcome: TrialOutcome) => void;
  readonly reject: (fault: unknown) => void;
  /** How often its job failed in a worker's own code. */
  failures: number;
}

const RECONCILE_MS = 1000;
const FAILURES_MAX = 3;
/** Jobs that the study could not remove vanish after this many seconds. */
const KEPT_S = 3600;

/** The workers of a queue, as a place where trials run. */
export class QueuePlace implements TrialPlace {
  readonly size: number;
  readonly #options: QueuePlaceOptions;
  /** The users of the secret. */
  readonly #tenant: string;
  readonly #redis: Redis;
  readonly #queue: Queue;
  readonly #events: QueueEvents;
  readonly #watch: QueueWatch;
  /** Trials without a result, by hash. Added by `runTrial`; removed when the result is taken or the study stops. */
  readonly #wanted = new Map<string, WantedTrial>();
  /** Hashes whose jobs are still to be removed. Added with the result; removed when the job is gone. */
  readonly #finished = new Set<string>();
  readonly #timers: NodeJS.Timeout[] = [];
  #work: Promise<void> = Promise.resolve();
  #isClosed = false;
  #workers: SeenWorkers | null = null;

  /**
   * Announces the study at the queue.
   * @throws {UsageError} when the server cannot be reached or used.
   */
  static async open(options: QueuePlaceOptions): Promise<QueuePlace> {
    const place = new QueuePlace(options, await openConnection(options.address));
    try {
      await place.#announce();
    } catch (fault) {
      await place.close();
      throw asQueueFault(fault, options.address);
    }
    place.#start();
    return place;
  }

  private constructor(options: QueuePlaceOptions, redis: Redis) {
    const { address, setup, size } = options;
    this.size = size;
    this.#options = options;
    this.#tenant = tenantOf(address.secret);
    this.#redis = redis;
    this.#watch = new QueueWatch({ redis, onNews: (news) => options.onServer?.(news) });
    const name = queueNameOf(setup.identity.engine, this.#tenant);
    this.#queue = new Queue(name, { connection: connectionOptions(address) });
    this.#events = new QueueEvents(name, { connection: connectionOptions(address) });
    // A lost connection is made again; what was lost with it is seen by the next comparison.
    this.#queue.on('error', () => undefined);
    this.#events.on('error', () => undefined);
  }

  #start(): void {
    for (const event of ['completed', 'failed'] as const)
      this.#events.on(event, () => this.#then(() => this.#takeResults()));
    this.#timers.push(setInterval(() => this.#then(() => this.#reconcile()), RECONCILE_MS));
    this.#timers.push(setInterval(() => this.#then(() => this.#announce()), NOTE_INTERVAL_MS));
  }

  /** Does one thing after the other. A fault that passes is met by the next comparison. */
  #then(work: () => Promise<void>): void {
    if (this.#isClosed) return;
    this.#work = this.#work.then(work).catch((fault: unknown) => {
      if (!this.#isClosed && !isPassingFault(fault)) this.#failAll(asQueueFault(fault, this.#options.address));
    });
  }

  /** The set-up and the note are written again and again: a server that restarts empty gets them back. */
  async #announce(): Promise<void> {
    const { setup, address, onWorkers } = this.#options;
    const sealed = sealPayload(setup, ['setup', setup.hash], address.secret);
    await this.#redis.set(setupKey(this.#tenant, setup.hash), sealed, 'EX', STUDY_KEPT_S);
    const tenant = this.#tenant;
    await noteOpenStudy(this.#redis, { ...setup, tenant });
    const present = await presentWorkers(this.#redis, { engine: setup.identity.engine, tenant });
    const refusing = present.filter(({ refused }) => refused.includes(setup.hash)).length;
    const own = present.length - refusing;
    const others = present.length > 0 ? 0 : await countOtherWorkers(this.#redis, tenant);
    const known = this.#workers;
    this.#workers = { own, refusing, others };
    if (known?.own !== own || known.refusing !== refusing || known.others !== others) onWorkers?.(this.#workers);
  }

  async runTrial(task: TrialTask, signal: AbortSignal): Promise<TrialOutcome> {
    const onAbort = (): void => this.#giveUp(task.hash);
    if (signal.aborted) return { type: 'aborted' };
    signal.addEventListener('abort', onAbort);
    try {
      return await new Promise<TrialOutcome>((resolve, reject) => {
        this.#wanted.set(task.hash, { task, resolve, reject, failures: 0 });
        this.#then(() => this.#addTrial(task));
      });
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #addTrial(task: TrialTask): Promise<void> {
    const { setup, address } = this.#options;
    if (!this.#wanted.has(task.hash)) return;
    const { n, hash, params, limits } = task;
    const message = { v: MESSAGE_VERSION, study: setup.hash, n, hash, params, ...(limits && { limits }) };
    const jobId = jobIdOf(setup.hash, hash);
    const trial = sealPayload(message, ['trial', jobId], address.secret);
    await this.#queue.add(
      'trial',
      { trial },
      { jobId, attempts: 1, removeOnComplete: { age: KEPT_S }, removeOnFail: { age: KEPT_S } },
    );
  }

  #giveUp(hash: string): void {
    this.#wanted.get(hash)?.resolve({ type: 'aborted' });
    this.#wanted.delete(hash);
  }

  #failAll(fault: unknown): void {
    for (const { reject } of this.#wanted.values()) reject(fault);
    this.#wanted.clear();
  }

  /** Takes the results that are there. Each is deleted once the study has written its line. */
  async #takeResults(): Promise<void> {
    const hashes = [...this.#wanted.keys()];
    if (hashes.length === 0) return;
    const { setup } = this.#options;
    const texts = await this.#redis.mget(hashes.map((hash) => resultKey(this.#tenant, setup.hash, hash)));
    const taken: string[] = [];
    for (const [index, hash] of hashes.entries()) {
      const text = texts[index];
      const outcome = typeof text === 'string' ? this.#openResult(hash, text) : null;
      if (typeof text === 'string') taken.push(hash);
      if (outcome === null) continue;
      this.#wanted.get(hash)?.resolve(outcome);
      this.#wanted.delete(hash);
    }
    // The study writes the lines of these trials in the reactions to the promises above.
    await untilNextTurn();
    for (const hash of taken) {
      await this.#redis.del(resultKey(this.#tenant, setup.hash, hash), beginnersKey(this.#tenant, setup.hash, hash));
      this.#finished.add(hash);
    }
    await this.#removeJobs();
  }

  /** A result without our signature is not taken: the trial runs again. */
  #openResult(hash: string, text: string): TrialOutcome | null {
    const { setup, address } = this.#options;
    try {
      return openPayload(text, {
        schema: outcomeSchema,
        purpose: ['result', jobIdOf(setup.hash, hash)],
        secret: address.secret,
      });
    } catch (fault) {
      if (fault instanceof PayloadFault || fault instanceof SyntaxError) return null;
      throw fault;
    }
  }

  async #removeJobs(): Promise<void> {
    for (const hash of this.#finished) {
      if (this.#wanted.has(hash)) {
        this.#finished.delete(hash);
        continue;
      }
      const job = await this.#queue.getJob(jobIdOf(this.#options.setup.hash, hash));
      // A worker that still holds the job completes it; it is removed the next time.
      const isGone =
        job === undefined ||
        (await job.remove().then(
          () => true,
          () => false,
        ));
      if (isGone) this.#finished.delete(hash);
    }
  }

  /** Compares what is wanted with what the queue has, and adds what is missing. */
  async #reconcile(): Promise<void> {
    await this.#takeResults();
    for (const wanted of this.#wanted.values()) {
      const job = await this.#queue.getJob(jobIdOf(this.#options.setup.hash, wanted.task.hash));
      const state = job === undefined ? 'absent' : await job.getState();
      if (state === 'failed') this.#countFailure(wanted, job?.failedReason ?? 'unknown');
      if (state === 'failed' || state === 'completed') await job?.remove().catch(() => undefined);
      if (state === 'failed' || state === 'completed' || state === 'absent') await this.#addTrial(wanted.task);
    }
    await this.#removeJobs();
  }

  #countFailure(wanted: WantedTrial, reason: string): void {
    const { task, reject } = wanted;
    wanted.failures += 1;
    if (!isTooLong(reason) && wanted.failures < FAILURES_MAX) return;
    this.#wanted.delete(task.hash);
    const text = isTooLong(reason)
      ? `trial ${task.n}: ${reason}; a queue carries no more: run the study without --queue`
      : `trial ${task.n} failed on workers ${FAILURES_MAX} times: ${reason}`;
    reject(new UsageError(text));
  }

  /** Ends the study's note. Results that workers still compute wait for a resume. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch.close();
    for (const timer of this.#timers) clearInterval(timer);
    const note = { tenant: this.#tenant, hash: this.#options.setup.hash };
    const goodbye = this.#work.then(() => removeOpenStudy(this.#redis, note));
    await Promise.race([goodbye.catch(() => undefined), untilGivenUp()]);
    await Promise.race([Promise.allSettled([this.#events.close(), this.#queue.close()]), untilGivenUp()]);
    this.#redis.disconnect();
  }
}

/** A server that is away is not waited for longer than this. */
const CLOSE_MS = 2000;
const untilGivenUp = (): Promise<void> => delay(CLOSE_MS, undefined, { ref: false });
