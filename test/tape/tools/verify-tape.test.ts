// Verification of a tape: its sessions, their counts, and the first damaged entry.
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/units.ts';
import { deflatePacker } from '../../../src/tape/format/packed-block.ts';
import { verifyTape } from '../../../src/tape/tools/verify-tape.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';
import { AT, MANIFEST, answer, frame, journalOn, place, start } from '../../support/tapes/journal-entries.ts';

async function twoSessions(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const first = journalOn(disk.open(), { packer: deflatePacker });
  first.writeInput(start('s1'));
  first.writeInput({ type: 'feed-up', at: micros(AT + 1), connection: 1 });
  first.writeInput(frame('{}', AT + 2));
  first.writeCommands([place(1)]);
  first.writeInput(answer(place(1), { type: 'unknown', reason: 'x' }, AT + 3));
  first.writeInput({ type: 'feed-down', at: micros(AT + 4), reason: 'closed' });
  first.writeInput({ type: 'feed-up', at: micros(AT + 6), connection: 2 });
  first.writeInput({ type: 'feed-down', at: micros(AT + 8), reason: 'closed' });
  await first.close('stopped');
  const second = journalOn(disk.open());
  second.writeInput(start('s2', AT + 10));
  second.flush();
  return disk;
}

describe('a summary', () => {
  it("a summary has each session's kinds, time span, feed gaps, and reason of its end", async () => {
    const disk = await twoSessions();
    expect(verifyTape(disk.open())).toEqual({
      files: 2,
      bytes: disk.usedBytes,
      entries: 12,
      torn: null,
      fault: null,
      sessions: [
        {
          session: 's1',
          of: 'journal',
          firstSeq: 1,
          lastSeq: 10,
          from: AT,
          to: AT + 8,
          counts: { segment: 1, event: 1, 'feed-up': 2, frame: 1, commands: 1, answer: 1, 'feed-down': 2, end: 1 },
          isWhole: true,
          hash: MANIFEST.hash,
          version: MANIFEST.version,
          endedBy: 'stopped',
          gaps: [
            { from: AT + 4, to: AT + 6 },
            { from: AT + 8, to: null },
          ],
        },
        {
          session: 's2',
          of: 'journal',
          firstSeq: 11,
          lastSeq: 12,
          from: AT + 10,
          to: AT + 10,
          counts: { segment: 1, event: 1 },
          isWhole: true,
          hash: MANIFEST.hash,
          version: MANIFEST.version,
          endedBy: null,
          gaps: [],
        },
      ],
    });
  });

  it('a summary has a torn end, which is not a fault, and the first fault', async () => {
    const disk = await twoSessions();
    disk.tearLastWrite(20);
    expect(verifyTape(disk.open())).toMatchObject({
      torn: { file: '00000002.tape', wholeBytes: 0, tornBytes: 20 },
      fault: null,
    });
    disk.flipBit('00000001.tape.gz', 8 * 60);
    expect(verifyTape(disk.open())).toMatchObject({
      entries: 0,
      fault: { file: '00000001.tape.gz', line: 1, seq: null, what: expect.stringContaining('checksum') as string },
    });
  });
});
