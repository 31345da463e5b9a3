// The package as others get it: packed from a clean clone and installed by npm, globally and in a project, where a
// strategy is created, checked, tested and backtested. Installs need the registry; without it, only the packing is
// tested.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT, type Told } from '../e2e/presage.ts';

const site = mkdtempSync(join(tmpdir(), 'presage-packed-'));
afterAll(() => rmSync(site, { recursive: true, force: true }));

const clone = join(site, 'clone');
const prefix = join(site, 'global');
const QUIET = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];

/** Runs a program to its end in a folder of the test site. */
const run = (cwd: string, file: string, ...args: string[]): Promise<Told> =>
  promisify(execFile)(file, args, { cwd, maxBuffer: 1 << 26, env: { ...process.env, NO_COLOR: '1' } }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Told) => ({ code, stdout, stderr }),
  );

/** Runs a program that must succeed and returns its output. */
async function done(cwd: string, file: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(cwd, file, ...args);
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}\n${stdout}${stderr}`);
  return stdout;
}

const isClone = existsSync(join(ROOT, '.git'));
const registry = await run(site, 'npm', 'view', 'vitest', 'version', '--fetch-retries=0', '--fetch-timeout=20000');
const why = registry.code === 0 ? '' : ` (skipped: the registry is not reachable: ${firstLine(registry.stderr)})`;

function firstLine(text: string): string {
  return text.split('\n').find((line) => line.startsWith('npm error')) ?? 'npm view failed';
}

const folder = (name: string): string => {
  mkdirSync(join(site, name));
  return join(site, name);
};

describe.skipIf(!isClone)(`a clean clone${isClone ? '' : ' (skipped: this is not a clone)'}`, () => {
  let tarball = '';
  beforeAll(async () => {
    await done(site, 'git', 'clone', '--quiet', '--no-hardlinks', ROOT, clone);
    symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
    // The lines that npm prints before the list come from the build.
    const [packed] = JSON.parse(await done(clone, 'npm', 'pack', '--json', '--silent', '--pack-destination', site)) as [
      { readonly filename: string },
    ];
    tarball = join(site, packed.filename);
  });

  it('packs the program and its public surface, of one build and without tests', async () => {
    const files = (await done(site, 'tar', 'tzf', tarball)).split('\n').map((line) => line.replace(/^package\//, ''));
    for (const file of [
      'dist/src/cli/main.js',
      'dist/src/index.d.ts',
      'dist/src/testing/testing-entry.js',
      'dist/src/research/research-entry.js',
      'README.md',
    ])
      expect(files).toContain(file);
    const built = files.flatMap((file) => /^dist\/builds\/([^/]+)\/([^/]+)/.exec(file)?.slice(1, 3).join(' ') ?? []);
    const parts = [...new Set(built)].map((each) => each.replace(/^[0-9a-f]{12} /, ''));
    expect(parts.sort()).toEqual(['backtest', 'console', 'src']);
    expect(files.some((file) => /^dist\/builds\/[0-9a-f]{12}\/console\/index\.html$/.test(file))).toBe(true);
    expect(files.filter((file) => /(?:^|\/)(?:node_modules|test|var)\//.test(file))).toEqual([]);
  });

  describe.skipIf(why !== '')(`once it is installed${why}`, () => {
    beforeAll(async () => {
      await done(site, 'npm', 'install', '--global', '--prefix', prefix, tarball, ...QUIET);
    });

    it('is a program by both of its names', async () => {
      const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
      for (const name of ['presage', 'presage-trading'])
        expect(await done(site, join(prefix, 'bin', name), '--version')).toBe(`${version}\n`);
    });

    it('creates a strategy in an empty folder, where it is checked, tested and backtested', async () => {
      await done(site, join(prefix, 'bin/presage'), 'new-strategy', 'my-first');
      const project = join(site, 'my-first');
      const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
        readonly dependencies: object;
      };
      expect(dependencies).toEqual({ 'presage-trading': expect.stringMatching(/^\^\d+\.\d+\.\d+$/) as string });
      // The packed version is not published yet.
      await done(project, 'npm', 'install', tarball, ...QUIET);
      expect(existsSync(join(project, 'node_modules/presage'))).toBe(false);
      await done(project, 'npx', '--no', 'tsc', '--noEmit', '--skipLibCheck', 'false');
      expect(await done(project, 'npx', '--no', 'vitest', 'run')).toMatch(/Tests +4 passed \(4\)/);
      await expectTrades(project, 'backtest.yaml');
    });

    it('creates a strategy in a project that has the package, and says what else it needs', async () => {
      const project = folder('project');
      writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }));
      await done(project, 'npm', 'install', tarball, ...QUIET);
      const output = await done(project, 'npx', '--no', 'presage', 'new-strategy', 'bots/first');
      const install = output.split('\n').filter((line) => line.trim().startsWith('npm install'));
      expect(install).toEqual(['  npm install --save-dev vitest']);
      await done(project, 'npm', 'install', '--save-dev', 'vitest', ...QUIET);
      expect(await done(project, 'npx', '--no', 'vitest', 'run', 'bots/first')).toMatch(/Tests +4 passed \(4\)/);
      await expectTrades(project, 'bots/first/backtest.yaml');
    });

    it('creates a strategy in a project that lacks the package, and says so', async () => {
      const project = folder('without');
      writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'without', private: true, type: 'module' }));
      const output = await done(project, join(prefix, 'bin/presage'), 'new-strategy', 'first');
      expect(output).toMatch(/^ {2}npm install presage-trading@\^\d+\.\d+\.\d+$/m);
    });
  });
});

/** A backtest with the program that the project has installed. */
async function expectTrades(project: string, config: string): Promise<void> {
  const report = JSON.parse(
    await done(project, 'npx', '--no', 'presage', 'backtest', '--config', config, '--json'),
  ) as {
    readonly fillCount: number;
  };
  expect(report).toMatchObject({ isWhole: true, imbalances: [] });
  expect(report.fillCount).toBeGreaterThan(0);
}
