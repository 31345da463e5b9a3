// The disk that a bot uses, from the files of its data folder.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diskUse } from '../../../src/app/operate/disk-use.ts';
import { diskLine } from '../../../src/cli/show/status-text.ts';

const HOUR_MS = 3_600_000;
/** Later than the birth of every file of the test. */
const NOW_MS = Date.now() + 1000 * HOUR_MS;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-disk-'));
  mkdirSync(join(folder, 'journal'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a journal file of a size that was changed some hours ago. */
function addFile(name: string, bytes: number, hoursAgo: number): void {
  const file = join(folder, 'journal', name);
  writeFileSync(file, 'x'.repeat(bytes));
  const seconds = (NOW_MS - hoursAgo * HOUR_MS) / 1000;
  utimesSync(file, seconds, seconds);
}

describe('the disk that a bot uses', () => {
  it('grows by the files of the last day, counted from the change before', () => {
    addFile('1.tape.gz', 9000, 48);
    addFile('2.tape.gz', 5000, 30);
    addFile('3.tape.gz', 700, 10);
    addFile('4.tape', 50, 0);
    const { journalBytes, journalBytesPerDay, freeBytes } = diskUse(folder, NOW_MS);
    expect(journalBytes).toBe(14_750);
    // 750 bytes in the 30 hours since file 2.
    expect(journalBytesPerDay).toBe(600);
    expect(freeBytes).toBeGreaterThan(0);
  });

  it('has no rate while the journal is younger than a minute, or nothing was written in a day', () => {
    writeFileSync(join(folder, 'journal', '1.tape'), 'x');
    expect(diskUse(folder).journalBytesPerDay).toBeNull();
    addFile('1.tape', 100, 25);
    expect(diskUse(folder, NOW_MS).journalBytesPerDay).toBeNull();
  });

  it('is nothing where there is no folder', () => {
    expect(diskUse(join(folder, 'none'))).toEqual({ journalBytes: 0, journalBytesPerDay: null, freeBytes: null });
  });

  it('is one line for people', () => {
    expect(diskLine({ journalBytes: 1_200_000, journalBytesPerDay: 600_000_000, freeBytes: 40e9 })).toBe(
      'disk     journal 1.2 MB, 600.0 MB a day; 40.0 GB left on the disk',
    );
    expect(diskLine({ journalBytes: 0, journalBytesPerDay: null, freeBytes: null })).toBe(
      'disk     journal 0 B, too young for a rate; the disk’s free space is not known',
    );
  });
});
