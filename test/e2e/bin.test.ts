// The built program can be started by both of its names, as `npx presage` does in a clone that is not installed.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './presage.ts';

const { bin, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly bin: Readonly<Record<string, string>>;
  readonly version: string;
};

it('package.json names the program “presage” and “presage-trading”', () => {
  expect(Object.keys(bin)).toEqual(['presage', 'presage-trading']);
});

it.each(Object.values(bin))('the built program is executable: %s', (file) => {
  const program = join(ROOT, file);
  expect(statSync(program).mode & 0o111).toBe(0o111);
  expect(execFileSync(program, ['--version'], { encoding: 'utf8' }).trim()).toBe(version);
});

it('starts further processes from its own build, even after a newer build', async () => {
  const builds = join(ROOT, 'dist/builds');
  const { id } = JSON.parse(readFileSync(join(builds, 'newest.json'), 'utf8')) as { readonly id: string };
  const own = join(builds, id, 'src/cli');
  const built = (await import(join(own, 'program-file.js'))) as { readonly PROGRAM_FILE: string };
  expect(built.PROGRAM_FILE).toBe(join(own, 'main.js'));
  expect(existsSync(built.PROGRAM_FILE)).toBe(true);
});
