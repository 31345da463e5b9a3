// A worker at a queue whose study it cannot verify, or whose store has no tape: it ends with a reason, or says it once.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isUserError } from '../../../src/app/usage-error.ts';
import { ArtifactCache } from '../../../src/research/artifacts/artifact-cache.ts';
import { FolderStore } from '../../../src/research/artifacts/folder-store.ts';
import { noteOpenStudy, presentWorkers } from '../../../src/research/queue/open-studies.ts';
import {
  beginnersKey,
  tenantOf,
  jobIdOf,
  queueNameOf,
  resultKey,
  setupKey,
} from '../../../src/research/queue/queue-names.ts';
import { QueueWorker } from '../../../src/research/queue/queue-worker.ts';
import type { WorkerNews } from '../../../src/research/queue/worker-news.ts';
import { sealPayload } from '../../../src/research/queue/signed-payload.ts';
import { bundleHashes, publishStudy } from '../../../src/research/queue/study-setup.ts';
import { readStudyFile } from '../../../src/research/study/study-file.ts';
import { type StudyPlan, planStudy } from '../../../src/research/study/study-plan.ts';
import { ROOT, builtModule } from '../../e2e/presage.ts';
import { ownIdentity } from '../../../src/research/queue/worker-identity.ts';
import { REDIS_MISSING, RedisServer } from '../../support/queue/redis-server.ts';
import { writeStudy } from '../workers/study-strategies.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';

const SECRET = 'a secret of sixteen characters or more';
const STUDY = 'ab'.repeat(32);
const TAPE = 'cd'.repeat(32);
const STRATEGY = 'ef'.repeat(32);
const identity = ownIdentity();

