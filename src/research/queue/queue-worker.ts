// A worker of a queue: takes trials of any study that this program and its user allow, and stores each result before the job
// ends. Trials run in threads, so that the locks of their jobs are renewed. Must never run a trial under another name than
// its own, nor one of another version of the program.
import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DelayedError, type Job, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { UsageError, isUserError } from '../../app/usage-error.ts';
import { StoreFault } from '../artifacts/artifact-store.ts';
import { withNotice } from '../artifacts/store-notice.ts';
import { StartFault, TrialPool, type TrialOutcome } from '../workers/trial-pool.ts';
import type { StudyPlan } from '../study/study-plan.ts';
import {
  NOTE_INTERVAL_MS,
  type OpenStudy,
  type WorkerPlace,
  noteWorker,
  openStudies,
  removeWorker,
} from './open-studies.ts';
import { type QueueAddress, otherSecretText } from './queue-address.ts';
import { asQueueFault, connectionOptions, openConnection, untilWritten } from './queue-connection.ts';
import { type TrialMessage, setupMessageSchema, trialMessageSchema } from './queue-messages.ts';
import { STUDY_KEPT_S, beginnersKey, tenantOf, jobIdOf, queueNameOf, resultKey, setupKey } from './queue-names.ts';
import { QueueWatch } from './queue-watch.ts';
import { RefusedStudies } from './refused-studies.ts';
import { StoreTries } from './store-tries.ts';
import { PayloadFault, openPayload, sealPayload } from './signed-payload.ts';
import { type PlanFromSetupOptions, planFromSetup } from './study-setup.ts';
import type { WorkerNews } from './worker-news.ts';
import { type WorkerIdentity, identityDifferences, ownIdentity } from './worker-identity.ts';

export interface QueueWorkerOptions extends PlanFromSetupOptions {
  readonly address: QueueAddress;
  /** Number of trials at once. */
  readonly threads: number;
  /** Heap of a thread, in megabytes. */
  readonly heapMb: number;
  /** Time after which a trial of a worker that is gone is taken over. Milliseconds. */
  readonly lockMs: number;
  /** File of the threads' code. @default the one of this build */
  readonly workerFile?: string;
  readonly onNews?: (news: WorkerNews) => void;
}

interface OpenPool {
  readonly plan: StudyPlan;
  readonly pool: TrialPool;
  running: number;
}

/** Workers that may be lost with a trial, before it is given up. */
const LOST_MAX = 5;
const STALLED_MAX = 1000;
const RETRY_MS = 1000;
/** Longest wait, at the end, for a server that is away. */
const GOODBYE_MS = 5000;

/** Puts a job back into the queue. */
async function giveBack(job: Job, token: string | undefined): Promise<never> {
  await job.moveToDelayed(Date.now() + RETRY_MS, token);
  throw new DelayedError();
}

const jobDataSchema = z.strictObject({ trial: z.string() });

/** Takes trials from a queue until it is stopped. */
export class QueueWorker {
  readonly #options: QueueWorkerOptions;
  readonly #identity: WorkerIdentity;
  /** The users of the secret. */
  readonly #tenant: string;
  readonly #redis: Redis;
  readonly #watch: QueueWatch;
  readonly #id = randomUUID();
  /** Pools by the hash of their study. Added with the first trial; removed when another study's trials come. */
  readonly #pools = new Map<string, Promise<OpenPool>>();
  /** Those of `#pools` that are ready. */
  readonly #ready = new Map<string, OpenPool>();
  readonly #refused = new RefusedStudies();
  readonly #storeTries = new StoreTries();
  /** Trials under way. */
  readonly #running = new Set<Promise<TrialOutcome>>();
  readonly #giveUp = new AbortController();
  #worker: Worker | null = null;
  #timer: NodeJS.Timeout | null = null;
  #fault: unknown = null;
  /** The last fault shown since a study was made ready. */
  #shownFault: string | null = null;
  #hasShownOthers = false;
  #stop: () => void = () => undefined;
  #stopped: Promise<void> = Promise.resolve();
  #isStopped = false;
  #lastTrialAt = performance.now();

  /**
   * Connects to the queue.
   * @throws {UsageError} when the server cannot be used.
   */
  static async open(options: QueueWorkerOptions): Promise<QueueWorker> {
    return new QueueWorker(options, await openConnection(options.address));
  }

