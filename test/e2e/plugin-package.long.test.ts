// A strategy as a package, without a network: Presage is packed and installed in an empty project; a strategy is made there,
// tested, type-checked, packed, and installed in a second project, whose config names it.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Presage, ROOT, type Told, endOf, isTrading } from './presage.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const site = mkdtempSync(join(tmpdir(), 'presage-plugin-'));
const plugin = join(site, 'my-plugin');
const bot = join(site, 'bot');
afterAll(() => rmSync(site, { recursive: true, force: true }));

/** Runs a Node program to its end. */
const node = (cwd: string, ...args: string[]): Promise<Told> =>
  promisify(execFile)(process.execPath, args, { cwd, maxBuffer: 1 << 26, env: { ...process.env, NO_COLOR: '1' } }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Told) => ({ code, stdout, stderr }),
  );

/** Packs a folder; returns the path of the tarball. */
async function pack(folder: string): Promise<string> {
  const args = ['pack', '--offline', '--ignore-scripts', '--json', '--pack-destination', site];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: folder, maxBuffer: 1 << 26 });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  return join(site, packed!.filename);
}

/** Installs a package into a project, with its dependencies as they are installed here, without a registry. */
async function install(project: string, name: string, tarball: string): Promise<void> {
  const modules = join(project, 'node_modules');
  mkdirSync(join(modules, name), { recursive: true });
  await promisify(execFile)('tar', ['xzf', tarball, '--strip-components=1', '-C', join(modules, name)]);
  const there = new Set(readdirSync(modules));
  for (const each of readdirSync(join(ROOT, 'node_modules')))
    if (!there.has(each) && each !== 'presage-trading')
      symlinkSync(join(ROOT, 'node_modules', each), join(modules, each));
}

/** The main file of the Presage that a project has installed. */
function mainOf(project: string): string {
  const at = join(project, 'node_modules/presage-trading');
  const { bin } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as { bin: { presage: string } };
  return join(at, bin.presage);
}

/** Runs the Presage that a project has installed to its end. */
const presage = (project: string, ...args: string[]): Promise<Told> => node(project, mainOf(project), ...args);

const check = (project: string, ...files: string[]): Promise<Told> =>
  node(project, 'node_modules/typescript-native/bin/tsc', '--noEmit', '--skipLibCheck', 'false', ...files);

/** The plugin's config, with the package in place of the file. */
function config(name: string): string {
  const text = readFileSync(join(plugin, name), 'utf8').replace('file: strategy.ts', 'package: my-plugin');
  expect(text).toContain('package: my-plugin');
  writeFileSync(join(bot, name), text);
  return name;
}

const WRONG = `import { type MarketIndex, type PlaceIntent, contracts } from 'presage-trading';
import { stage } from 'presage-trading/testing';
import strategy from './strategy.ts';
export const order = (market: MarketIndex): PlaceIntent =>
  ({ type: 'place', market, side: 'buy', price: contracts(5), qty: contracts(5) });
export const text: string = stage(strategy).now;
`;

beforeAll(async () => {
  const tarball = await pack(ROOT);
  mkdirSync(bot);
  writeFileSync(join(bot, 'package.json'), JSON.stringify({ name: 'bot', private: true, type: 'module' }));
  await install(bot, 'presage-trading', tarball);
  const made = await node(
    site,
    join(bot, 'node_modules/presage-trading/dist/src/cli/main.js'),
    'new-strategy',
    'my-plugin',
  );
  expect(made).toMatchObject({ code: 0, stderr: '' });
  await install(plugin, 'presage-trading', tarball);
  await install(bot, 'my-plugin', await pack(plugin));
}, 2 * PATIENCE_MS);

describe('a strategy as a package', () => {
  it('type-checks against the shipped types, and a mistaken unit does not', async () => {
    const written = JSON.parse(readFileSync(join(plugin, 'package.json'), 'utf8')) as { dependencies: object };
    expect(written.dependencies).toMatchObject({ 'presage-trading': expect.stringMatching(/^\^\d/) as string });
    writeFileSync(join(plugin, 'wrong.ts'), WRONG);
    const { code, stdout } = await check(plugin);
    rmSync(join(plugin, 'wrong.ts'));
    expect(code).not.toBe(0);
    // Nothing else is wrong, in installed files neither.
    expect(stdout.split('\n').filter((line) => /^\S/.test(line))).toEqual([
      expect.stringMatching(/^wrong\.ts\(5,\d+\): error TS2322: Type 'Qty' is not assignable to type 'Price'/),
      expect.stringMatching(/^wrong\.ts\(6,\d+\): error TS2322: Type 'Micros' is not assignable to type 'string'/),
    ]);
  });

  it('passes the test that it was made with', async () => {
    const { code, stdout } = await node(plugin, 'node_modules/vitest/vitest.mjs', 'run');
    expect(stdout).toMatch(/Tests +4 passed \(4\)/);
    expect(code).toBe(0);
  });

  it('is certified as it was made', { timeout: 2 * PATIENCE_MS }, async () => {
    const { code, stdout } = await presage(plugin, 'certify', 'strategy.ts', '--effort', 'quick', '--seed', '1');
    expect(stdout).toMatch(/certified: (\d+) of \1 checks\n$/);
    expect(code).toBe(0);
  });

  it('packs its own files alone', () => {
    const files = readdirSync(join(bot, 'node_modules/my-plugin')).sort();
    expect(files).toEqual(['README.md', 'package.json', 'strategy.ts']);
  });

  it('is backtested where it is installed, and trades', async () => {
    const { code, stdout, stderr } = await presage(bot, 'backtest', '--config', config('backtest.yaml'), '--json');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const report = JSON.parse(stdout) as { fillCount: number };
    expect(report).toMatchObject({ run: { strategies: [{ name: 'my-plugin', file: 'my-plugin' }] } });
    expect(report.fillCount).toBeGreaterThan(0);
    expect(report).toMatchObject({ isWhole: true, imbalances: [] });
  });

  it('runs on the embedded exchange, agrees with its ledger, and is recorded by its package name', async () => {
    const run = new Presage(['run', '--config', config('run.yaml'), '--json'], { main: mainOf(bot), folder: bot });
    await run.gotLines(2, isTrading);
    expect({ code: await run.stop(), stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    expect(endOf(run)).toMatchObject({ strategies: [{ name: 'my-plugin' }], ledgerDifferences: [] });
    const replayed = await presage(bot, 'journal', 'replay', 'var/journal');
    expect(replayed).toMatchObject({ code: 0, stderr: '' });
    expect(replayed.stdout).toMatch(/inputs, [1-9]\d* commands the same\n$/);
    const nowhere = await presage(bot, 'journal', 'replay', 'var/journal', '--strategies', site);
    expect(nowhere).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('my-plugin is not installed in') as string,
    });
  });

  it('is reported with the command that installs it when it is missing', async () => {
    const text = readFileSync(join(bot, 'backtest.yaml'), 'utf8').replace('package: my-plugin', 'package: my-other');
    writeFileSync(join(bot, 'other.yaml'), text);
    const { code, stderr } = await presage(bot, 'backtest', '--config', 'other.yaml');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `presage: other.yaml:12:5: strategies[0].package: expected a package with a strategy (package my-other is not installed in ${bot} or above: npm install my-other), found "my-other"\n`,
    });
  });
});
