// The built program is one that a shell may start by either of its names: `npx presage` in a clone that is not installed anywhere.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './presage.ts';

const { bin, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly bin: Readonly<Record<string, string>>;
  readonly version: string;
};

it('has the names of the program and of the package', () => {
  expect(Object.keys(bin)).toEqual(['presage', 'presage-trading']);
});

it.each(Object.values(bin))('may be executed once it is built: %s', (file) => {
  const program = join(ROOT, file);
  expect(statSync(program).mode & 0o111).toBe(0o111);
  expect(execFileSync(program, ['--version'], { encoding: 'utf8' }).trim()).toBe(version);
});

it('starts its later processes from the build that it runs from itself, whatever is built meanwhile', async () => {
  const builds = join(ROOT, 'dist/builds');
  const { id } = JSON.parse(readFileSync(join(builds, 'newest.json'), 'utf8')) as { readonly id: string };
  const own = join(builds, id, 'src/cli');
  const built = (await import(join(own, 'program-file.js'))) as { readonly PROGRAM_FILE: string };
  expect(built.PROGRAM_FILE).toBe(join(own, 'main.js'));
  expect(existsSync(built.PROGRAM_FILE)).toBe(true);
});
