// Studies and workers that wait for a store or for memory: a signal ends them, and a message says what they wait for.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { QueueFarm } from '../../support/queue/queue-farm.ts';
import { REDIS_MISSING } from '../../support/queue/redis-server.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';

const LINES = [
  'strategy: quoter',
  'space: { qtyContracts: { int: [1, 9] } }',
  'objective: { maximize: profit }',
  'lag: 2',
  'budget: { trials: 2 }',
];

const IS_LINUX = process.platform === 'linux';

/** Returns true while a thread of a process opens a pipe that has no writer. */
const waitsForWriter = (pid: number): boolean =>
  readdirSync(`/proc/${pid}/task`).some(
    (task) => readFileSync(`/proc/${pid}/task/${task}/wchan`, 'utf8') === 'wait_for_partner',
  );

describe.skipIf(REDIS_MISSING !== null)('a part of a study on a queue', () => {
  let farm: QueueFarm;
  beforeAll(async () => {
    farm = await QueueFarm.start();
  });
  afterEach(() => farm.killAll());
  afterAll(() => farm.close());

  const untilOpen = () =>
    farm.redis.ask((redis) =>
      vi.waitFor(async () => expect(await redis.hlen('study:open')).toBeGreaterThan(0), { timeout: PATIENCE_MS }),
    );

  it.runIf(IS_LINUX)('ends at a signal while the store of a worker blocks', async () => {
    const queued = farm.runStudy(farm.writeStudy('blocked', LINES));
    await untilOpen();
    const [tape = ''] = readdirSync(join(farm.folder, 'store'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /[0-9a-f]{64}$/.test(name),
    );
    const file = join(farm.folder, 'store', tape);
    rmSync(file);
    execFileSync('mkfifo', [file]);
    const worker = farm.startWorker('blocked');
    // A pipe without a writer blocks the process that opens it.
    await vi.waitFor(() => expect(waitsForWriter(worker.pid)).toBe(true), { timeout: PATIENCE_MS });
    worker.signal('SIGTERM');
    await worker.exited;
    expect(worker.text).toMatch(/store .*: expected an answer, found none; the worker ends without it/);
    rmSync(file);
    queued.signal('SIGTERM');
    expect(await queued.exited, queued.text).toBe(1);
  });

  it('ends at a signal while the store of a study does not answer', async () => {
    const silent = createServer();
    const asked = new Promise<void>((resolve) => {
      silent.once('connection', () => resolve());
    });
    await new Promise<void>((resolve) => {
      silent.listen(0, '127.0.0.1', resolve);
    });
    // tidy: as (a server that listens on a port has such an address)
    const { port } = silent.address() as AddressInfo;
    vi.stubEnv('PRESAGE_STORE_ENDPOINT', `http://127.0.0.1:${port}`);
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'id').stubEnv('AWS_SECRET_ACCESS_KEY', 'key');
    const queued = farm.runStudy(farm.writeStudy('silent', LINES), '--store', 's3://bucket');
    await asked;
    queued.signal('SIGTERM');
    expect(await queued.exited, queued.text).toBe(1);
    expect(queued.text).toContain('presage: stopped before the first trial began');
    vi.unstubAllEnvs();
    silent.close();
  });

  it('ends with a reason when a worker has too little memory for a thread', async () => {
    const queued = farm.runStudy(farm.writeStudy('small', LINES));
    await untilOpen();
    const worker = farm.startWorker('small', '--heap', '16');
    expect(await worker.exited, worker.text).toBe(2);
    expect(worker.text).toMatch(/--heap: expected memory enough for a thread to start, found 16 MB/);
    // The trials do not count this worker as one that they took down.
    expect(await farm.redis.ask((redis) => redis.keys('*:beginners:*'))).toEqual([]);
    queued.signal('SIGINT');
    expect(await queued.exited, queued.text).toBe(1);
  });

  it('goes on after a time in which the queue could not write to its disk', async () => {
    const worker = farm.startWorker('full');
    await vi.waitFor(() => expect(worker.text).toContain('waiting for trials'), { timeout: PATIENCE_MS });
    await farm.redis.ask((redis) => redis.del('study:open'));
    const lines = LINES.map((line) => line.replace('trials: 2', 'trials: 6'));
    const queued = farm.runStudy(farm.writeStudy('full', lines));
    // The study is open before it has proposed a trial, and a worker needs seconds to begin its first.
    await untilOpen();
    await farm.redis.refuseWrites();
    await vi.waitFor(
      () =>
        expect([queued.text, worker.text]).toEqual(Array(2).fill(expect.stringContaining('cannot write to its disk'))),
      { timeout: PATIENCE_MS },
    );
    await farm.redis.takeWrites();
    expect(await queued.exited, queued.text).toBe(0);
    expect(farm.tableOf('full')).toHaveLength(6);
    expect(farm.tableOf('full')).toEqual(Array(6).fill(expect.objectContaining({ kind: 'finished' })));
    worker.signal('SIGTERM');
    expect(await worker.exited, worker.text).toBe(0);
  });

  it('says that the queue is away and back, and ends at a signal while it is away', async () => {
    const queued = farm.runStudy(farm.writeStudy('away', LINES));
    // In another database, so that the study has no worker.
    const worker = farm.startWorker('away', '--queue', `${farm.redis.address}/1`);
    const untilBoth = (text: string) =>
      vi.waitFor(() => expect([queued.text, worker.text]).toEqual(Array(2).fill(expect.stringContaining(text))), {
        timeout: PATIENCE_MS,
      });
    await untilOpen();
    await vi.waitFor(() => expect(worker.text).toContain('waiting for trials'), { timeout: PATIENCE_MS });
    await farm.redis.kill();
    await untilBoth(': no answer (connect ECONNREFUSED');
    await farm.redis.restart();
    await untilBoth(': answers again');
    await farm.redis.kill();
    for (const each of [queued, worker]) each.signal('SIGTERM');
    expect(await worker.exited, worker.text).toBe(0);
    expect(await queued.exited, queued.text).toBe(1);
    await farm.redis.restart();
  });
});
