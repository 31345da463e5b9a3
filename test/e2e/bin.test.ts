// The built program is one that a shell may start by its name: `npx presage` in a clone that nobody has installed.
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './presage.ts';

it('may be executed once it is built', () => {
  const text = readFileSync(join(ROOT, 'package.json'), 'utf8');
  const { bin, version } = JSON.parse(text) as { bin: { presage: string }; version: string };
  const program = join(ROOT, bin.presage);
  // As the compiler leaves it.
  chmodSync(program, 0o644);
  execFileSync('npm', ['run', '--silent', 'postbuild'], { cwd: ROOT });
  expect(statSync(program).mode & 0o111).toBe(0o111);
  expect(execFileSync(program, ['--version'], { encoding: 'utf8' }).trim()).toBe(version);
});
