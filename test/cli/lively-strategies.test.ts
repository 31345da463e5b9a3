// Commands that run the code of strategies, as processes: each ends, whatever that code has begun.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { limitsExample } from '../../src/config/limit-fields.ts';
import { Presage, endOf, isTrading, presageIn } from '../e2e/presage.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-lively-'));
afterAll(() => rmSync(folder, { recursive: true }));

const EXCHANGE = join(import.meta.dirname, '../../config/exchange.yaml');
const CODE = `import { defineStrategy, z } from 'presage-trading';
setInterval(() => undefined, 1000);
export default defineStrategy({ name: 'lively', params: z.strictObject({}), setup: () => ({}) });
`;

/** The config of a bot with that strategy, for a command. */
function configFor(command: string): string {
  writeFileSync(join(folder, 'lively.ts'), CODE);
  const config = join(folder, `${command}.yaml`);
  const bot = `venue: { embedded: ${EXCHANGE}, account: demo }\nstrategies: [{ name: q, file: lively.ts, params: {} }]\n`;
  const rest = `markets: { events: [RAIN-OSLO] }\nlog: { file: a.log }\ndataFolder: data-${command}\n`;
  writeFileSync(config, `${bot}${rest}${limitsExample()}\n`);
  return config;
}

it('doctor ends although a strategy has begun a timer', { timeout: PATIENCE_MS }, async () => {
  const ended = await presageIn(folder, ['doctor', '--config', configFor('doctor')]);
  expect(ended.stderr).toBe('');
  expect(ended.stdout).not.toBe('');
  expect(ended.code).toBe(0);
});

it('run ends although a strategy has begun a timer', { timeout: PATIENCE_MS }, async () => {
  const bot = new Presage(['run', '--config', configFor('run'), '--json']);
  await bot.line(isTrading);
  expect(await bot.stop()).toBe(0);
  expect(bot.stderr).toBe('');
  expect(endOf(bot).end).toMatchObject({ type: 'stopped' });
});
