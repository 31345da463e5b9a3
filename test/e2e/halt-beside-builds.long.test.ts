// A halt works while the program is built in the same folder, whatever changed a source: a pull, an editor, a test.
import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from './presage.ts';

const clone = mkdtempSync(join(tmpdir(), 'presage-clone-'));
afterAll(() => rmSync(clone, { recursive: true, force: true }));

/** Runs a program in the clone to its end; returns its output. */
const run = (file: string, ...args: string[]): Promise<string> =>
  promisify(execFile)(file, args, { cwd: clone }).then(
    ({ stdout, stderr }) => stdout + stderr,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
const build = async (): Promise<void> => expect(await run('npm', 'run', '--silent', 'build')).toBe('');

beforeAll(async () => {
  const parts = ['src', 'backtest', 'strategies', 'config', 'test', 'scripts', 'package.json', 'tsconfig.json'];
  for (const part of [...parts, 'tsconfig.build.json'])
    if (existsSync(join(ROOT, part))) cpSync(join(ROOT, part), join(clone, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  await build();
}, 300_000);

it('a halt works every time while the program is built', { timeout: 600_000 }, async () => {
  const work = { isDone: false };
  const building = (async () => {
    appendFileSync(join(clone, 'src/domain/units.ts'), '\nexport const changed = 1;\n');
    await build();
    work.isDone = true;
  })();
  const outputs: string[] = [];
  while (!work.isDone) {
    const program = join(clone, 'dist/src/cli/main.js');
    outputs.push(await run(process.execPath, program, 'halt', '--config', 'config/demo.yaml', '--within', '1s'));
  }
  await building;
  expect(outputs.length).toBeGreaterThan(1);
  expect(outputs.filter((text) => !text.startsWith('the account is halted'))).toEqual([]);
});
