// Folders for output: made with their parents, or refused with the error of the system.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../../src/app/make-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'presage-make-folder-'));
afterAll(() => rmSync(root, { recursive: true }));

describe('makeFolder', () => {
  it('makes a folder with its parents, and again without effect', () => {
    const folder = join(root, 'a', 'b', 'c');
    makeFolder(folder);
    makeFolder(folder);
    expect(statSync(folder).isDirectory()).toBe(true);
    const link = join(root, 'link');
    symlinkSync(join(root, 'a'), link);
    makeFolder(join(link, 'd'));
    expect(existsSync(join(root, 'a', 'd'))).toBe(true);
  });

  it('refuses a file in the place of the folder or of a parent', () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    expect(() => makeFolder(file)).toThrow('EEXIST');
    expect(() => makeFolder(join(file, 'a', 'b'))).toThrow(/EEXIST|ENOTDIR/);
  });

  // In a process of its own: a call that never returns would hang the test.
  it.skipIf(!existsSync('/proc/self'))('refuses a folder below /proc at once', () => {
    const { code } = transformSync(readFileSync('src/app/make-folder.ts', 'utf8'), { loader: 'ts', format: 'esm' });
    const script = `${code}; try { makeFolder('/proc/presage/a'); } catch (fault) { console.log(fault.code); }`;
    const args = ['--input-type=module', '-e', script];
    const { stdout } = spawnSync(process.execPath, args, { timeout: 60_000, encoding: 'utf8' });
    expect(stdout.trim()).toBe('ENOENT');
  });
});
