// The built program is one that a shell may start by its name: `npx presage` in a clone that nobody has installed.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './presage.ts';

const isExecutable = (file: string): boolean => (statSync(file).mode & 0o111) === 0o111;

it('may be executed once it is built', () => {
  const text = readFileSync(join(ROOT, 'package.json'), 'utf8');
  const { bin, version } = JSON.parse(text) as { bin: { presage: string }; version: string };
  const program = join(ROOT, bin.presage);
  // A copy, as the compiler leaves it: the program itself is run by others meanwhile.
  const folder = mkdtempSync(join(tmpdir(), 'presage-bin-'));
  const copy = join(folder, bin.presage);
  try {
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
    copyFileSync(program, copy);
    chmodSync(copy, 0o644);
    execFileSync('npm', ['run', '--silent', 'postbuild'], { cwd: folder });
    expect(isExecutable(copy)).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
  expect(isExecutable(program)).toBe(true);
  expect(execFileSync(program, ['--version'], { encoding: 'utf8' }).trim()).toBe(version);
});
