// Folders for output: made with their parents, or refused with the error of the system.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../../src/log/make-folder.ts';
import { FolderStore } from '../../src/research/artifacts/folder-store.ts';
import { fileStorage } from '../../src/tape/journal/file-storage.ts';

const root = mkdtempSync(join(tmpdir(), 'presage-make-folder-'));
afterAll(() => rmSync(root, { recursive: true }));

describe('makeFolder', () => {
  it('makes a folder with its parents, and again without effect', () => {
    const folder = join(root, 'a', 'b', 'c');
    expect(makeFolder(folder, 0o700)).toBe(join(root, 'a'));
    expect(makeFolder(folder)).toBeUndefined();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
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
    const { code } = transformSync(readFileSync('src/log/make-folder.ts', 'utf8'), { loader: 'ts', format: 'esm' });
    const script = `${code}; try { makeFolder('/proc/presage/a'); } catch (fault) { console.log(fault.code); }`;
    const args = ['--input-type=module', '-e', script];
    const { stdout } = spawnSync(process.execPath, args, { timeout: 60_000, encoding: 'utf8' });
    expect(stdout.trim()).toBe('ENOENT');
  });

  it.skipIf(!existsSync('/proc/self'))('is refused by a store and by a locked folder below /proc', async () => {
    const folder = '/proc/presage/folder';
    expect(() => fileStorage(folder).lockFolder()).toThrow(/cannot be made/);
    const file = join(root, 'tape');
    writeFileSync(file, 'tape');
    const added = new FolderStore(folder).addFile('a'.repeat(64), file);
    await expect(added).rejects.toThrow(/^store \/proc\/presage\/folder: cannot be written: ENOENT/);
  });
});
