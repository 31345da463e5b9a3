// The storage port, on a real folder and on the memory disk: one suite for both, then the features of each.
import fs, { existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { fileStorage } from '../../../src/tape/journal/file-storage.ts';
import { FolderLock } from '../../../src/tape/journal/folder-lock.ts';
import { type Storage, StorageFault } from '../../../src/tape/journal/storage.ts';
import { DiskDeath, MemoryDisk, memoryStorage } from '../../support/tapes/memory-storage.ts';

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'presage-tape-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The folders that are synced during an action. */
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
const text = (storage: Storage, name: string): string => new TextDecoder().decode(storage.readBytes(name, 0, 1000));

describe.each([
  { kind: 'a folder', make: () => fileStorage(join(newFolder(), 'deep', 'er')) },
  { kind: 'a memory disk', make: memoryStorage },
])('a storage on $kind', ({ make }) => {
  it('a storage has no files before the first append', () => {
    expect(make().listFiles()).toEqual([]);
  });

  it('a storage appends, reads back any range, and lists by name', () => {
    const storage = make();
    storage.appendBytes('b', bytes('hello '));
    storage.appendBytes('a', bytes('x'));
    storage.appendBytes('b', bytes('world'));
    expect(storage.listFiles()).toEqual(['a', 'b']);
    expect(storage.sizeOf('b')).toBe(11);
    expect(new TextDecoder().decode(storage.readBytes('b', 4, 4))).toBe('o wo');
    expect(storage.readBytes('b', 9, 100)).toHaveLength(2);
    expect(storage.readBytes('b', 11, 100)).toHaveLength(0);
    storage.close();
  });

  it('a storage fills memory from any offset, up to the end of the file', () => {
    const storage = make();
    storage.appendBytes('a', bytes('hello world'));
    const memory = bytes('..........');
    expect(storage.readInto('a', 4, memory.subarray(1, 5))).toBe(4);
    expect(new TextDecoder().decode(memory)).toBe('.o wo.....');
    expect(storage.readInto('a', 9, memory)).toBe(2);
    expect(new TextDecoder().decode(memory)).toBe('ld wo.....');
    expect(storage.readInto('a', 11, memory)).toBe(0);
    expect(() => storage.readInto('nothing', 0, memory)).toThrow(/nothing/);
    storage.close();
  });

  it('a storage continues at the end after a cut', () => {
    const storage = make();
    storage.appendBytes('a', bytes('whole torn'));
    storage.truncateFile('a', 6);
    storage.appendBytes('a', bytes('again'));
    expect(text(storage, 'a')).toBe('whole again');
    storage.close();
  });

  it('a storage renames and replaces files atomically, and continues to append to others', () => {
    const storage = make();
    storage.appendBytes('old', bytes('1'));
    storage.appendBytes('other', bytes('2'));
    storage.renameFile('old', 'new');
    storage.appendBytes('other', bytes('3'));
    storage.replaceFile('other', bytes('4'));
    storage.replaceFile('fresh', bytes('5'));
    expect(storage.listFiles()).toEqual(['fresh', 'new', 'other']);
    expect([text(storage, 'new'), text(storage, 'other'), text(storage, 'fresh')]).toEqual(['1', '4', '5']);
    storage.close();
  });

  it('a storage removes a file, and ignores a missing one', async () => {
    const storage = make();
    storage.appendBytes('a', bytes('1'));
    storage.syncFile('a');
    await storage.syncInBackground('a');
    storage.removeEntry('a');
    storage.removeEntry('a');
    expect(storage.listFiles()).toEqual([]);
    storage.appendBytes('a', bytes('2'));
    expect(text(storage, 'a')).toBe('2');
    storage.close();
  });

  it('a storage names a missing file', () => {
    const storage = make();
    expect(() => storage.sizeOf('nothing')).toThrow(StorageFault);
    expect(() => storage.readBytes('nothing', 0, 1)).toThrow(/nothing/);
    expect(() => storage.truncateFile('nothing', 0)).toThrow(/nothing/);
  });
});

describe('a folder', () => {
  it('a folder is readable by its owner only', () => {
    const folder = join(newFolder(), 'journal');
    const storage = fileStorage(folder);
    storage.appendBytes('a', bytes('1'));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o600);
    storage.close();
  });

  it('a lock that cannot be written is a fault of the folder, and leaves no file that would count as a lock', () => {
    const folder = newFolder();
    const real = fs.writeFileSync;
    fs.writeFileSync = () => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    };
    syncBuiltinESMExports();
    try {
      expect(() => FolderLock.acquire(folder)).toThrow(`${folder}: cannot be locked: ENOSPC`);
    } finally {
      fs.writeFileSync = real;
      syncBuiltinESMExports();
    }
    expect(existsSync(join(folder, 'lock'))).toBe(false);
    expect(() => FolderLock.acquire(join(folder, 'none'))).toThrow('none: cannot be locked: ENOENT');
  });

  it('a folder is locked by one owner at a time', () => {
    const folder = newFolder();
    const first = fileStorage(folder);
    first.lockFolder();
    expect(() => fileStorage(folder).lockFolder()).toThrow(`is in use by process ${process.pid}`);
    expect(first.listFiles()).toEqual([]);
    first.close();
    expect(existsSync(join(folder, 'lock'))).toBe(false);
    const second = fileStorage(folder);
    second.lockFolder();
    second.close();
  });

  it('a folder is refused while another living process holds it, and taken over from a dead one', () => {
    const folder = newFolder();
    const lock = join(folder, 'lock');
    const parent = readFileSync(`/proc/${process.ppid}/stat`, 'latin1');
    const bornAt = parent.slice(parent.lastIndexOf(')') + 2).split(' ')[19];
    writeFileSync(lock, `${process.ppid} ${bornAt}\n`);
    expect(() => fileStorage(folder).lockFolder()).toThrow(`is in use by process ${process.ppid}`);
    // The first process id has been reused; no process has the second; the third was written in part.
    for (const left of [`${process.ppid} 1\n`, '4194304 1\n', `${process.ppid}`]) {
      writeFileSync(lock, left);
      // A lock that was written in part just now may be complete soon.
      utimesSync(lock, 1000, 1000);
      const storage = fileStorage(folder);
      storage.lockFolder();
      expect(readFileSync(lock, 'utf8')).toMatch(new RegExp(`^${process.pid} \\d+\n$`));
      storage.close();
    }
  });

  it('a folder is refused while its lock is being written, and when the lock is not a plain file', () => {
    const folder = newFolder();
    const lock = join(folder, 'lock');
    writeFileSync(lock, '');
    expect(() => fileStorage(folder).lockFolder()).toThrow('is in use by process ?');
    rmSync(lock);
    writeFileSync(join(folder, 'elsewhere'), 'precious');
    symlinkSync(join(folder, 'elsewhere'), lock);
    expect(() => fileStorage(folder).lockFolder()).toThrow('expected a plain file, found something else');
    expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('precious');
  });

  it('a folder releases no lock but its own', () => {
    const folder = newFolder();
    const storage = fileStorage(folder);
    storage.lockFolder();
    rmSync(join(folder, 'lock'));
    writeFileSync(join(folder, 'lock'), 'another’s');
    storage.close();
    expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe('another’s');
  });

  it('a folder is synced with the name of each new file in it, and of each new folder', () => {
    const top = newFolder();
    const folder = join(top, 'deep', 'er');
    const storage = fileStorage(folder);
    const synced = syncedBy(() => {
      storage.appendBytes('a', bytes('1'));
      storage.appendBytes('b', bytes('2'));
    });
    expect(synced).toEqual([join(top, 'deep'), top, folder, folder]);
    expect(syncedBy(() => storage.appendBytes('a', bytes('3')))).toEqual([]);
    storage.close();
    const again = fileStorage(folder);
    expect(syncedBy(() => again.appendBytes('a', bytes('4')))).toEqual([]);
    expect(text(again, 'a')).toBe('134');
    again.close();
  });

  it('a folder that is removed while in use is not created again', () => {
    const folder = join(newFolder(), 'journal');
    const storage = fileStorage(folder);
    storage.appendBytes('a', bytes('1'));
    rmSync(folder, { recursive: true });
    expect(() => storage.appendBytes('b', bytes('2'))).toThrow(/b: cannot be written: ENOENT/);
    expect(() => storage.replaceFile('c', bytes('3'))).toThrow(/c: cannot be written: ENOENT/);
    expect(existsSync(folder)).toBe(false);
  });

  it('a folder writes no file through a link with the name of the next one', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'elsewhere'), 'precious');
    symlinkSync(join(folder, 'elsewhere'), join(folder, `${process.pid}-${threadId}.new`));
    const storage = fileStorage(folder);
    storage.replaceFile('a', bytes('1'));
    expect(text(storage, 'a')).toBe('1');
    expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('precious');
  });

  it('a folder allows no operation once its check fails', () => {
    const folder = newFolder();
    let isHeld = true;
    const storage = fileStorage(folder, () => {
      if (!isHeld) throw new StorageFault(folder, 'was removed');
    });
    storage.replaceFile('a', bytes('1'));
    isHeld = false;
    for (const act of [
      () => storage.listFiles(),
      () => storage.listNames(),
      () => storage.changedAtMs(),
      () => storage.replaceFile('a', bytes('2')),
      () => storage.removeEntry('a'),
    ])
      expect(act).toThrow('was removed');
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('1');
  });

  it("a folder reports the system's error code when it cannot be written", () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'file'), '');
    const caught = (() => {
      try {
        fileStorage(join(folder, 'file')).appendBytes('a', bytes('1'));
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
  it('a memory disk is full after a given number of bytes, having written those that fit', () => {
    const disk = new MemoryDisk();
    disk.faults.capacityBytes = 8;
    const storage = disk.open();
    storage.appendBytes('a', bytes('12345'));
    expect(() => storage.appendBytes('a', bytes('67890'))).toThrow(/ENOSPC/);
    expect(text(storage, 'a')).toBe('12345678');
    storage.truncateFile('a', 5);
    storage.appendBytes('a', bytes('abc'));
    expect(text(storage, 'a')).toBe('12345abc');
  });

  it('a memory disk crashes in the middle of a write and keeps the written bytes for the next process', () => {
    const disk = new MemoryDisk();
    const storage = disk.open();
    disk.faults.dieAfterBytes = 7;
    storage.appendBytes('a', bytes('12345'));
    expect(() => storage.appendBytes('a', bytes('67890'))).toThrow(DiskDeath);
    expect(() => storage.listFiles()).toThrow(DiskDeath);
    expect(text(disk.open(), 'a')).toBe('1234567');
    expect(() => storage.appendBytes('a', bytes('late'))).toThrow(DiskDeath);
  });

  it('a memory disk crashes between two operations', () => {
    const disk = new MemoryDisk();
    const storage = disk.open();
    disk.faults.dieBeforeOperation = 1;
    storage.appendBytes('a', bytes('1'));
    expect(() => storage.renameFile('a', 'b')).toThrow(DiskDeath);
    expect(disk.open().listFiles()).toEqual(['a']);
  });

  it('a memory disk tears the last write afterwards', () => {
    const disk = new MemoryDisk();
    const storage = disk.open();
    storage.appendBytes('a', bytes('first\n'));
    storage.appendBytes('a', bytes('second\n'));
    disk.tearLastWrite(3);
    expect(text(disk.open(), 'a')).toBe('first\nsec');
  });
});
