// Loading strategies' files and packages: valid ones work as their author expects, and broken ones are reported
// clearly.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundlePlugin } from '../../../src/runtime/plugins/plugin-bundle.ts';
import { loadPlugin } from '../../../src/runtime/plugins/strategy-loader.ts';
import { type LoadResult, StrategySandbox } from '../../support/sessions/strategy-sandbox.ts';

const sandbox = new StrategySandbox();
beforeAll(() => sandbox.installPackages());
afterAll(() => sandbox.close());

const HEAD = `import { defineStrategy, z } from 'presage-trading';\n`;

/** Loads one file of some text. */
async function load(name: string, text: string, params: unknown = {}): Promise<LoadResult & { readonly path: string }> {
  const path = sandbox.writeFile(name, text);
  const [loaded] = await sandbox.loadFiles({ path, params });
  return { ...loaded, path };
}

/** The error of a broken file, without its path. */
async function complaint(name: string, text: string): Promise<string> {
  const { error, path } = await load(name, text);
  expect(error).toMatchObject({ name: 'StrategyFileError', path });
  expect(error?.message.startsWith(`${path}: `)).toBe(true);
  return error?.message.slice(path.length + 2) ?? '';
}

describe('a strategy file', () => {
  it('a file is loaded with its types, its neighbors and its packages', async () => {
    sandbox.writeFile('parts/half.ts', 'export const half = (value: number): number => value / 2;\n');
    const { ok, params, bound } = await load(
      'whole.ts',
      `import { type Intent, cents, defineStrategy } from 'presage-trading';
import { z } from 'zod';
import { half } from './parts/half.ts';
import type { Absent } from './parts/absent.ts';

interface Wanted { readonly intents: readonly Intent[]; readonly absent?: Absent }

export default defineStrategy({
  name: 'whole',
  description: 'all of it',
  params: z.strictObject({ size: z.number().transform((size) => half(size) + cents(1)) }),
  setup: ({ params }) => { const wanted: Wanted = { intents: [] }; void params.size; return { onStart: () => wanted.intents }; },
});
`,
      { size: 10 },
    );
    expect({ ok, params, bound }).toEqual({
      ok: { name: 'whole', description: 'all of it' },
      params: { size: 105 },
      bound: undefined,
    });
  });

  it('a file may be plain JavaScript, with any of its file extensions', async () => {
    const text = `${HEAD}export default defineStrategy({ name: 'plain', params: z.strictObject({}), setup: () => ({}) });`;
    expect((await load('plain.mjs', text)).ok?.name).toBe('plain');
    expect((await load('plain.js', text)).ok?.name).toBe('plain');
    expect((await load('typed.mts', `const a: number = 1;\nvoid a;\n${text}`)).ok?.name).toBe('plain');
  });

  it('loading again uses the current version of the file', async () => {
    const text = (name: string): string =>
      `${HEAD}export default defineStrategy({ name: '${name}', params: z.strictObject({}), setup: () => ({}) });`;
    expect((await load('again.ts', text('first'))).ok?.name).toBe('first');
    expect((await load('again.ts', text('second'))).ok?.name).toBe('second');
  });

  it('loading leaves nothing beside the file, even when it fails', async () => {
    await load(
      'tidy/good.ts',
      `${HEAD}export default defineStrategy({ name: 'g', params: z.any(), setup: () => ({}) });`,
    );
    await load('tidy/bad.ts', `throw new Error('boom');`);
    expect(sandbox.listFolder('tidy')).toEqual(['bad.ts', 'good.ts']);
  });

  it('a strategy refuses wrong parameters by its own schema', async () => {
    const text = `${HEAD}export default defineStrategy({ name: 's', params: z.strictObject({ size: z.number() }), setup: () => ({}) });`;
    expect((await load('strict.ts', text, { size: 'ten' })).refused).toBe(
      'Invalid input: expected number, received string',
    );
    expect((await load('strict.ts', text, { size: 1, sise: 2 })).refused).toBe('Unrecognized key: "sise"');
  });

  it('a later failure names the line of the strategy’s source', async () => {
    const text = `${HEAD}interface Padding { readonly a: 1 }
type More = Padding;
export default defineStrategy({
  name: 'later',
  params: z.strictObject({}),
  setup: (): {} => {
    throw new Error('no setup' satisfies string & ({} | More));
  },
});
`;
    const { bound, path } = await load('later.ts', text);
    expect(bound).toContain('Error: no setup');
    expect(bound).toContain(`${path}:8:`);
  });
});

