// A live session beside a console with twenty clients, as the benchmark runs them: seventeen read, one reads nothing, two
// are hostile. Times are not compared here.
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE_ADDRESSES, READERS } from '../bench/clients/crowd.ts';
import { HOSTILE_ACTS } from '../bench/clients/hostile.ts';
import { builtModule } from './presage.ts';

const FILE = 'ticks-crowded';
const SCENARIO = 'tick-1k-browsers';
const RUN_MS_MAX = 180_000;
/** Growth that the session may show: its latest 2000 orders and events, which it keeps for a console. Megabytes. */
const BOT_GROWTH_MAX = 16;
/** Growth that the console may show: the same orders and events, and the parts that its readers await. Megabytes. */
const CONSOLE_GROWTH_MAX = 32;

let figures: Readonly<Record<string, number>> = {};
const figure = (name: string): number => figures[name] ?? Number.NaN;

beforeAll(async () => {
  const build = dirname(dirname(builtModule('index')));
  const args = ['--expose-gc', join(build, 'test/bench/child.js'), FILE, SCENARIO];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: RUN_MS_MAX });
  figures = JSON.parse(stdout) as Readonly<Record<string, number>>;
});

describe('a session beside a console with twenty clients', () => {
  it('the session answers every tick with an order', () => {
    // The exchange sends a tick only after the order of the tick before, and reports times when all have come.
    expect(figure('p50')).toBeGreaterThan(0);
    expect(figure('p99')).toBeGreaterThanOrEqual(figure('p50'));
  });

  it('every reader reads on, and is answered beside its stream', () => {
    expect(figure('fewestEvents')).toBeGreaterThan(3);
    expect(figure('answers')).toBeGreaterThan(3);
    expect(figure('broken')).toBe(0);
  });

  it('the console drops the reader that reads nothing, and no other', () => {
    expect(figure('dropped')).toBe(1);
    expect(figure('streams')).toBe(READERS);
  });

  it('the console refuses each hostile request', () => {
    // Each hostile client sends every kind of request before the measuring begins.
    expect(figure('refused')).toBeGreaterThanOrEqual(HOSTILE_ADDRESSES.length * HOSTILE_ACTS.length);
    expect(figure('served')).toBe(0);
  });

  it('neither the session nor the console keeps more memory than its bound', () => {
    expect(figure('botMemoryGrowth')).toBeLessThan(BOT_GROWTH_MAX);
    expect(figure('consoleMemoryEnd') - figure('consoleMemoryStart')).toBeLessThan(CONSOLE_GROWTH_MAX);
  });
});