describe.skipIf(REDIS_MISSING !== null)('a worker of a queue', () => {
  let server: RedisServer;
  let redis: Redis;
  let queue: Queue;
  let folder: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'presage-'));
    server = await RedisServer.start();
    const connection = {
      host: '127.0.0.1',
      port: server.port,
      maxRetriesPerRequest: null,
      replyMapping: 'legacy' as const,
    };
    redis = new Redis(connection);
    queue = new Queue(queueNameOf(identity.engine, tenantOf(SECRET)), { connection });
  });
  afterEach(async () => {
    await queue.close();
    redis.disconnect();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const openWorker = (
    onNews?: (news: WorkerNews) => void,
    files: ReadonlyMap<string, string> = new Map([[STRATEGY, 'strategy.ts']]),
  ) =>
    QueueWorker.open({
      workerFile: builtModule('research/workers/trial-worker'),
      address: server.queueAddress(SECRET),
      cache: new ArtifactCache({ folder, store: new FolderStore(join(folder, 'store')), bytesMax: 1e9 }),
      strategies: { files, travelling: new Set() },
      folder: join(folder, 'studies'),
      threads: 2,
      heapMb: 256,
      lockMs: 30_000,
      ...(onNews && { onNews }),
    });

  async function openStudy(secret: string, { study = STUDY, strategy = STRATEGY } = {}): Promise<void> {
    const setup = {
      v: 1,
      identity,
      hash: study,
      parts: {},
      study: '',
      config: '',
      tapes: [TAPE],
      strategy: { fileName: 'strategy.ts', sha256: strategy, sources: null },
      files: [],
    };
    const tenant = tenantOf(secret);
    await redis.set(setupKey(tenant, study), sealPayload(setup, ['setup', study], secret));
    await noteOpenStudy(redis, { tenant, hash: study, identity });
  }

  async function addTrial(n: number, secret: string): Promise<void> {
    const hash = String(n).repeat(64);
    const jobId = jobIdOf(STUDY, hash);
    const trial = sealPayload({ v: 1, study: STUDY, n, hash, params: {} }, ['trial', jobId], secret);
    await queue.add('trial', { trial }, { jobId, attempts: 1 });
  }

  /** Plans a study, and publishes it to the store and the queue. */
  async function publishedPlan(file: string): Promise<StudyPlan> {
    const plan = await planStudy({ ...readStudyFile(file), folder: join(folder, 'study') });
    const setup = await publishStudy(plan, new FolderStore(join(folder, 'store')));
    await redis.set(setupKey(tenantOf(SECRET), plan.hash), sealPayload(setup, ['setup', plan.hash], SECRET));
    return plan;
  }

  async function addTrialOf(plan: StudyPlan, params: Readonly<Record<string, string | number>>): Promise<void> {
    const hash = plan.hashOf(params);
    const jobId = jobIdOf(plan.hash, hash);
    const trial = sealPayload({ v: 1, study: plan.hash, n: 0, hash, params }, ['trial', jobId], SECRET);
    await queue.add('trial', { trial }, { jobId, attempts: 1 });
  }

  const faultOf = async (worker: QueueWorker): Promise<unknown> =>
    worker.run(new AbortController().signal).catch((fault: unknown) => fault);
  const refusal = {
    message: expect.stringMatching(/expected a signature by PRESAGE_QUEUE_SECRET, found another; .*same/),
  };

  /** Runs a worker until it has given back a number of trials. Returns the faults that it reports. */
  async function faultsUntilDelayed(trials: number): Promise<readonly string[]> {
    const faults: string[] = [];
    const stop = new AbortController();
    const worker = await openWorker((news) => void (news.type === 'fault' && faults.push(news.reason)));
    const running = worker.run(stop.signal);
    await vi.waitFor(async () => expect(await queue.getDelayedCount()).toBe(trials), { timeout: PATIENCE_MS });
    stop.abort();
    await running;
    return faults;
  }

  it('says once that studies which begin while it waits have another secret, and waits on', async () => {
    const news: WorkerNews[] = [];
    const stop = new AbortController();
    const worker = await openWorker((each) => void news.push(each), new Map());
    const running = worker.run(stop.signal);
    await vi.waitFor(() => expect(news).toContainEqual({ type: 'waiting' }), { timeout: PATIENCE_MS });
    await openStudy('another secret of sixteen characters');
    await vi.waitFor(() => expect(news).toContainEqual({ type: 'others', studies: 1 }), { timeout: PATIENCE_MS });
    stop.abort();
    await running;
    expect(news.filter(({ type }) => type === 'others')).toHaveLength(1);
  });

  it('ends with a reason when an open study has another secret', async () => {
    await openStudy('another secret of sixteen characters');
    const fault = await faultOf(await openWorker());
    expect(String(fault)).toMatch(
      /expected an open study with this PRESAGE_QUEUE_SECRET, found 1 with another; a study and its workers have the same secret/,
    );
    expect(isUserError(fault)).toBe(true);
  });

  it('leaves the studies of another secret on the same server to their own workers', async () => {
    await openStudy(SECRET);
    await openStudy('another secret of sixteen characters');
    const strangers = new Queue(queueNameOf(identity.engine, tenantOf('another secret of sixteen characters')), {
      connection: { host: '127.0.0.1', port: server.port, maxRetriesPerRequest: null, replyMapping: 'legacy' },
    });
    const jobId = jobIdOf(STUDY, '2'.repeat(64));
    await strangers.add('trial', { trial: 'theirs' }, { jobId, attempts: 1 });
    await addTrial(1, SECRET);
    // The store has no tape, so the own trial is given back, and its study is not lost.
    expect(await faultsUntilDelayed(1)).toEqual([expect.stringMatching(/^store .*: does not have/)]);
    expect(await strangers.getJobCounts('failed', 'delayed', 'waiting')).toEqual({ failed: 0, delayed: 0, waiting: 1 });
    await strangers.close();
  });

  it('leaves a study of a strategy that it does not have to other workers, and serves the other study', async () => {
    await openStudy(SECRET);
    const other = { study: '98'.repeat(32), strategy: '76'.repeat(32) };
    await openStudy(SECRET, other);
    const news: WorkerNews[] = [];
    const stop = new AbortController();
    const worker = await openWorker((each) => void news.push(each));
    const running = worker.run(stop.signal);
    const place = { engine: identity.engine, tenant: tenantOf(SECRET) };
    await vi.waitFor(
      async () => expect(await presentWorkers(redis, place)).toMatchObject([{ refused: [other.study] }]),
      { timeout: PATIENCE_MS },
    );
    const hash = '3'.repeat(64);
    const jobId = jobIdOf(other.study, hash);
    const message = { v: 1, study: other.study, n: 3, hash, params: {} };
    await queue.add('trial', { trial: sealPayload(message, ['trial', jobId], SECRET) }, { jobId, attempts: 1 });
    await vi.waitFor(async () => expect(await queue.getDelayedCount()).toBe(1), { timeout: PATIENCE_MS });
    stop.abort();
    await running;
    expect(news.filter(({ type }) => type === 'refused')).toEqual([
      {
        type: 'refused',
        reason: expect.stringMatching(/^strategy strategy.ts with hash 7676.* is not on this machine/),
      },
    ]);
  });

  it('ends with a reason when the only open study is of a strategy that it does not have', async () => {
    await openStudy(SECRET, { strategy: '76'.repeat(32) });
    const fault = await faultOf(await openWorker());
    expect(String(fault)).toMatch(
      /strategy strategy.ts with hash 7676.* is not on this machine: start the worker with/,
    );
  });

  it('ends with a reason when its first trial has another secret, and leaves the trial to others', async () => {
    await addTrial(1, 'another secret of sixteen characters');
    const fault = await faultOf(await openWorker());
    expect(fault).toMatchObject(refusal);
    expect(await queue.getJobCounts('failed', 'delayed')).toEqual({ failed: 0, delayed: 1 });
  });

  it('waits for the set-up of a study that the server has lost', async () => {
    await addTrial(1, SECRET);
    expect(await faultsUntilDelayed(1)).toEqual([
      expect.stringMatching(/expected its set-up in the queue, found none/),
    ]);
  });

  it('stores a result for a week, so that a study that never comes back leaves nothing behind', async () => {
    const file = join(folder, 'study.yaml');
    const lines = ['study: left', `config: ${join(ROOT, 'config/backtest.yaml')}`, 'strategy: quoter'];
    const rest = [
      'space: { qtyContracts: { int: [1, 5] } }',
      'objective: { maximize: profit }',
      'budget: { trials: 1 }',
    ];
    writeFileSync(file, [...lines, ...rest, ''].join('\n'));
    const plan = await publishedPlan(file);
    const params = { qtyContracts: 1 };
    const hash = plan.hashOf(params);
    // A trial that took five workers down is not run: its result is there at once.
    const lost = ['one', 'two', 'three', 'four', 'five'];
    await redis.sadd(beginnersKey(tenantOf(SECRET), plan.hash, hash), ...lost);
    await addTrialOf(plan, params);
    const stop = new AbortController();
    const worker = await openWorker(undefined, await bundleHashes([join(ROOT, 'strategies/two-sided-quoter.ts')]));
    const running = worker.run(stop.signal);
    const keys = [resultKey(tenantOf(SECRET), plan.hash, hash), beginnersKey(tenantOf(SECRET), plan.hash, hash)];
    await vi.waitFor(async () => expect(await redis.exists(...keys)).toBe(2), { timeout: PATIENCE_MS });
    stop.abort();
    await running;
    for (const key of keys) expect(await redis.ttl(key), key).toBeGreaterThan(6 * 86_400);
  });

  it('does not count as lost with a trial that it gives up', async () => {
    const lines = ['strategy: { use: misbehaving.ts }', 'space: { mode: { oneOf: [doze, idle] } }'];
    const rest = ['objective: { maximize: profit }', 'budget: { trials: 1 }'];
    const plan = await publishedPlan(writeStudy(join(folder, 'misbehaving'), [...lines, ...rest]));
    const params = { mode: 'doze' };
    await addTrialOf(plan, params);
    const stop = new AbortController();
    const worker = await openWorker(undefined, new Map([[plan.setup.bundle.sha256, plan.setup.bundle.path]]));
    const running = worker.run(stop.signal);
    const beginners = beginnersKey(tenantOf(SECRET), plan.hash, plan.hashOf(params));
    await vi.waitFor(async () => expect(await redis.exists(beginners)).toBe(1), { timeout: PATIENCE_MS });
    stop.abort();
    worker.giveUp();
    await running;
    expect(await redis.exists(beginners)).toBe(0);
    expect(await queue.getDelayedCount()).toBe(1);
  });

  it('says once that its store does not have the tape', async () => {
    await openStudy(SECRET);
    for (const n of [1, 2, 3]) await addTrial(n, SECRET);
    expect(await faultsUntilDelayed(3)).toEqual([expect.stringMatching(/^store .*: does not have cdcd.*…; .*study/)]);
  });
});
