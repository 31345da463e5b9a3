// A queue whose server refuses what a study asks: the study ends with a reason that its user can act on.
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/app/usage-error.ts';
import { QueuePlace, type SeenWorkers } from '../../../src/research/queue/queue-place.ts';
import { noteWorker, removeWorker } from '../../../src/research/queue/open-studies.ts';
import { jobIdOf, queueNameOf, tenantOf } from '../../../src/research/queue/queue-names.ts';
import { sealPayload } from '../../../src/research/queue/signed-payload.ts';
import { ownIdentity } from '../../../src/research/queue/worker-identity.ts';
import { REDIS_MISSING, RedisServer } from '../../support/queue/redis-server.ts';

const SECRET = 'a secret of sixteen characters or more';
const queueName = queueNameOf(ownIdentity().engine, tenantOf(SECRET));

describe.skipIf(REDIS_MISSING !== null)('a queue as the place of trials', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.close());

  const openPlace = (username?: string, onWorkers?: (workers: SeenWorkers) => void) =>
    QueuePlace.open({
      ...(onWorkers && { onWorkers }),
      address: {
        host: '127.0.0.1',
        port: server.port,
        db: 0,
        isEncrypted: false,
        username,
        password: username && 'password',
        secret: SECRET,
        text: server.address,
      },
      setup: {
        v: 1,
        identity: ownIdentity(),
        hash: 'ab'.repeat(32),
        parts: {},
        study: '',
        config: '',
        tapes: ['cd'.repeat(32)],
        strategy: { fileName: 'strategy.ts', sha256: 'ef'.repeat(32), sources: null },
        files: [],
      },
      size: 1,
    });
  const faultOf = (work: Promise<unknown>): Promise<unknown> => work.catch((fault: unknown) => fault);

  it('fails its trials with a reason when the server’s memory is full', async () => {
    const place = await openPlace();
    await server.ask((redis) => redis.config('SET', 'maxmemory', '1'));
    const task = { n: 0, hash: '1'.repeat(64), params: {} };
    const fault = await faultOf(place.runTrial(task, new AbortController().signal));
    await server.ask((redis) => redis.config('SET', 'maxmemory', '0'));
    await place.close();
    expect(fault).toBeInstanceOf(UsageError);
    expect(fault).toMatchObject({
      message: expect.stringMatching(/^queue redis:.*: expected a Redis server that takes trials, found: OOM command/),
    });
  });

  it('waits while the server refuses to write, as with a full disk, and goes on when it takes writes again', async () => {
    const place = await openPlace();
    const hash = '2'.repeat(64);
    const abort = new AbortController();
    const key = `bull:${queueName}:${jobIdOf('ab'.repeat(32), hash)}`;
    await server.refuseWrites();
    const running = faultOf(place.runTrial({ n: 0, hash, params: {} }, abort.signal));
    expect(await Promise.race([running, delay(2500, 'waits')])).toBe('waits');
    await server.takeWrites();
    await expect.poll(() => server.ask((redis) => redis.exists(key))).toBe(1);
    abort.abort();
    expect(await running).toEqual({ type: 'aborted' });
    await place.close();
  });

  it('refuses at once a result that is too large for the queue', async () => {
    const place = await openPlace();
    const task = { n: 7, hash: '3'.repeat(64), params: {} };
    const computed: unknown[] = [];
    const worker = new Worker(
      queueName,
      async (job) => {
        computed.push(job.id);
        return sealPayload({ groups: 'g'.repeat(5_000_000) }, ['result', String(job.id)], SECRET);
      },
      { connection: { host: '127.0.0.1', port: server.port, maxRetriesPerRequest: null, replyMapping: 'legacy' } },
    );
    const fault = await faultOf(place.runTrial(task, new AbortController().signal));
    await Promise.all([worker.close(), place.close()]);
    expect(fault).toBeInstanceOf(UsageError);
    expect(fault).toMatchObject({
      message:
        'trial 7: result: expected at most 4194304 bytes, found 5000013; a queue carries no more: run the study without --queue',
    });
    expect(computed.filter((id) => id === jobIdOf('ab'.repeat(32), task.hash))).toHaveLength(1);
  });

  it('counts workers that can run its trials apart from those that refuse them or have another secret', async () => {
    const { engine } = ownIdentity();
    const note = { host: 'here', pid: 1, threads: 2, refused: [] };
    const other = { engine, tenant: tenantOf('another secret of sixteen characters') };
    const seen: SeenWorkers[] = [];
    const look = async () => (await openPlace(undefined, (workers) => seen.push(workers))).close();
    await look();
    await server.ask((redis) => noteWorker(redis, { ...other, id: 'w-0', note }));
    await look();
    const own = { engine, tenant: tenantOf(SECRET) };
    await server.ask((redis) => noteWorker(redis, { ...own, id: 'w-1', note }));
    await look();
    const refusing = { ...note, refused: ['ab'.repeat(32)] };
    await server.ask((redis) => noteWorker(redis, { ...own, id: 'w-2', note: refusing }));
    await look();
    await server.ask((redis) => removeWorker(redis, own, 'w-1'));
    await look();
    await server.ask((redis) => removeWorker(redis, own, 'w-2'));
    await server.ask((redis) => removeWorker(redis, other, 'w-0'));
    await look();
    expect(seen).toEqual([
      { own: 0, refusing: 0, others: 0 },
      { own: 0, refusing: 0, others: 1 },
      { own: 1, refusing: 0, others: 0 },
      { own: 1, refusing: 1, others: 0 },
      { own: 0, refusing: 1, others: 0 },
      { own: 0, refusing: 0, others: 0 },
    ]);
  });

  it('does not open with a reason when its user may not write', async () => {
    await server.ask((redis) =>
      redis.acl('SETUSER', 'reader', 'on', '>password', '~*', '&*', '+@read', '+@connection', '+info'),
    );
    const fault = await faultOf(openPlace('reader'));
    expect(fault).toBeInstanceOf(UsageError);
    expect(fault).toMatchObject({ message: expect.stringMatching(/^queue redis:.*found: NOPERM/) });
  });
});
