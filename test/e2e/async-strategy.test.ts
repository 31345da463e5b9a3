// A strategy with an async handler that fails is halted alone, in a backtest and in a live session.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Line, Presage, ROOT, endOf, presage, shippedConfig } from './presage.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;

const strategyText = (name: string, members: string): string => `import { defineStrategy, z } from 'presage-trading';

export default defineStrategy({
  name: '${name}',
  params: z.strictObject({}),
  ${members},
});
`;

/** Fails after its answer, as a request that is refused does. */
const LATE = strategyText(
  'late',
  `setup: () => ({
    async onBook() {
      await Promise.resolve();
      throw new Error('no such page');
    },
    onStop: () => Promise.reject(new Error('too late')),
  })`,
);
const LATE_SETUP = strategyText('late-setup', "setup: async () => { throw new Error('no such page'); }");
const SOUND = strategyText(
  'sound',
  "setup: () => ({ onBook: ({ market }) => [{ type: 'quote', market, bid: { price: 300, qty: 100 }, ask: null }] })",
);
const STRATEGIES = 'strategies:\n  - { name: late, file: late.mjs }\n  - { name: sound, file: sound.mjs }\n\n';
const REASON = 'it answered with a promise (a handler must not be async), which is not a list of intents';
const HALT = { scope: { type: 'strategy', strategy: 'late' }, by: 'fault', reason: REASON };

let folder = '';

/** Writes a shipped config with other strategies, and returns its path. */
function configOf(name: string, strategies: string): string {
  const path = join(folder, name);
  const text = shippedConfig(name, folder).replace(/strategies:\n[\s\S]*?\n\n(?=#)/, strategies);
  writeFileSync(path, text.replace('../backtest/data', join(ROOT, 'backtest/data')));
  return path;
}

beforeAll(() => {
  mkdirSync(join(ROOT, 'var'), { recursive: true });
  folder = mkdtempSync(join(ROOT, 'var', 'async-strategy-'));
  writeFileSync(join(folder, 'late.mjs'), LATE);
  writeFileSync(join(folder, 'late-setup.mjs'), LATE_SETUP);
  writeFileSync(join(folder, 'sound.mjs'), SOUND);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it(
  'a backtest halts a strategy whose async handler fails, and reports the others',
  async () => {
    const { code, stdout, stderr } = await presage(
      'backtest',
      '--config',
      configOf('backtest.yaml', STRATEGIES),
      '--json',
    );
    expect(code).toBe(1);
    expect(stderr).not.toMatch(/no such page|too late|node:internal/);
    expect(stdout).toContain(REASON);
    expect(JSON.parse(stdout)).toMatchObject({ version: 1 });
  },
  TIMEOUT_MS,
);

it(
  'a live session halts a strategy whose async handler fails, and continues with the others',
  async () => {
    const bot = new Presage(['run', '--config', configOf('demo.yaml', STRATEGIES), '--json']);
    await bot.line(({ type }) => type === 'halt');
    const isOfSound = (line: Line): boolean => line.type === 'order' && line['strategy'] === 'sound';
    await bot.line(isOfSound);
    bot.kill('SIGINT');
    expect(await bot.exited, bot.stderr).toBe(1);
    const end = endOf(bot) as unknown as { end: { type: string }; halts: object[] };
    expect(end.halts).toMatchObject([HALT]);
    expect(end.end.type).not.toBe('failed');
    expect(bot.stderr).not.toMatch(/no such page|too late/);
  },
  TIMEOUT_MS,
);

it('a strategy with an async setup does not start', async () => {
  const config = configOf('backtest.yaml', 'strategies:\n  - { name: late, file: late-setup.mjs }\n\n');
  const { code, stderr } = await presage('backtest', '--config', config);
  expect(code).toBe(2);
  expect(stderr).toContain('setup: expected handlers, found a promise');
  expect(stderr).not.toContain('node:internal');
});
