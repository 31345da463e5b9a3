// The data folder of a running bot is refused when others may write to it, and its removal or replacement is noticed.
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderGuard, refuseWritableFolder } from '../../../src/runtime/saved/data-folder.ts';
import { StorageFault } from '../../../src/tape/journal/storage.ts';

let top = '';
let folder = '';
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'presage-data-'));
  folder = join(top, 'bot');
  mkdirSync(join(folder, 'journal'), { recursive: true });
  writeFileSync(join(folder, 'journal', 'lock'), '1\n');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

describe('a data folder', () => {
  it.each([0o777, 0o775, 0o722, 0o702])('a folder with mode %o is refused, with the remedy', (mode) => {
    chmodSync(folder, mode);
    expect(() => refuseWritableFolder(folder)).toThrow(StorageFault);
    expect(() => refuseWritableFolder(folder)).toThrow(
      `${folder}: expected a folder that only its owner may write, found mode ${mode.toString(8)} (chmod 700 it)`,
    );
  });

  it('a folder is refused when others may write to one of its subfolders', () => {
    chmodSync(join(folder, 'journal'), 0o777);
    expect(() => refuseWritableFolder(folder)).toThrow(/bot\/journal: expected .* mode 777/);
  });

  it.each([0o700, 0o755, 0o750])('a folder with mode %o is accepted, and so is one that does not exist yet', (mode) => {
    chmodSync(folder, mode);
    expect(() => refuseWritableFolder(folder)).not.toThrow();
    expect(() => refuseWritableFolder(join(folder, 'other'))).not.toThrow();
  });
});

describe('a data folder that is no folder', () => {
  const file = (): string => join(folder, 'journal', 'lock');

  it('is refused when it is a file', () => {
    expect(() => refuseWritableFolder(file())).toThrow(StorageFault);
    expect(() => refuseWritableFolder(file())).toThrow(`${file()}: expected a folder, found a file`);
  });

  it('is refused when it lies below a file', () => {
    const below = join(file(), 'data', 'bot');
    expect(() => refuseWritableFolder(below)).toThrow(StorageFault);
    expect(() => refuseWritableFolder(below)).toThrow(
      `${file()}: expected a folder, because the data folder is ${below}, found a file`,
    );
  });
});

describe('a data folder in use', () => {
  const held = (): FolderGuard => new FolderGuard([folder, join(folder, 'journal'), join(folder, 'journal', 'lock')]);

  it('passes the check whatever is written in it', () => {
    const hold = held();
    writeFileSync(join(folder, 'HALT'), '');
    writeFileSync(join(folder, 'journal', 'lock'), '2\n');
    expect(() => hold.checkUnchanged()).not.toThrow();
    hold.closeFiles();
  });

  it('fails the check once it is removed', () => {
    const hold = held();
    rmSync(folder, { recursive: true });
    expect(() => hold.checkUnchanged()).toThrow(`${folder}: was removed while the bot ran`);
    hold.closeFiles();
  });

  it('fails the check at once when a new folder takes its place', () => {
    const hold = held();
    rmSync(folder, { recursive: true });
    mkdirSync(join(folder, 'journal'), { recursive: true });
    writeFileSync(join(folder, 'journal', 'lock'), '1\n');
    expect(() => hold.checkUnchanged()).toThrow(`${folder}: was replaced by another while the bot ran`);
    hold.closeFiles();
  });

  it('fails the check once it is moved away', () => {
    const hold = held();
    renameSync(folder, join(top, 'aside'));
    expect(() => hold.checkUnchanged()).toThrow('was removed while the bot ran');
    hold.closeFiles();
  });

  it('fails the check when the lock of its journal belongs to another process', () => {
    const hold = held();
    const lock = join(folder, 'journal', 'lock');
    rmSync(lock);
    writeFileSync(lock, '2\n');
    expect(() => hold.checkUnchanged()).toThrow(`${lock}: was replaced by another while the bot ran`);
    hold.closeFiles();
  });
});
