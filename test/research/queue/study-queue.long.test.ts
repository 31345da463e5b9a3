// A study on a queue, over real processes and a real Redis server: the same table as in one process, workers of another version,
// code that may travel or not, and a stranger who writes to the server.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { builtModule, ROOT } from '../../e2e/presage.ts';
import { tenantOf, jobIdOf, resultKey } from '../../../src/research/queue/queue-names.ts';
import { noteOpenStudy, removeOpenStudy } from '../../../src/research/queue/open-studies.ts';
import { sealPayload } from '../../../src/research/queue/signed-payload.ts';
import type { ownIdentity } from '../../../src/research/queue/worker-identity.ts';
import { FARM_SECRET, QueueFarm } from '../../support/queue/queue-farm.ts';
import { REDIS_MISSING } from '../../support/queue/redis-server.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';

const LINES = [
  'sampler: random',
  'space: { qtyContracts: { int: [1, 9] }, halfSpreadCents: { float: [1, 4] } }',
  'objective: { maximize: profit }',
  'lag: 4',
  'budget: { trials: 6 }',
];
const tenant = tenantOf(FARM_SECRET);
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

describe.skipIf(REDIS_MISSING !== null)(
  `a study on a queue${REDIS_MISSING === null ? '' : `: ${REDIS_MISSING}`}`,
  () => {
    let farm: QueueFarm;
    beforeAll(async () => {
      farm = await QueueFarm.start();
    });
    afterEach(() => farm.killAll());
    afterAll(() => farm.close());

    it('has the table of a study in one process, also when a stranger has planted a result', async () => {
      const file = farm.writeStudy('queued', ['strategy: quoter', ...LINES]);
      const alone = farm.runAlone(file, 2);
      expect(await alone.exited, alone.text).toBe(0);
      const expected = farm.tableOf('queued', { isAlone: true });
      expect(expected).toHaveLength(6);
      const { study, trial } = farm.firstHashesOf('queued');
      const planted = { type: 'result', result: { end: 'failed', reason: 'strategy', error: 'planted' } };
      const sealed = sealPayload(planted, ['result', jobIdOf(study, trial)], 'not the secret of this queue');
      await farm.redis.ask((redis) => redis.set(resultKey(tenant, study, trial), sealed));
      const queued = farm.runStudy(file);
      await untilOpen(farm);
      const worker = farm.startWorker('first', '--idle', '10s');
      expect(await queued.exited, queued.text + worker.text).toBe(0);
      expect(farm.tableOf('queued')).toEqual(expected);
      expect(await worker.exited, worker.text).toBe(0);
      expect(worker.text).toMatch(/queued: trial \d finished/);
    });

    it('refuses a worker of another version, with the differences', async () => {
      const identity = { ...(await builtIdentity()), node: '99' };
      const hash = 'e'.repeat(64);
      await farm.redis.ask((redis) => noteOpenStudy(redis, { tenant, hash, identity }));
      const worker = farm.startWorker('other');
      expect(await worker.exited).toBe(2);
      expect(worker.text).toMatch(/expected the version of the open study; node: the study has 99, this worker \d+/);
      await farm.redis.ask((redis) => removeOpenStudy(redis, { tenant, hash }));
    });

    it('lets code travel only when the study and the worker allow its hash', async () => {
      const text = readFileSync(join(ROOT, 'strategies/two-sided-quoter.ts'), 'utf8').replace(
        'Two-sided',
        'Own two-sided',
      );
      writeFileSync(join(farm.folder, 'own.ts'), `${text}\n// own\n`);
      const own = hashOf(`${text}\n// own\n`);
      const lines = ['strategy: { use: own.ts }', ...LINES];
      const file = farm.writeStudy('travels', lines);
      const queued = farm.runStudy(file);
      await untilOpen(farm);
      const refused = farm.startWorker('refused');
      expect(await refused.exited, refused.text).toBe(2);
      expect(refused.text).toContain(`strategy own.ts with hash ${own} is not on this machine: start the worker with`);
      queued.signal('SIGINT');
      expect(await queued.exited, queued.text).toBe(1);

      const travelling = farm.writeStudy('travels-on', [...lines, `code: { travel: true, sha256: ${own} }`]);
      const second = farm.runStudy(travelling);
      await untilOpen(farm);
      const unwilling = farm.startWorker('unwilling');
      expect(await unwilling.exited, unwilling.text).toBe(2);
      expect(unwilling.text).toContain(`allow it with --allow-code ${own}`);
      const willing = farm.startWorker('willing', '--allow-code', own, '--idle', '10s');
      expect(await second.exited, second.text + willing.text).toBe(0);
      expect(farm.tableOf('travels-on')).toHaveLength(6);
      expect(await willing.exited, willing.text).toBe(0);
    });

    it('refuses code of another hash than the study names', async () => {
      const file = farm.writeStudy('named', [
        'strategy: quoter',
        ...LINES,
        `code: { travel: true, sha256: ${'f'.repeat(64)} }`,
      ]);
      const named = farm.runStudy(file);
      expect(await named.exited).toBe(2);
      expect(named.text).toMatch(/code\.sha256: expected the strategy's hash [0-9a-f]{64}, found f{64}/);
    });
  },
);

/** The identity of the built program, which these processes run: it differs from that of the sources by its code. */
async function builtIdentity(): Promise<ReturnType<typeof ownIdentity>> {
  const module: unknown = await import(builtModule('research/queue/worker-identity'));
  // tidy: as (the built module has the exports of its source)
  return (module as { ownIdentity: typeof ownIdentity }).ownIdentity();
}

/** Waits until a study is open: a worker with `--idle` that starts earlier may end before there is a trial. */
function untilOpen(farm: QueueFarm): Promise<void> {
  const wait = { timeout: PATIENCE_MS, interval: 50 };
  return farm.redis.ask((redis) =>
    vi.waitFor(async () => expect(await redis.hlen('study:open')).toBeGreaterThan(0), wait),
  );
}
