// The storage port, on a real folder and on the memory disk: one suite for both; then what only one of them can do.
import fs, { existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fileStorage } from '../../src/tape/file-storage.ts';
import { type Storage, StorageFault } from '../../src/tape/storage.ts';
import { DiskDeath, MemoryDisk, memoryStorage } from '../support/memory-storage.ts';

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'presage-tape-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The folders that are synced while something is done. */
function syncedBy(act: () => void): string[] {
  const real = fs.fdatasyncSync;
  const synced: string[] = [];
  fs.fdatasyncSync = (fd) => {
    synced.push(readlinkSync(`/proc/self/fd/${fd}`));
    real(fd);
  };
  syncBuiltinESMExports();
  try {
    act();
  } finally {
    fs.fdatasyncSync = real;
    syncBuiltinESMExports();
  }
  return synced;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (storage: Storage, name: string): string => new TextDecoder().decode(storage.read(name, 0, 1000));

describe.each([
  { kind: 'a folder', make: () => fileStorage(join(newFolder(), 'deep', 'er')) },
  { kind: 'a memory disk', make: memoryStorage },
])('a storage on $kind', ({ make }) => {
  it('has no files before the first append', () => {
    expect(make().list()).toEqual([]);
  });

  it('appends, reads back any range, and lists by name', () => {
    const storage = make();
    storage.append('b', bytes('hello '));
    storage.append('a', bytes('x'));
    storage.append('b', bytes('world'));
    expect(storage.list()).toEqual(['a', 'b']);
    expect(storage.size('b')).toBe(11);
    expect(new TextDecoder().decode(storage.read('b', 4, 4))).toBe('o wo');
    expect(storage.read('b', 9, 100)).toHaveLength(2);
    expect(storage.read('b', 11, 100)).toHaveLength(0);
    storage.close();
  });

  it('fills memory from any place, as far as the file goes', () => {
    const storage = make();
    storage.append('a', bytes('hello world'));
    const memory = bytes('..........');
    expect(storage.fill('a', 4, memory.subarray(1, 5))).toBe(4);
    expect(new TextDecoder().decode(memory)).toBe('.o wo.....');
    expect(storage.fill('a', 9, memory)).toBe(2);
    expect(new TextDecoder().decode(memory)).toBe('ld wo.....');
    expect(storage.fill('a', 11, memory)).toBe(0);
    expect(() => storage.fill('nothing', 0, memory)).toThrow(/nothing/);
    storage.close();
  });

  it('goes on at the end after a cut', () => {
    const storage = make();
    storage.append('a', bytes('whole torn'));
    storage.truncate('a', 6);
    storage.append('a', bytes('again'));
    expect(text(storage, 'a')).toBe('whole again');
    storage.close();
  });

  it('renames and replaces files in one step, and goes on appending to others', () => {
    const storage = make();
    storage.append('old', bytes('1'));
    storage.append('other', bytes('2'));
    storage.rename('old', 'new');
    storage.append('other', bytes('3'));
    storage.replace('other', bytes('4'));
    storage.replace('fresh', bytes('5'));
    expect(storage.list()).toEqual(['fresh', 'new', 'other']);
    expect([text(storage, 'new'), text(storage, 'other'), text(storage, 'fresh')]).toEqual(['1', '4', '5']);
    storage.close();
  });

  it('removes a file, and does not mind one that is not there', async () => {
    const storage = make();
    storage.append('a', bytes('1'));
    storage.sync('a');
    await storage.settle('a');
    storage.remove('a');
    storage.remove('a');
    expect(storage.list()).toEqual([]);
    storage.append('a', bytes('2'));
    expect(text(storage, 'a')).toBe('2');
    storage.close();
  });

  it('says which file is not there', () => {
    const storage = make();
    expect(() => storage.size('nothing')).toThrow(StorageFault);
    expect(() => storage.read('nothing', 0, 1)).toThrow(/nothing/);
    expect(() => storage.truncate('nothing', 0)).toThrow(/nothing/);
  });
});

describe('a folder', () => {
  it('is readable by its owner alone', () => {
    const folder = join(newFolder(), 'journal');
    const storage = fileStorage(folder);
    storage.append('a', bytes('1'));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o600);
    storage.close();
  });

  it('is claimed by one at a time', () => {
    const folder = newFolder();
    const first = fileStorage(folder);
    first.claim();
    expect(() => fileStorage(folder).claim()).toThrow(`is in use by process ${process.pid}`);
    expect(first.list()).toEqual([]);
    first.close();
    expect(existsSync(join(folder, 'lock'))).toBe(false);
    const second = fileStorage(folder);
    second.claim();
    second.close();
  });

  it('is refused while another living process has it, and taken over from a dead one', () => {
    const folder = newFolder();
    const lock = join(folder, 'lock');
    const parent = readFileSync(`/proc/${process.ppid}/stat`, 'latin1');
    const bornAt = parent.slice(parent.lastIndexOf(')') + 2).split(' ')[19];
    writeFileSync(lock, `${process.ppid} ${bornAt}\n`);
    expect(() => fileStorage(folder).claim()).toThrow(`is in use by process ${process.ppid}`);
    // The number has been given to another since; no process has the second; the third was written by half.
    for (const left of [`${process.ppid} 1\n`, '4194304 1\n', `${process.ppid}`]) {
      writeFileSync(lock, left);
      // What is written by half only just may be whole soon.
      utimesSync(lock, 1000, 1000);
      const storage = fileStorage(folder);
      storage.claim();
      expect(readFileSync(lock, 'utf8')).toMatch(new RegExp(`^${process.pid} \\d+\n$`));
      storage.close();
    }
  });

  it('is refused while the lock is being written, and when the lock is no plain file', () => {
    const folder = newFolder();
    const lock = join(folder, 'lock');
    writeFileSync(lock, '');
    expect(() => fileStorage(folder).claim()).toThrow('is in use by process ?');
    rmSync(lock);
    writeFileSync(join(folder, 'elsewhere'), 'precious');
    symlinkSync(join(folder, 'elsewhere'), lock);
    expect(() => fileStorage(folder).claim()).toThrow('expected a plain file, found something else');
    expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('precious');
  });

  it('gives back no lock but its own', () => {
    const folder = newFolder();
    const storage = fileStorage(folder);
    storage.claim();
    rmSync(join(folder, 'lock'));
    writeFileSync(join(folder, 'lock'), 'another’s');
    storage.close();
    expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe('another’s');
  });

  it('is on the platter with the name of each new file in it, and of each new folder', () => {
    const top = newFolder();
    const folder = join(top, 'deep', 'er');
    const storage = fileStorage(folder);
    const synced = syncedBy(() => {
      storage.append('a', bytes('1'));
      storage.append('b', bytes('2'));
    });
    expect(synced).toEqual([join(top, 'deep'), top, folder, folder]);
    expect(syncedBy(() => storage.append('a', bytes('3')))).toEqual([]);
    storage.close();
    const again = fileStorage(folder);
    expect(syncedBy(() => again.append('a', bytes('4')))).toEqual([]);
    expect(text(again, 'a')).toBe('134');
    again.close();
  });

  it('that is removed while it is in use is not made again', () => {
    const folder = join(newFolder(), 'journal');
    const storage = fileStorage(folder);
    storage.append('a', bytes('1'));
    rmSync(folder, { recursive: true });
    expect(() => storage.append('b', bytes('2'))).toThrow(/b: cannot be written: ENOENT/);
    expect(() => storage.replace('c', bytes('3'))).toThrow(/c: cannot be written: ENOENT/);
    expect(existsSync(folder)).toBe(false);
  });

  it('writes no file through a link that bears the name of the next one', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'elsewhere'), 'precious');
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'a.new'));
    const storage = fileStorage(folder);
    storage.replace('a', bytes('1'));
    expect(text(storage, 'a')).toBe('1');
    expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('precious');
  });

  it('lets nothing be done once its check fails', () => {
    const folder = newFolder();
    let isHeld = true;
    const storage = fileStorage(folder, () => {
      if (!isHeld) throw new StorageFault(folder, 'was removed');
    });
    storage.replace('a', bytes('1'));
    isHeld = false;
    for (const act of [
      () => storage.list(),
      () => storage.names(),
      () => storage.changedAtMs(),
      () => storage.replace('a', bytes('2')),
      () => storage.remove('a'),
    ])
      expect(act).toThrow('was removed');
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('1');
  });

  it('gives the system’s word when it cannot be written', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'file'), '');
    const caught = (() => {
      try {
        fileStorage(join(folder, 'file')).append('a', bytes('1'));
      } catch (fault) {
        return fault;
      }
      return null;
    })();
    expect(caught).toBeInstanceOf(StorageFault);
    expect(caught).toMatchObject({ code: 'EEXIST', path: join(folder, 'file', 'a') });
  });
});

