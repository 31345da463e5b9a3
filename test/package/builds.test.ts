// Builds beside running processes: a finished build never changes, and the entries lead to the newest build at once.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execFileSync, spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ENTRIES, build } from '../../scripts/builds.js';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'presage-builds-'));
  write('tsconfig.json', '{}');
  write('tsconfig.build.json', '{"include":["src"]}');
  write('package.json', '{"type":"module"}');
  write('src/main.ts', `import { word } from './word.ts';\nconsole.log(word);\n`);
  write('src/word.ts', `export const word = 'one';\n`);
});
afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

/** Replaces the compiler: it renames the sources and changes the imports accordingly. */
function emit(folder: string): boolean {
  for (const file of readdirSync(join(root, 'src')).filter((name) => name.endsWith('.ts'))) {
    const text = readFileSync(join(root, 'src', file), 'utf8').replaceAll(".ts'", ".js'");
    mkdirSync(join(folder, 'src'), { recursive: true });
    writeFileSync(join(folder, 'src', file.replace(/\.ts$/, '.js')), text);
  }
  return true;
}

const entries = [{ path: 'src/main', isProgram: true }];
const runBuild = (options: { compiler?: string; compile?: typeof emit } = {}) =>
  build({ root, compiler: 'one', compile: emit, entries, ...options });
const run = (): string => execFileSync(join(root, 'dist/src/main.js'), { encoding: 'utf8' }).trim();
const builds = (): string[] => readdirSync(join(root, 'dist/builds')).filter((name) => /^[0-9a-f]{12}$/.test(name));
const change = (word: string): void => write('src/word.ts', `export const word = '${word}';\n`);

describe('a build', () => {
  it('is not repeated for the same sources', () => {
    expect([runBuild(), runBuild()]).toEqual(['made', 'current']);
    const entry = statSync(join(root, 'dist/src/main.js'));
    expect(runBuild()).toBe('current');
    expect(statSync(join(root, 'dist/src/main.js'))).toMatchObject({ ino: entry.ino, mtimeMs: entry.mtimeMs });
  });

  it.each([
    ['a source changes', () => change('two')],
    ['a source is added', () => write('src/deep/more.ts', '')],
    ['a source is removed', () => rmSync(join(root, 'src/word.ts'))],
    ['a setting changes', () => write('tsconfig.json', '{"compilerOptions":{}}')],
    ['an entry is gone', () => rmSync(join(root, 'dist/src/main.js'))],
    ['the build itself is gone', () => rmSync(join(root, 'dist/builds', builds()[0]!), { recursive: true })],
  ])('is repeated when %s', (_title, act) => {
    runBuild();
    act();
    expect(runBuild()).toBe('made');
  });

  it('is repeated with another compiler', () => {
    expect([runBuild(), runBuild({ compiler: 'two' }), runBuild({ compiler: 'two' })]).toEqual([
      'made',
      'made',
      'current',
    ]);
  });

  it('leaves the one before as it was, file by file, and what is started next runs the new one', () => {
    runBuild();
    const [first] = builds();
    const files = (): readonly unknown[] =>
      ['main.js', 'word.js'].map((file) => {
        const path = join(root, 'dist/builds', first!, 'src', file);
        return [statSync(path).ino, readFileSync(path, 'utf8')];
      });
    const before = files();
    expect(run()).toBe('one');
    change('two');
    runBuild();
    expect(files()).toEqual(before);
    expect(run()).toBe('two');
  });

  it('that fails changes nothing', () => {
    runBuild();
    change('two');
    const compile = (folder: string): boolean => emit(folder) && false;
    expect(runBuild({ compile })).toBe('failed');
    expect(run()).toBe('one');
    expect(readdirSync(join(root, 'dist/builds')).filter((name) => name.startsWith('.new'))).toEqual([]);
  });

  it('of sources that change meanwhile is made from their final state', () => {
    let runs = 0;
    const compile = (folder: string): boolean => {
      const isDone = emit(folder);
      if (runs++ === 0) change('late');
      return isDone;
    };
    expect(runBuild({ compile })).toBe('made');
    expect({ runs, word: run(), builds: builds().length }).toEqual({ runs: 2, word: 'late', builds: 1 });
    expect(runBuild()).toBe('current');
  });

  it('is deleted when ten others are newer', () => {
    runBuild();
    const [first] = builds();
    for (let at = 0; at < 9; at++) {
      change(`again ${at}`);
      runBuild();
    }
    expect(builds()).toContain(first);
    change('the tenth other');
    runBuild();
    expect(builds()).not.toContain(first);
    expect(builds()).toHaveLength(10);
    expect(run()).toBe('the tenth other');
  });

  it('of earlier sources is the one that was made from them', () => {
    runBuild();
    change('two');
    runBuild();
    change('one');
    expect(runBuild()).toBe('made');
    expect({ word: run(), builds: builds().length }).toEqual({ word: 'one', builds: 2 });
  });
});

it('has an entry for every file that package.json names', () => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const named = [...text.matchAll(/dist\/(\S+?)\.js\b/g)].map(([, path = '']) => path);
  expect(new Set(named)).toEqual(new Set(ENTRIES.map(({ path }) => path)));
});

it('says what is missing where nothing is installed yet', () => {
  cpSync(new URL('../../scripts', import.meta.url), join(root, 'scripts'), { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/build.js')], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `build: ${root} has no compiler installed: run npm ci first\n`,
  });
});