const BROKEN: readonly (readonly [name: string, text: string, told: string])[] = [
  [
    'does not parse',
    'const a = 1;\nconst b = = 2;\n',
    'does not compile at line 2, column 11: Unexpected "="\n  const b = = 2;\n            ^',
  ],
  [
    'ends too early',
    `${HEAD}export default defineStrategy({`,
    `does not compile at line 2, column 32: Expected identifier but found end of file
  export default defineStrategy({
                                 ^`,
  ],
  [
    'imports a file that is not there',
    `import { a } from './nowhere.ts';\nexport default a;\n`,
    `does not compile at line 1, column 19: Could not resolve "./nowhere.ts"
  import { a } from './nowhere.ts';
                    ^`,
  ],
  ['throws', `const a = 1;\n\nthrow new Error('boom ' + a);\n`, 'failed while loading at line 3: boom 1'],
  ['throws no error', `throw 'a word';\n`, 'failed while loading: a word'],
  [
    'never finishes loading',
    `await new Promise(() => {});\nexport default 1;\n`,
    'failed while loading: it awaits something that did not arrive within 5 s',
  ],
  [
    'uses an undefined name',
    `type A = 1;\nconst a: A = missing;\nexport default a;\n`,
    'failed while loading at line 2: missing is not defined',
  ],
  [
    'exports nothing',
    'export const a = 1;\n',
    'expected `export default defineStrategy({…})`, found no default export',
  ],
  [
    'exports a function',
    'export default () => 1;\n',
    'expected `export default defineStrategy({…})`, found a function',
  ],
  ['exports null', 'export default null;\n', 'expected `export default defineStrategy({…})`, found null'],
  [
    'exports what it should have defined',
    `export default { name: 's', setup: () => ({}) };\n`,
    'expected `export default defineStrategy({…})`, found an object with name, setup',
  ],
];

/** The errors of all of them, without their paths: all loaded by one process. */
async function loadBroken(): Promise<Map<string, string | undefined>> {
  const files = BROKEN.map(([name, text]) => ({ path: sandbox.writeFile(`${name.replaceAll(' ', '-')}.ts`, text) }));
  const loaded = await sandbox.loadFiles(...files);
  return new Map(BROKEN.map(([name], at) => [name, loaded[at]?.error?.message.replace(`${files[at]?.path}: `, '')]));
}
let broken: ReturnType<typeof loadBroken> | undefined;