describe('a memory disk', () => {
  it('is full after so many bytes, having written what fits', () => {
    const disk = new MemoryDisk();
    disk.faults.capacityBytes = 8;
    const storage = disk.open();
    storage.append('a', bytes('12345'));
    expect(() => storage.append('a', bytes('67890'))).toThrow(/ENOSPC/);
    expect(text(storage, 'a')).toBe('12345678');
    storage.truncate('a', 5);
    storage.append('a', bytes('abc'));
    expect(text(storage, 'a')).toBe('12345abc');
  });

  it('dies in the middle of a write, and what had been written is there for the next process', () => {
    const disk = new MemoryDisk();
    const storage = disk.open();
    disk.faults.dieAfterBytes = 7;
    storage.append('a', bytes('12345'));
    expect(() => storage.append('a', bytes('67890'))).toThrow(DiskDeath);
    expect(() => storage.list()).toThrow(DiskDeath);
    expect(text(disk.open(), 'a')).toBe('1234567');
    expect(() => storage.append('a', bytes('late'))).toThrow(DiskDeath);
  });

  it('dies between two operations', () => {
    const disk = new MemoryDisk();
    const storage = disk.open();
    disk.faults.dieBeforeOperation = 1;
    storage.append('a', bytes('1'));
    expect(() => storage.rename('a', 'b')).toThrow(DiskDeath);
    expect(disk.open().list()).toEqual(['a']);
  });

  it('tears the last write afterwards', () => {
    const disk = new MemoryDisk();
    const storage = disk.open();
    storage.append('a', bytes('first\n'));
    storage.append('a', bytes('second\n'));
    disk.tearLastWrite(3);
    expect(text(disk.open(), 'a')).toBe('first\nsec');
  });
});
