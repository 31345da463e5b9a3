// `presage new-strategy`: the files it writes, where, and what it refuses. The written files have tests of their own.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/app/usage-error.ts';
import { newStrategyCommand, scaffoldFiles } from '../../src/cli/new-strategy-command.ts';
import { scaffoldPlace } from '../../src/cli/scaffold/scaffold-place.ts';
import { readBacktestConfig } from '../../src/config/backtest-config.ts';
import { readBotConfig } from '../../src/config/bot-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-new-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function make(path: string): Promise<void> {
  await newStrategyCommand().exitOverride().parseAsync([path, '--json'], { from: 'user' });
}

/** Makes a project with a package of this name. */
function project(name: string): string {
  const at = join(folder, name);
  mkdirSync(at);
  writeFileSync(join(at, 'package.json'), JSON.stringify({ name }));
  return at;
}

const SMALL = ['.gitignore', 'README.md', 'backtest.yaml', 'run.yaml', 'strategy.test.ts', 'strategy.ts'];

describe('presage new-strategy', () => {
  it('makes a project where none is around it', async () => {
    const at = join(folder, 'deep/alone');
    await make(at);
    expect(readdirSync(at).sort()).toEqual([
      ...SMALL.slice(0, 3),
      'package.json',
      ...SMALL.slice(3),
      'tsconfig.json',
      'vitest.config.ts',
    ]);
    const written = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    expect(written).toMatchObject({ name: 'alone', exports: './strategy.ts' });
    // A working copy is linked, because no registry has it.
    const linked = /^file:(.*)$/.exec(written['dependencies']?.['presage-trading'] ?? '')?.[1] ?? '';
    expect(resolve(at, linked)).toBe(resolve('.'));
    expect(readBacktestConfig(join(at, 'backtest.yaml')).tape).toBe(
      join(at, 'node_modules/presage-trading/backtest/data/sample'),
    );
  });

  it.each([
    ['{bad', /package\.json: expected the JSON of a package, found /],
    ['{"name":5}', /package\.json: expected the JSON of a package, found name: /],
  ])('refuses a project whose package.json is %s', async (text, message) => {
    const at = project(`broken-${text.length}`);
    writeFileSync(join(at, 'package.json'), text);
    const made = make(join(at, 'first'));
    await expect(made).rejects.toThrow(UsageError);
    await expect(made).rejects.toThrow(message);
    expect(existsSync(join(at, 'first'))).toBe(false);
  });

  it('joins a project whose package.json has a byte order mark, or members of null', async () => {
    const at = project('marked');
    writeFileSync(join(at, 'package.json'), '\uFEFF{"name":"marked","devDependencies":null}');
    await make(join(at, 'first'));
    expect(readdirSync(join(at, 'first')).sort()).toEqual(SMALL);
  });

  it.each(['007', '1e3', '1.10', '0x1f', 'true', 'null'])('names a strategy %s in its configs', async (name) => {
    const at = join(project(`of-${name}`), name);
    await make(at);
    expect(readBacktestConfig(join(at, 'backtest.yaml')).strategies[0]?.name).toBe(name);
    expect(readBotConfig(join(at, 'run.yaml')).strategies[0]?.name).toBe(name);
  });

  it('quotes a path with a space in the commands to paste', () => {
    const place = scaffoldPlace(join(project('spaced'), 'my bots/first'));
    const readme = scaffoldFiles(place)['README.md'] ?? '';
    expect(readme).toContain("npx presage certify 'my bots/first/strategy.ts'\n");
    expect(readme).toContain("npx vitest run 'my bots/first'\n");
  });

  it('joins the project around it, and finds the package that it has installed', async () => {
    const at = join(project('theirs'), 'plugins/first');
    await make(at);
    expect(readdirSync(at).sort()).toEqual(SMALL);
    const { embedded } = readBotConfig(join(at, 'run.yaml')).venue;
    expect(embedded).toBe(join(folder, 'theirs/node_modules/presage-trading/config/exchange.yaml'));
    expect(readFileSync(join(at, 'README.md'), 'utf8')).toContain('npx presage certify plugins/first/strategy.ts');
  });

  it('lists the installs that its test needs and the project lacks', async () => {
    const link = relative(join(folder, 'without'), resolve('.'));
    const install = `npm install ${link}\nnpm install --save-dev vitest\nnpx vitest run first\n`;
    const [without, having] = [project('without'), project('having')];
    for (const name of ['vitest', 'presage-trading'])
      mkdirSync(join(having, 'node_modules', name), { recursive: true });
    for (const around of [without, having]) await make(join(around, 'first'));
    expect(readFileSync(join(without, 'first/README.md'), 'utf8')).toContain(install);
    expect(readFileSync(join(having, 'first/README.md'), 'utf8')).not.toContain('npm install');
  });

  it('uses the tape and the exchange of a working copy of the package', () => {
    const files = scaffoldFiles(scaffoldPlace('strategies/my-first'));
    expect(Object.keys(files).sort()).toEqual(SMALL);
    const tape = /^tape: (\S+)/m.exec(files['backtest.yaml'] ?? '')?.[1] ?? '';
    expect(existsSync(resolve('strategies/my-first', tape, '00000001.tape.gz'))).toBe(true);
    const exchange = /embedded: (\S+)/.exec(files['run.yaml'] ?? '')?.[1] ?? '';
    expect(resolve('strategies/my-first', exchange)).toBe(resolve('config/exchange.yaml'));
  });

  it('writes the same params and limits into the backtest and the run', async () => {
    const at = join(folder, 'same');
    await make(at);
    const [tested, run] = [readBacktestConfig(join(at, 'backtest.yaml')), readBotConfig(join(at, 'run.yaml'))];
    expect(run.strategies).toEqual(tested.strategies);
    expect(run.limits).toEqual(tested.limits);
    expect(tested.strategies[0]?.file).toBe(join(at, 'strategy.ts'));
  });

  it.each([
    ['Upper', /expected a name of at most 64 of a-z 0-9 - _ \. that begins with a letter or a digit, found "Upper"/],
    ['.hidden', /expected a name of/],
    ['with space', /expected a name of/],
    ['x'.repeat(65), /expected a name of/],
  ])('refuses the name %s', async (name, told) => {
    await expect(make(join(folder, name))).rejects.toThrow(told);
  });

  it('refuses an existing place, and leaves it as it is', async () => {
    const at = join(folder, 'taken');
    mkdirSync(at);
    await expect(make(at)).rejects.toThrow(/taken: expected a place where nothing exists, found a file or folder/);
    expect(readdirSync(at)).toEqual([]);
    writeFileSync(join(folder, 'a-file'), '');
    await expect(make(join(folder, 'a-file/below'))).rejects.toThrow(/cannot be made: (ENOTDIR|EEXIST)/);
    expect(existsSync(dirname(join(folder, 'a-file/below')))).toBe(true);
  });
});
