// Plugins over real restarts: saved state is restored, a slow plugin is halted alone and stays halted, saved state that does
// not fit ends the start, and the journals replay.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Line, Presage, ROOT, endOf, presage, shippedConfig } from './presage.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;

/** Counts sessions and books, and quotes far from the mid. */
const COUNTER = `import { defineStrategy, z } from 'presage-trading';

export default defineStrategy({
  name: 'counter',
  params: z.strictObject({}),
  saved: z.strictObject({ sessions: z.int(), fills: z.int() }),
  setup: () => {
    const kept = { sessions: 1, fills: 0 };
    return {
      onBook: ({ market }) => [{ type: 'quote', market, bid: { price: 300, qty: 100 }, ask: null }],
      onFill: () => void (kept.fills += 1),
      save: () => kept,
      restore: ({ sessions, fills }) => void Object.assign(kept, { sessions: sessions + 1, fills }),
    };
  },
});
`;

/** Rests an order, then spends 2.2 seconds once on a book. */
const SLOW = `import { defineStrategy, z } from 'presage-trading';

export default defineStrategy({
  name: 'slow',
  params: z.strictObject({}),
  setup: () => ({
    onBook({ market }, view) {
      const [resting] = view.markets.flatMap((each) => view.orders(each)).filter(({ state }) => state === 'working');
      if (resting) for (const until = performance.now() + 2200; performance.now() < until; );
      return [{ type: 'quote', market, bid: { price: 400, qty: 100 }, ask: null }];
    },
  }),
});
`;

let folder = '';
let config = '';
const saved = (): string => join(folder, 'demo/saved/counter.json');

beforeAll(() => {
  mkdirSync(join(ROOT, 'var'), { recursive: true });
  folder = mkdtempSync(join(ROOT, 'var', 'plugin-life-'));
  config = join(folder, 'bot.yaml');
  writeFileSync(join(folder, 'counter.mjs'), COUNTER);
  writeFileSync(join(folder, 'slow.mjs'), SLOW);
  const strategies =
    'strategies:\n  - { name: counter, file: counter.mjs }\n  - { name: slow, file: slow.mjs, slowMax: 1s }\n\n';
  const text = shippedConfig('demo.yaml', folder).replace(/strategies:\n[\s\S]*?\n\n(?=#)/, strategies);
  writeFileSync(config, text.replace(/priceDistanceMax: [\d.]+/, 'priceDistanceMax: 0.98'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a session until it prints a record, and stops it; returns its exit code. */
async function session(isEnough: (line: Line) => boolean, code = 0): Promise<Presage> {
  const bot = new Presage(['run', '--config', config, '--json']);
  await bot.line(isEnough);
  bot.kill('SIGINT');
  expect(await bot.exited, bot.stderr).toBe(code);
  return bot;
}

it(
  'saved state survives restarts, a slow strategy is halted alone and stays halted, and the sessions replay',
  async () => {
    const first = endOf(await session(({ type }) => type === 'halt', 1)) as unknown as {
      halts: object[];
      strategies: { name: string }[];
    };
    const reason: unknown = expect.stringMatching(/^too slow: onBook took \d+ ms; at most 2000 ms once$/);
    const halt = { scope: { type: 'strategy', strategy: 'slow' }, by: 'fault', reason };
    expect(first.halts).toMatchObject([halt]);
    expect(first.strategies.find(({ name }) => name === 'counter')).toMatchObject({ rejected: 0, haltedBy: null });
    expect(JSON.parse(readFileSync(saved(), 'utf8'))).toMatchObject({ sessions: 1 });

    const second = endOf(await session(({ text }) => String(text).startsWith('session trading'))) as unknown as {
      halts: object[];
    };
    expect(second.halts).toMatchObject([halt]);
    expect(JSON.parse(readFileSync(saved(), 'utf8'))).toMatchObject({ sessions: 2 });
    expect(existsSync(join(folder, 'demo/saved/slow.json'))).toBe(false);

    const { stdout, stderr } = await presage('journal', 'replay', join(folder, 'demo/journal'), '--json');
    const { sessions } = JSON.parse(stdout) as { sessions: { difference: unknown; commands: number }[] };
    expect(
      sessions.map(({ difference }) => difference),
      stderr,
    ).toEqual([null, null]);
    expect(sessions[0]?.commands).toBeGreaterThan(10);
  },
  TIMEOUT_MS,
);

it('saved state that does not fit ends the start with its file and member, and is kept', async () => {
  const text = '{ "sessions": "two", "fills": 0 }';
  mkdirSync(join(folder, 'demo/saved'), { recursive: true });
  writeFileSync(saved(), text);
  const { code, stderr } = await presage('run', '--config', config, '--for', '1s');
  expect(code).toBe(2);
  expect(stderr).toContain(`${saved()}: the saved state of strategy counter does not fit the strategy: sessions: `);
  expect(stderr).toContain('expected number, received string');
  expect(readFileSync(saved(), 'utf8')).toBe(text);
});
