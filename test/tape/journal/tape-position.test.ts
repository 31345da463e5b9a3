// A reader that continues where another stopped gives exactly the entries that follow, while files are closed and packed.
import { describe, expect, it } from 'vitest';
import { deflatePacker } from '../../../src/tape/format/packed-block.ts';
import { TapeFault } from '../../../src/tape/format/tape-fault.ts';
import { sessionHeaders } from '../../../src/tape/journal/session-headers.ts';
import type { Storage } from '../../../src/tape/journal/storage.ts';
import { type TapePosition, TapeReader } from '../../../src/tape/journal/tape-reader.ts';
import { AT, frame, journalOn, place, start } from '../../support/tapes/journal-entries.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';

/** Reads on from a position; returns the numbers of the entries and the new position. */
function readOn(storage: Storage, after: TapePosition | null): { numbers: number[]; end: TapePosition | null } {
  const reader = new TapeReader(storage, after ? { after } : {});
  const numbers = [...reader.entries()].map(({ seq }) => seq);
  return { numbers, end: reader.endPosition };
}

const count = (to: number): number[] => Array.from({ length: to }, (_, at) => at + 1);

describe('reading on', () => {
  it.each([null, deflatePacker])('gives each entry once while the tape grows, packed or not', async (packer) => {
    const storage = new MemoryDisk().open();
    const journal = journalOn(storage, { segmentBytesMax: 1500, packer });
    journal.writeInput(start('s1'));
    let position: TapePosition | null = null;
    const found: number[] = [];
    for (let round = 0; round < 40; round++) {
      for (let line = 0; line <= round % 4; line++)
        journal.writeInput(frame(`{"n":"${'tape '.repeat(line * 9)}"}`, AT + round));
      if (round % 3 === 0) journal.writeCommands([place(round)]);
      else journal.flush();
      if (round % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
      const read = readOn(storage, position);
      found.push(...read.numbers);
      expect(found).toEqual(count(journal.seq));
      position = read.end;
    }
    expect(storage.listFiles().some((name) => name.endsWith('.gz'))).toBe(packer !== null);
    await journal.close('done');
    found.push(...readOn(storage, position).numbers);
    expect(found).toEqual(readOn(storage, null).numbers);
  });

  it('gives a line that was torn once it is whole', () => {
    const disk = new MemoryDisk();
    const storage = disk.open();
    const journal = journalOn(storage);
    journal.writeInput(start('s1'));
    journal.writeInput(frame('{"n":1}'));
    journal.flush();
    const [name = ''] = storage.listFiles();
    const whole = storage.readBytes(name, 0, storage.sizeOf(name));
    storage.truncateFile(name, whole.length - 5);
    const first = readOn(storage, null);
    expect(first.numbers).toEqual([1, 2]);
    storage.appendBytes(name, whole.subarray(whole.length - 5));
    expect(readOn(storage, first.end).numbers).toEqual([3]);
  });

  it.each([null, deflatePacker])(
    'says that a file was removed while the tape was read, as by a session that keeps no more',
    async (packer) => {
      const disk = new MemoryDisk();
      const storage = disk.open();
      const journal = journalOn(storage, { segmentBytesMax: 1500, packer });
      journal.writeInput(start('s1'));
      for (let line = 0; line < 99; line++) {
        journal.writeInput(frame(`{"n":"${'tape '.repeat(line)}"}`, AT + line));
        journal.flush();
      }
      await journal.close('done');
      const entries = new TapeReader(storage).entries();
      entries.next();
      const name = storage.listFiles()[2] ?? '';
      disk.delete(name);
      expect(() => [...entries]).toThrow(`memory: ${name} was removed while the tape was read`);
    },
  );

  it('faults when its file has gone, and when the lines do not follow', async () => {
    const storage = new MemoryDisk().open();
    const journal = journalOn(storage, { segmentBytesMax: 1000 });
    journal.writeInput(start('s1'));
    journal.flush();
    const { end } = readOn(storage, null);
    if (end === null) throw new Error('no position');
    for (let n = 0; n < 30; n++) journal.writeInput(frame(`{"n":${n}}`));
    await journal.close('done');
    expect(() => readOn(storage, { ...end, chain: end.chain ^ 1 })).toThrow(TapeFault);
    storage.removeEntry(storage.listFiles()[0] ?? '');
    expect(() => readOn(storage, end)).toThrow('expected the file that was being read');
  });
});

describe('the sessions of a tape', () => {
  it('are found without reading every file', async () => {
    const disk = new MemoryDisk();
    for (const session of ['s1', 's2', 's3']) {
      const journal = journalOn(disk.open(), { segmentBytesMax: 300 });
      journal.writeInput(start(session, AT + Number(session.slice(1))));
      for (let n = 0; n < 40; n++) journal.writeInput(frame(`{"n":${n},"of":"${session}"}`, AT + 10 * n));
      for (let n = 0; n < 40 * (session === 's2' ? 1 : 2); n++) {
        journal.writeInput(frame(`{"n":${n}}`, AT + 1000));
        journal.flush();
      }
      await journal.close('done');
    }
    const storage = disk.open();
    const read = new Set<string>();
    const readInto = storage.readInto.bind(storage);
    storage.readInto = (name, from, memory) => {
      read.add(name);
      return readInto(name, from, memory);
    };
    expect(sessionHeaders(storage).map(({ session, hash }) => [session, hash])).toEqual([
      ['s1', 'a0'],
      ['s2', 'a0'],
      ['s3', 'a0'],
    ]);
    expect(read.size).toBeLessThan(storage.listFiles().length / 2);
  });
});