  private constructor(options: QueueWorkerOptions, redis: Redis) {
    this.#options = options;
    this.#identity = ownIdentity();
    this.#tenant = tenantOf(options.address.secret);
    this.#redis = redis;
    this.#watch = new QueueWatch({ redis, onNews: (news) => options.onNews?.(news) });
  }

  /** Milliseconds since the last trial ended or the worker began; 0 while one runs. */
  idleMs(): number {
    return this.#running.size > 0 ? 0 : performance.now() - this.#lastTrialAt;
  }

  /**
   * Works until it is stopped. A stop lets the trials under way end; `giveUp` does not.
   * @throws {UsageError} when all open studies belong to another version of the program, or need a strategy that is not
   *   allowed here.
   */
  async run(stop: AbortSignal): Promise<void> {
    this.#stopped = new Promise<void>((resolve) => {
      this.#stop = () => {
        this.#isStopped = true;
        resolve();
      };
      stop.addEventListener('abort', () => this.#stop());
      if (stop.aborted) this.#stop();
    });
    try {
      // A store that does not answer knows nothing of the stop.
      await Promise.race([this.#refuseOthers({ isFirst: true }), this.#stopped]);
      if (this.#isStopped) return;
      this.#options.onNews?.({ type: 'waiting' });
      this.#worker = this.#startWorker();
      await Promise.race([this.#note(), this.#stopped]);
      this.#timer = setInterval(() => void this.#note().catch(() => undefined), NOTE_INTERVAL_MS);
      await this.#stopped;
    } catch (fault) {
      this.#endWith(fault);
    } finally {
      await this.#close();
    }
    if (this.#fault !== null) throw this.#fault;
  }

  /** Gives up the trials under way: other workers take them over. */
  giveUp(): void {
    this.#giveUp.abort();
  }

  #startWorker(): Worker {
    const { address, threads, lockMs } = this.#options;
    const worker = new Worker(
      queueNameOf(this.#identity.engine, this.#tenant),
      (job, token) => this.#runJob(job, token),
      {
        connection: connectionOptions(address),
        concurrency: threads,
        lockDuration: lockMs,
        stalledInterval: Math.ceil(lockMs / 2),
        maxStalledCount: STALLED_MAX,
      },
    );
    // A lost connection is made again; a job that was lost with it comes again.
    worker.on('error', () => undefined);
    return worker;
  }

  /**
   * Compares itself with the open studies, and makes those of its own version ready. Those with another secret are left
   * to their own workers, and so are those that it cannot run beside one that it can.
   * @throws {UsageError} when there are studies with its secret, and it can run none of them. Also when it has just begun,
   *   and all studies have another secret.
   */
  async #refuseOthers({ isFirst }: { readonly isFirst: boolean }): Promise<void> {
    const all = await openStudies(this.#redis);
    const studies = all.filter(({ tenant }) => tenant === this.#tenant);
    if (isFirst && all.length > 0 && studies.length === 0)
      throw new UsageError(otherSecretText(this.#options.address, { expected: 'an open study', found: all.length }));
    this.#showOthers({ own: studies.length, others: all.length - studies.length });
    const refusals: Error[] = [];
    for (const study of studies) {
      const refusal = await this.#refusalOf(study);
      if (refusal !== null) refusals.push(refusal);
    }
    const [first] = refusals;
    if (first !== undefined && refusals.length === studies.length) throw first;
    await this.#showRefusals();
  }

  /** Makes an open study ready. Returns why it is not for this worker; `null` when it is, or when that is not known yet. */
  async #refusalOf({ hash, identity }: OpenStudy): Promise<Error | null> {
    const [difference, ...others] = identityDifferences(identity, this.#identity);
    if (difference !== undefined) {
      const found = [difference, ...others].join('; ');
      return new UsageError(`queue ${this.#options.address.text}: expected the version of the open study; ${found}`);
    }
    return this.#poolOf(hash).then(
      () => null,
      (fault: unknown) => {
        const refusal = this.#refused.faultOf(hash);
        if (refusal === null && !(fault instanceof StoreFault)) throw fault;
        if (refusal === null) this.#showFault(fault instanceof Error ? fault.message : String(fault));
        return refusal;
      },
    );
  }

  /** Says which studies are left to other workers, once for each, and lets the studies know. */
  async #showRefusals(): Promise<void> {
    const reasons = this.#refused.takeReasons();
    for (const reason of reasons) this.#options.onNews?.({ type: 'refused', reason });
    if (reasons.length > 0) await this.#noteSelf();
  }

  /** Said once, until a study with our secret is open: groups that share a server open and close studies all day. */
  #showOthers({ own, others }: { readonly own: number; readonly others: number }): void {
    if (own === 0 && others > 0 && !this.#hasShownOthers) this.#options.onNews?.({ type: 'others', studies: others });
    this.#hasShownOthers = own === 0 && (this.#hasShownOthers || others > 0);
  }

  get #place(): WorkerPlace {
    return { engine: this.#identity.engine, tenant: this.#tenant };
  }

  async #noteSelf(): Promise<void> {
    const { threads } = this.#options;
    const note = { host: hostname(), pid: process.pid, threads, refused: this.#refused.hashes };
    await noteWorker(this.#redis, { ...this.#place, id: this.#id, note });
  }

  async #note(): Promise<void> {
    await this.#noteSelf();
    if (this.#pools.size === 0)
      await this.#refuseOthers({ isFirst: false }).catch((fault: unknown) => this.#endWith(fault));
  }

  #endWith(fault: unknown): void {
    this.#fault ??= asQueueFault(fault, this.#options.address);
    this.#stop();
  }

  /** Runs a job. Its result is stored before BullMQ hears of its end. */
  async #runJob(job: Job, token: string | undefined): Promise<string> {
    const { secret } = this.#options.address;
    const trial = this.#openTrial(job);
    if (trial === null) return giveBack(job, token);
    const { study, hash } = trial;
    const key = resultKey(this.#tenant, study, hash);
    if ((await this.#redis.exists(key)) === 1) return 'known';
    const open = await Promise.race([this.#openFor(trial, job, token), this.#stopped]);
    // Another study may have closed the pool while this job waited for its turn.
    if (open === undefined || this.#isStopped || this.#ready.get(study) !== open) return giveBack(job, token);
    const startedAt = performance.now();
    const outcome = await this.#runTrial(open, trial).catch((fault: unknown) => {
      if (!(fault instanceof StartFault)) throw fault;
      this.#endWith(fault);
      return { type: 'aborted' as const };
    });
    if (outcome.type === 'aborted') return giveBack(job, token);
    const sealed = sealPayload(outcome, ['result', jobIdOf(study, hash)], secret);
    await untilWritten(() => this.#redis.set(key, sealed, 'EX', STUDY_KEPT_S, 'NX'));
    const end = outcome.type === 'result' ? outcome.result.end : outcome.type;
    const ms = Math.round(performance.now() - startedAt);
    this.#options.onNews?.({ type: 'trial', study: open.plan.study.study, n: trial.n, end, ms });
    return end;
  }

  /**
   * Reads a job. A worker that has read nothing of its own secret ends, and returns `null`: it would fail the trials of
   * every study.
   */
  #openTrial(job: Job): TrialMessage | null {
    const { secret } = this.#options.address;
    const purpose = ['trial', String(job.id)] as const;
    try {
      return openPayload(jobDataSchema.parse(job.data).trial, { schema: trialMessageSchema, purpose, secret });
    } catch (fault) {
      if (!(fault instanceof PayloadFault) || this.#pools.size > 0) throw fault;
      this.#endWith(fault);
      return null;
    }
  }

  /** The study's pool. Without one, the job goes back; a worker that refuses the study ends if no other study is open. */
  async #openFor({ study, params, hash }: TrialMessage, job: Job, token: string | undefined): Promise<OpenPool> {
    try {
      const open = await this.#poolOf(study);
      if (open.plan.hashOf(params) !== hash) throw new UsageError(`trial ${hash}: expected parameters with this hash`);
      return open;
    } catch (fault) {
      // The trial has our signature: the study puts a set-up right that is absent or a stranger's.
      const mayPass = fault instanceof StoreFault || fault instanceof PayloadFault;
      if (this.#refused.faultOf(study) !== null && (await this.#hasStudyBeside(study))) await this.#showRefusals();
      else if (isUserError(fault) && !mayPass) this.#endWith(fault);
      else this.#showFault(fault instanceof Error ? fault.message : String(fault));
      return giveBack(job, token);
    }
  }

  /** True when a study is open that this worker may be able to run, besides one that it refuses. */
  async #hasStudyBeside(refused: string): Promise<boolean> {
    const studies = await openStudies(this.#redis);
    return studies.some(
      ({ tenant, hash, identity }) =>
        tenant === this.#tenant &&
        hash !== refused &&
        this.#refused.faultOf(hash) === null &&
        identityDifferences(identity, this.#identity).length === 0,
    );
  }

  async #runTrial(open: OpenPool, { n, study, hash, params, limits }: TrialMessage): Promise<TrialOutcome> {
    const beginners = beginnersKey(this.#tenant, study, hash);
    open.running += 1;
    try {
      // A worker that gets the trial again, because the server was away for longer than its lock, counts once.
      await this.#redis.sadd(beginners, this.#id);
      await this.#redis.expire(beginners, STUDY_KEPT_S);
      if ((await this.#redis.scard(beginners)) > LOST_MAX) return { type: 'lost' };
      const running = open.pool.runTrial({ n, hash, params, ...(limits && { limits }) }, this.#giveUp.signal);
      this.#running.add(running);
      return await running.finally(() => this.#running.delete(running));
    } finally {
      open.running -= 1;
      this.#lastTrialAt = performance.now();
      // The trial has not taken this worker down, also when it is given up, or no thread starts.
      await untilWritten(() => this.#redis.srem(beginners, this.#id));
    }
  }

  /** Each trial meets the same fault again and again. */
  #showFault(reason: string): void {
    if (this.#shownFault === reason) return;
    this.#shownFault = reason;
    this.#options.onNews?.({ type: 'fault', reason });
  }

  #poolOf(study: string): Promise<OpenPool> {
    const known = this.#pools.get(study);
    if (known) return known;
    const opened = this.#openPool(study);
    this.#pools.set(study, opened);
    opened.then(
      (open) => this.#ready.set(study, open),
      () => this.#pools.delete(study),
    );
    return opened;
  }

  async #openPool(study: string): Promise<OpenPool> {
    const { address, threads: workers, heapMb, workerFile } = this.#options;
    const text = await this.#redis.get(setupKey(this.#tenant, study));
    // The study adds it again to a server that has lost its data.
    if (text === null) throw new PayloadFault(`study ${study}: expected its set-up in the queue, found none`);
    const setup = openPayload(text, { schema: setupMessageSchema, purpose: ['setup', study], secret: address.secret });
    this.#refused.throwKnown(study, text);
    const makePlan = () => planFromSetup(setup, this.#options);
    const planned = this.#storeTries.tryStudy(study, makePlan).catch((fault: unknown) => {
      if (isUserError(fault) && !(fault instanceof StoreFault)) this.#refused.addRefusal(study, text, fault);
      throw fault;
    });
    const plan = await withNotice(planned, (notice) => this.#showFault(`the store gives ${notice}`));
    await this.#closeIdlePools();
    this.#shownFault = null;
    this.#options.onNews?.({ type: 'study', study: plan.study.study, hash: plan.hash });
    const trialMs = plan.study.trialTime / 1000;
    const pool = new TrialPool({ setup: plan.setup, workers, heapMb, trialMs, ...(workerFile && { workerFile }) });
    return { plan, pool, running: 0 };
  }

  /** The threads of a study without trials make room for the next. */
  async #closeIdlePools(): Promise<void> {
    for (const [study, open] of this.#ready) {
      if (open.running > 0) continue;
      this.#ready.delete(study);
      this.#pools.delete(study);
      await open.pool.close();
    }
  }

  async #close(): Promise<void> {
    this.#watch.close();
    if (this.#timer !== null) clearInterval(this.#timer);
    const closing = this.#worker?.close();
    await Promise.allSettled(this.#running);
    // Results are stored, and jobs given back, unless the server is away.
    const goodbye = Promise.allSettled([closing, removeWorker(this.#redis, this.#place, this.#id)]);
    await Promise.race([goodbye, delay(GOODBYE_MS, undefined, { ref: false })]);
    for (const { pool } of this.#ready.values()) await pool.close();
    this.#redis.disconnect();
  }
}
