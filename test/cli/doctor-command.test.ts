// `presage doctor` as a process: it ends, whatever the code of a strategy has begun.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { limitsExample } from '../../src/config/limit-fields.ts';
import { presageIn } from '../e2e/presage.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-doctor-'));
afterAll(() => rmSync(folder, { recursive: true }));

const EXCHANGE = join(import.meta.dirname, '../../config/exchange.yaml');
const CODE = `import { defineStrategy, z } from 'presage-trading';
setInterval(() => undefined, 1000);
export default defineStrategy({ name: 'lively', params: z.strictObject({}), setup: () => ({}) });
`;

it('ends although a strategy has begun a timer', { timeout: PATIENCE_MS }, async () => {
  writeFileSync(join(folder, 'lively.ts'), CODE);
  const config = join(folder, 'bot.yaml');
  const bot = `venue: { embedded: ${EXCHANGE}, account: demo }\nstrategies: [{ name: q, file: lively.ts, params: {} }]\n`;
  const rest = `markets: { events: [RAIN-26NOV23] }\nlog: { file: a.log }\ndataFolder: data\n`;
  writeFileSync(config, `${bot}${rest}${limitsExample()}\n`);
  const { stdout, stderr } = await presageIn(folder, ['doctor', '--config', config]);
  expect(stderr).toBe('');
  expect(stdout).toContain('q: ');
  expect(stdout).toMatch(/\bis wrong\n$/);
});
