// A worker plans a study from its set-up message. Code that came with a study runs only under the hash that the worker allows.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ArtifactCache } from '../../../src/research/artifacts/artifact-cache.ts';
import { FolderStore } from '../../../src/research/artifacts/folder-store.ts';
import type { SetupMessage } from '../../../src/research/queue/queue-messages.ts';
import { bundleHashes, planFromSetup, publishStudy } from '../../../src/research/queue/study-setup.ts';
import { readStudyFile } from '../../../src/research/study/study-file.ts';
import { planStudy } from '../../../src/research/study/study-plan.ts';
import { ROOT } from '../../e2e/presage.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const own = join(folder, 'own.ts');
writeFileSync(own, `${readFileSync(join(ROOT, 'strategies/two-sided-quoter.ts'), 'utf8')}\n// own\n`);
const store = new FolderStore(join(folder, 'store'));

/** A study of an own strategy, whose code may travel, as the study publishes it. */
async function published(): Promise<SetupMessage> {
  const [[sha256 = ''] = []] = await bundleHashes([own]);
  const file = join(folder, 'study.yaml');
  const lines = ['study: travels', `config: ${join(ROOT, 'config/backtest.yaml')}`, 'strategy: { use: own.ts }'];
  const rest = ['space: { qtyContracts: { int: [1, 5] } }', 'objective: { maximize: profit }', 'budget: { trials: 1 }'];
  writeFileSync(file, [...lines, ...rest, `code: { travel: true, sha256: ${sha256} }`, ''].join('\n'));
  return publishStudy(await planStudy({ ...readStudyFile(file), folder: join(folder, 'study') }), store);
}

const planned = (setup: SetupMessage, name: string) =>
  planFromSetup(setup, {
    cache: new ArtifactCache({ folder: join(folder, name, 'cache'), store, bytesMax: 1e9 }),
    strategies: { files: new Map(), travelling: new Set([setup.strategy.sha256]) },
    folder: join(folder, name),
  });

describe('a study whose code travels', () => {
  it('is planned on a worker with the same hash', async () => {
    const setup = await published();
    expect((await planned(setup, 'worker')).hash).toBe(setup.hash);
  });

  it('is refused, and none of its code runs, when the code has another hash than it says', async () => {
    const setup = await published();
    const trace = join(folder, 'it-ran');
    const text = `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(trace)}, '');\nexport default {};\n`;
    const planted = { ...setup, strategy: { ...setup.strategy, sources: [{ path: 'own.ts', text }] } };
    await expect(planned(planted, 'victim')).rejects.toThrow(/strategy own\.ts: expected code with hash .*, found/);
    expect(existsSync(trace)).toBe(false);
  });
});