describe('a strategy package', () => {
  const plugin = (name: string): string =>
    `${HEAD}export default defineStrategy({ name: '${name}', params: z.strictObject({}), setup: () => ({}) });\n`;

  /** Installs a package. */
  function install(name: string, manifest: object, files: Readonly<Record<string, string>>): string {
    sandbox.writeFile(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', ...manifest }));
    for (const [file, text] of Object.entries(files)) sandbox.writeFile(`node_modules/${name}/${file}`, text);
    return join(sandbox.folder, 'node_modules', name);
  }

  it('a package is found by its exports for imports, with a part of it, a scope, and types', async () => {
    const exports = { '.': { import: './lib/main.js' }, './fast': { types: './fast.d.ts', default: './lib/fast.ts' } };
    const place = install(
      '@me/plugin',
      { type: 'module', exports },
      {
        'lib/main.js': `import { half } from './half.js';\n${plugin('main')}void half;\n`,
        'lib/half.js': 'export const half = (value) => value / 2;\n',
        'lib/fast.ts': `${plugin('fast')}const a: number = 1;\nvoid a;\n`,
      },
    );
    sandbox.writeFile('config/deep/bot.yaml', '');
    const [whole, part, deeper] = await sandbox.loadFiles(
      { path: place },
      { path: `${place}/fast` },
      // As seen from a folder below, too.
      { path: join(sandbox.folder, 'config/deep/node_modules/@me/plugin') },
    );
    expect([whole?.ok?.name, part?.ok?.name, deeper?.ok?.name]).toEqual(['main', 'fast', 'main']);
  });

  it('a package may bring its own copy of this package', async () => {
    const copy = `import { z } from 'zod';
export { z };
export const defineStrategy = (definition) => ({ ...definition, description: 'of its own copy', saved: null, bind: () => ({}) });
`;
    const place = install(
      'with-copy',
      { type: 'module', exports: './index.js' },
      {
        'index.js': plugin('copied'),
        'node_modules/presage-trading/package.json':
          '{"name":"presage-trading","type":"module","exports":"./index.js"}',
        'node_modules/presage-trading/index.js': copy,
      },
    );
    expect((await sandbox.loadFiles({ path: place }))[0]?.ok).toEqual({
      name: 'copied',
      description: 'of its own copy',
    });
  });

  it('a package that is not installed, or does not offer a part, is reported as such', async () => {
    install('some', { type: 'module', exports: { '.': './index.js' } }, { 'index.js': plugin('some') });
    const [absent, part] = await sandbox.loadFiles(
      { path: join(sandbox.folder, 'node_modules/absent/sub') },
      { path: join(sandbox.folder, 'node_modules/some/other') },
    );
    expect(absent?.error?.message).toMatch(
      new RegExp(`: package absent is not installed in ${sandbox.folder} or above: npm install absent$`),
    );
    expect(part?.error?.message).toContain('/some does not offer "some/other" to an import');
  });

  it('a package that throws while it loads is reported with the line of its own source', async () => {
    const place = install(
      'thrower',
      { type: 'module', exports: './index.js' },
      {
        'index.js': `import './deep.js';\n`,
        'deep.js': `\n\nthrow new Error('boom');\n`,
      },
    );
    const [{ error } = {}] = await sandbox.loadFiles({ path: place });
    expect(error?.message).toMatch(/failed while loading at .*\/thrower\/deep\.js:3: boom$/);
  });
});

describe('the hash of a strategy', () => {
  it('the hash of a strategy is the hash of its file, or of all its files where it has several', async () => {
    const alone = sandbox.writeFile('hash/alone.ts', 'export default 1;\n');
    const sha256 = createHash('sha256').update('export default 1;\n').digest('hex');
    expect((await bundlePlugin(alone)).sha256).toBe(sha256);
    sandbox.writeFile('hash/part.ts', 'export const part = 1;\n');
    const whole = sandbox.writeFile('hash/whole.ts', `import { part } from './part.ts';\nexport default part;\n`);
    const before = await bundlePlugin(whole);
    expect(before.sources).toEqual([join(sandbox.folder, 'hash/part.ts'), whole]);
    sandbox.writeFile('hash/part.ts', 'export const part = 2;\n');
    expect((await bundlePlugin(whole)).sha256).not.toBe(before.sha256);
  });

  it('code is refused by its hash before it runs', async () => {
    const refused = sandbox.writeFile('hash/refused.ts', `throw new Error('it ran');\n`);
    const { sha256 } = await bundlePlugin(refused);
    const refuse = (found: string): never => {
      throw new Error(`found ${found}`);
    };
    await expect(loadPlugin(refused, refuse)).rejects.toThrow(`found ${sha256}`);
    await expect(loadPlugin(refused, () => undefined)).rejects.toThrow('it ran');
  });

  it('the hash of a strategy changes with the version of a package that it imports', async () => {
    const version = (text: string): string =>
      sandbox.writeFile(
        'node_modules/counted/package.json',
        `{"name":"counted","version":"${text}","exports":"./i.js"}`,
      );
    version('1.0.0');
    sandbox.writeFile('node_modules/counted/i.js', 'module.exports = 1;\n');
    const path = sandbox.writeFile('hash/counts.ts', `import one from 'counted';\nexport default one;\n`);
    const before = (await bundlePlugin(path)).sha256;
    expect((await bundlePlugin(path)).sha256).toBe(before);
    version('1.0.1');
    expect((await bundlePlugin(path)).sha256).not.toBe(before);
  });

  it('a bundle lists its imports: packages and parts of the platform, each with its path', async () => {
    const path = sandbox.writeFile(
      'hash/asks.ts',
      `import 'node:fs';\nimport { z } from 'presage-trading';\nexport default z;\n`,
    );
    expect((await bundlePlugin(path)).imports).toEqual([
      { specifier: 'node:fs', from: path, path: null },
      { specifier: 'presage-trading', from: path, path: join(sandbox.folder, 'node_modules/presage-trading/index.js') },
    ]);
  });
});

describe('a broken strategy file', () => {
  it('a file that does not exist is reported as such', async () => {
    const path = join(sandbox.folder, 'missing.ts');
    const [loaded] = await sandbox.loadFiles({ path });
    expect(loaded?.error).toEqual({ name: 'StrategyFileError', path, message: `${path}: no such file` });
  });

  it('a folder is reported, with the file in it that may be meant', async () => {
    const file = sandbox.writeFile('whole/strategy.ts', 'export default 1;\n');
    const path = join(sandbox.folder, 'whole');
    const [loaded] = await sandbox.loadFiles({ path });
    expect(loaded?.error?.message).toBe(`${path}: expected a file, found a folder: did you mean ${file}?`);
  });

  it.each(BROKEN)('a file that %s is reported with the fault and its place', async (name, _text, told) => {
    broken ??= loadBroken();
    expect((await broken).get(name)).toBe(told);
  });

  it('a file whose neighbor throws is reported with the place in the neighbor', async () => {
    const neighbor = sandbox.writeFile('parts/thrower.ts', `export const a: number = 1;\n\nnull!.boom;\n`);
    const told = await complaint('innocent.ts', `import { a } from './parts/thrower.ts';\nexport default a;\n`);
    expect(told).toBe(`failed while loading at ${neighbor}:3: Cannot read properties of null (reading 'boom')`);
  });

  it('an import of a package that is not installed is reported with its name and the way to install it', async () => {
    const told = await complaint('packages.ts', `import a from 'no-such-package';\nexport default a;\n`);
    expect(told).toBe(
      `does not compile at line 1, column 15: package no-such-package is not installed in ${sandbox.folder} or above: npm install no-such-package
  import a from 'no-such-package';
                ^`,
    );
  });

  it('a fault in plain JavaScript is reported with the line, too', async () => {
    expect(await complaint('syntax.mjs', 'const a = 1;\nconst b = = 2;\n')).toBe(
      'does not compile at line 2, column 11: Unexpected "="\n  const b = = 2;\n            ^',
    );
    expect(await complaint('throws.mjs', `\nthrow new Error('boom');\n`)).toBe('failed while loading at line 2: boom');
  });

  it.each(['presage', 'presage/testing'])(
    'an import of %s is refused with the name of this package',
    async (specifier) => {
      const told = await complaint('old-name.ts', `import { z } from '${specifier}';\nexport default z;\n`);
      const wanted = specifier.replace('presage', 'presage-trading');
      expect(told).toContain(
        `does not compile at line 1, column 19: Presage is the package presage-trading: import from '${wanted}'\n`,
      );
    },
  );

  it('an import of presage, which is installed and is not this program, is refused with what it is', async () => {
    const found = sandbox.writeFile('theirs/node_modules/presage/package.json', '{"name":"presage","version":"9.8.7"}');
    sandbox.writeFile('theirs/node_modules/presage/index.js', 'module.exports = { z: null };\n');
    const told = await complaint('theirs/old-name.ts', `import { z } from 'presage';\nexport default z;\n`);
    expect(told).toContain(
      `Presage is the package presage-trading: import from 'presage-trading' (${found} is presage 9.8.7, another project's package)\n`,
    );
  });

  it('an import that finds another package in the place of this one is refused with what it is', async () => {
    const found = sandbox.writeFile(
      'alias/node_modules/presage-trading/package.json',
      '{"name":"other-package","version":"1.2.3"}',
    );
    sandbox.writeFile('alias/node_modules/presage-trading/index.js', 'module.exports = { z: null };\n');
    const told = await complaint('alias/any.ts', `import { z } from 'presage-trading';\nexport default z;\n`);
    expect(told).toContain(
      `expected the package presage-trading, found other-package 1.2.3 (${found}): npm install presage-trading\n`,
    );
  });

  it('an import of a name that a package does not have is reported', async () => {
    const told = await complaint(
      'wrong-name.ts',
      `import { nothing } from 'presage-trading';\nexport default nothing;\n`,
    );
    expect(told).toBe(
      `failed while loading at line 1: The requested module 'presage-trading' does not provide an export named 'nothing'`,
    );
  });
});
