// One halt that several processes write at the same moment, such as two commands of worried operators: each must succeed, and
// no reader may find it half-written.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Latch } from '../../../src/runtime/saved/latch.ts';
import { fileStorage } from '../../../src/tape/journal/file-storage.ts';
import { builtModule } from '../../e2e/presage.ts';
import { BEGIN } from '../../support/engine/builders.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-latch-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PROCESSES = 3;
const WRITES = 150;

/** Writes the same files again and again, from a time on. */
const script = (): string => `
import { Latch } from ${JSON.stringify(builtModule('runtime/saved/latch'))};
import { fileStorage } from ${JSON.stringify(builtModule('tape/journal/file-storage'))};
const [folder, begin] = process.argv.slice(1);
const latch = new Latch(fileStorage(folder), () => ${BEGIN});
while (Date.now() < Number(begin));
for (let count = 0; count < ${WRITES}; count++) {
  latch.writeHaltFile('stop ' + count);
  latch.writeLosses({ day: '2026-11-30', dayEquity: count, peakEquity: count });
}
`;

it('is written by several processes at once, whole each time', async () => {
  const begin = String(Date.now() + 1000);
  const ends = Array.from({ length: PROCESSES }, async () => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script(), folder, begin]);
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    const [code] = await once(child, 'close');
    return { code, errors };
  });
  const over = new AbortController();
  const all = Promise.all(ends).finally(() => over.abort());
  while (!over.signal.aborted) {
    const { halts, losses } = new Latch(fileStorage(folder), () => BEGIN).readRestoredState({
      unresolved: [],
      diedAt: null,
    });
    expect(halts.filter(({ by }) => by === 'fault')).toEqual([]);
    if (losses !== null) expect(losses.day).toBe('2026-11-30');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(await all).toEqual(Array.from({ length: PROCESSES }, () => ({ code: 0, errors: '' })));
  expect(readdirSync(folder).sort()).toEqual(['HALT', 'losses.json']);
});
