// A queue whose server refuses what a study asks: the study ends with a reason that its user can act on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/app/usage-error.ts';
import { QueuePlace, type SeenWorkers } from '../../../src/research/queue/queue-place.ts';
import { noteWorker, removeWorker } from '../../../src/research/queue/open-studies.ts';
import { tenantOf } from '../../../src/research/queue/queue-names.ts';
import { ownIdentity } from '../../../src/research/queue/worker-identity.ts';
import { REDIS_MISSING, RedisServer } from '../../support/queue/redis-server.ts';

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
        secret: 'a secret of sixteen characters or more',
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

  it('counts workers that can run its trials apart from those that refuse them or have another secret', async () => {
    const { engine } = ownIdentity();
    const note = { host: 'here', pid: 1, threads: 2, refused: [] };
    const other = { engine, tenant: tenantOf('another secret of sixteen characters') };
    const seen: SeenWorkers[] = [];
    const look = async () => (await openPlace(undefined, (workers) => seen.push(workers))).close();
    await look();
    await server.ask((redis) => noteWorker(redis, { ...other, id: 'w-0', note }));
    await look();
    const own = { engine, tenant: tenantOf('a secret of sixteen characters or more') };
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
