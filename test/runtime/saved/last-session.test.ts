// A journal says how its last session ended: by itself, and how, or without an end because its process died.
import { describe, expect, it } from 'vitest';
import { type LastSession, readLastSession } from '../../../src/runtime/saved/last-session.ts';
import { deflatePacker } from '../../../src/tape/format/packed-block.ts';
import { AT, frame, journalOn, start } from '../../support/tapes/journal-entries.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';

const last = (disk: MemoryDisk): LastSession | null => readLastSession(disk.open());

describe('the last session of a journal', () => {
  it('is none in an empty folder', () => {
    expect(last(new MemoryDisk())).toBeNull();
  });

  it.each(['stopped', 'timed-out', 'fault'])('has ended by itself: %s', async (how) => {
    const disk = new MemoryDisk();
    const journal = journalOn(disk.open(), { packer: deflatePacker });
    journal.writeInput(start('s1'));
    journal.writeInput(frame('x', AT + 7));
    await journal.close(how);
    expect(last(disk)).toEqual({ session: 's1', end: how, at: AT + 7 });
  });

  it('has no end while it runs and after its process died, also behind one that stopped', async () => {
    const disk = new MemoryDisk();
    const first = journalOn(disk.open());
    first.writeInput(start('s1'));
    await first.close('stopped');
    const second = journalOn(disk.open());
    second.writeInput(start('s2', AT + 10));
    second.writeInput(frame('x', AT + 20));
    second.flush();
    expect(last(disk)).toEqual({ session: 's2', end: null, at: AT + 20 });
  });

  it('is read from the last file alone, and not from a file without a whole line', async () => {
    const disk = new MemoryDisk();
    const journal = journalOn(disk.open(), { segmentBytesMax: 1 });
    journal.writeInput(start('s1'));
    journal.flush();
    journal.writeInput(frame('x', AT + 5));
    journal.flush();
    await journal.close('stopped');
    disk.open().truncateFile('00000001.tape', 3);
    expect(last(disk)).toEqual({ session: 's1', end: 'stopped', at: AT + 5 });
    disk.open().appendBytes('00000004.tape', new TextEncoder().encode('a0 4'));
    expect(last(disk)).toEqual({ session: 's1', end: 'stopped', at: AT + 5 });
  });
});
