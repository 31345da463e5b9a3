// The files of a tape: closed when long or old, packed in the background, removed beyond the retention, and complete
// after a crash between any two steps.
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BLOCK_BYTES_MAX, type BlockPacker, deflatePacker } from '../../../src/tape/format/packed-block.ts';
import { TapeFault } from '../../../src/tape/format/tape-fault.ts';
import type { Entry } from '../../../src/tape/format/tape-line.ts';
import { TapeReader } from '../../../src/tape/journal/tape-reader.ts';
import { verifyTape } from '../../../src/tape/tools/verify-tape.ts';
import type { JournalOptions } from '../../../src/tape/journal/journal-writer.ts';
import type { JournalEntry } from '../../support/tapes/journal-entries.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';
import {
  AT,
  frame,
  journalOn,
  place,
  readAll,
  start,
  journalWithNotices,
  writeAll,
} from '../../support/tapes/journal-entries.ts';

const MINUTE = 60_000_000;

/** Ten orders, each in its own file when files are short. */
const things: readonly JournalEntry[] = [
  { input: start('s1') },
  ...Array.from({ length: 10 }, (_, id): JournalEntry[] => [
    { input: frame(`{"n":${id},"text":"${'tape '.repeat(20)}"}`, AT + id * MINUTE) },
    { commands: [place(id)] },
  ]).flat(),
];

async function write(disk: MemoryDisk, options: Partial<JournalOptions>): Promise<void> {
  const journal = journalOn(disk.open(), options);
  writeAll(journal, things);
  await journal.close('done');
}

interface ReadTape {
  readonly lines: string[];
  readonly fault: string | null;
}

/** Frames as texts: bytes are compared one by one. */
const withTexts = (entries: readonly JournalEntry[]): unknown[] =>
  entries.map((entry) =>
    'input' in entry && entry.input.type === 'frame'
      ? { ...entry.input, bytes: Buffer.from(entry.input.bytes).toString('latin1') }
      : entry,
  );

const lineOf = ({ seq, kind, payload }: Entry): string => `${seq} ${kind} ${payload.toString()}`;

function readInTurn(disk: MemoryDisk): ReadTape {
  const lines: string[] = [];
  try {
    for (const entry of new TapeReader(disk.open()).borrowedEntries()) lines.push(lineOf(entry));
  } catch (fault) {
    return { lines, fault: String(fault) };
  }
  return { lines, fault: null };
}

async function readAhead(disk: MemoryDisk): Promise<ReadTape> {
  const lines: string[] = [];
  try {
    for await (const run of new TapeReader(disk.open()).borrowedRuns())
      for (const entry of run) lines.push(lineOf(entry));
  } catch (fault) {
    return { lines, fault: String(fault) };
  }
  return { lines, fault: null };
}

describe('the files of a tape', () => {
  it('files are closed when they are long', async () => {
    const disk = new MemoryDisk();
    await write(disk, { segmentBytesMax: 1500 });
    expect(disk.fileNames().length).toBeGreaterThan(3);
    expect(Math.max(...disk.fileNames().map((name) => disk.read(name).length))).toBeLessThan(3000);
    expect(readAll(disk.open())).toEqual(things);
  });

  it("files are closed when they are old by the entries' own times", async () => {
    const disk = new MemoryDisk();
    await write(disk, { segmentAgeMax: 3 * MINUTE });
    expect(disk.fileNames()).toHaveLength(3);
    expect(readAll(disk.open())).toEqual(things);
  });

  it('each file can be read alone', async () => {
    const disk = new MemoryDisk();
    await write(disk, { segmentBytesMax: 1500 });
    for (const name of disk.fileNames()) {
      const alone = new MemoryDisk();
      alone.write(name, disk.read(name));
      const reader = new TapeReader(alone.open());
      expect([...reader.entries()].length).toBeGreaterThan(0);
      expect(reader.header?.session).toBe('s1');
    }
  });

  it('closed files are packed, so that any gunzip reads them', async () => {
    const disk = new MemoryDisk();
    const plain = new MemoryDisk();
    await write(plain, { segmentBytesMax: 1500 });
    await write(disk, { segmentBytesMax: 1500, packer: deflatePacker });
    expect(disk.fileNames()).toEqual(plain.fileNames().map((name) => `${name}.gz`));
    for (const name of plain.fileNames())
      expect(gunzipSync(disk.read(`${name}.gz`)).equals(plain.read(name)), name).toBe(true);
    expect(readAll(disk.open())).toEqual(things);
  });

  it.each([0, 1])('a file that is packed before its read %i is read to its end', async (reads) => {
    const long = (n: number): JournalEntry => ({ input: frame(`{"n":${n},"text":"${'tape '.repeat(2000)}"}`) });
    const entries = [{ input: start('s1') }, ...Array.from({ length: 60 }, (_, n) => long(n))];
    const [plain, packed] = [new MemoryDisk(), new MemoryDisk()];
    for (const [disk, packer] of [[plain, null] as const, [packed, deflatePacker] as const]) {
      const journal = journalOn(disk.open(), { packer });
      writeAll(journal, entries);
      await journal.close('done');
    }
    const storage = plain.open();
    let read = 0;
    const readInto = storage.readInto.bind(storage);
    storage.readInto = (...args) => {
      if (read++ === reads)
        for (const name of packed.fileNames()) {
          storage.appendBytes(name, packed.read(name));
          storage.removeEntry(name.replace('.gz', ''));
        }
      return readInto(...args);
    };
    expect(withTexts(readAll(storage))).toEqual(withTexts(entries));
    expect(read).toBeGreaterThan(reads);
  });

  it('long files are packed a block at a time, at the ends of lines', async () => {
    const disk = new MemoryDisk();
    const journal = journalOn(disk.open(), { packer: deflatePacker });
    for (let id = 0; id < 40_000; id++) journal.writeInput(frame(`{"n":${id},"text":"${'tape '.repeat(15)}"}`));
    await journal.close('done');
    const reader = new TapeReader(disk.open());
    expect([...reader.entries()].length).toBe(40_002);
    expect(gunzipSync(disk.read('00000001.tape.gz')).length).toBeGreaterThan(4 * 1024 * 1024);
  });

  it('a packed file is refused after any flipped bit', async () => {
    const disk = new MemoryDisk();
    const journal = journalOn(disk.open(), { packer: deflatePacker });
    journal.writeInput(start('s1'));
    journal.writeCommands([place(1)]);
    await journal.close('done');
    const [name = ''] = disk.fileNames();
    for (let bit = 0; bit < disk.read(name).length * 8; bit++) {
      disk.flipBit(name, bit);
      expect(() => [...new TapeReader(disk.open()).entries()], `bit ${bit}`).toThrow(TapeFault);
      disk.flipBit(name, bit);
    }
    expect(() => [...new TapeReader(disk.open()).entries()]).not.toThrow();
  });

  it('a flipped bit of a packed file is reported with its exact line, where that is possible', async () => {
    const disk = new MemoryDisk();
    const journal = journalOn(disk.open(), { packer: deflatePacker });
    for (let id = 0; id < 500; id++)
      journal.writeInput(frame(`{"n":${id * 7919},"text":"${(id * 104_729).toString(36)}"}`));
    await journal.close('done');
    const [name = ''] = disk.fileNames();
    const found = [0.2, 0.5, 0.8].map((share) => {
      const bit = Math.floor(disk.read(name).length * 8 * share);
      disk.flipBit(name, bit);
      const { fault } = verifyTape(disk.open());
      disk.flipBit(name, bit);
      return (fault?.line ?? 0) / 502;
    });
    expect(found[0]).toBeGreaterThan(0.1);
    expect(found[0]).toBeLessThan(0.3);
    expect(found[1]).toBeGreaterThan(0.4);
    expect(found[1]).toBeLessThan(0.6);
    expect(found[2]).toBeGreaterThan(0.7);
    expect(found[2]).toBeLessThan(0.9);
  });

  it('a broken block whose lines all fit is reported with its problem', async () => {
    const disk = new MemoryDisk();
    const journal = journalOn(disk.open(), { packer: deflatePacker });
    for (let id = 0; id < 40_000; id++) journal.writeInput(frame(`{"n":${id},"text":"${'tape '.repeat(15)}"}`));
    await journal.close('done');
    const [name = ''] = disk.fileNames();
    // The last block's length, as its end states it.
    disk.flipBit(name, disk.read(name).length * 8 - 8);
    expect(() => [...new TapeReader(disk.open()).entries()]).toThrow(
      /^00000001\.tape\.gz, line \d{5}, entry \d{5}: the packed block at byte \d+ that holds this line cannot be read: its unpacked bytes do not fit their length and checksum$/,
    );
  });

  it('runs whose blocks are unpacked ahead have the same entries, and end with the same fault', async () => {
    const disk = new MemoryDisk();
    const journal = journalOn(disk.open(), { packer: deflatePacker, segmentBytesMax: 3_000_000 });
    for (let id = 0; id < 40_000; id++) journal.writeInput(frame(`{"n":${id},"text":"${'tape '.repeat(15)}"}`));
    await journal.close('done');
    const names = disk.fileNames();
    expect(names.length).toBeGreaterThan(1);
    expect(await readAhead(disk)).toEqual(readInTurn(disk));
    for (const name of names)
      for (const share of [0.1, 0.4, 0.6, 0.9, 0.9999]) {
        const bit = Math.floor(disk.read(name).length * 8 * share);
        disk.flipBit(name, bit);
        const ahead = await readAhead(disk);
        expect(ahead).toEqual(readInTurn(disk));
        expect(ahead.fault).toContain(name);
        disk.flipBit(name, bit);
      }
  });

  it("a block that claims to be larger than any writer's is refused before it is unpacked", async () => {
    const disk = new MemoryDisk();
    disk.write('00000001.tape.gz', await deflatePacker(Buffer.alloc(BLOCK_BYTES_MAX + 1, 'x\n')));
    const before = process.memoryUsage().arrayBuffers;
    const { fault } = verifyTape(disk.open());
    expect(JSON.stringify(fault)).toContain(
      `expected at most ${BLOCK_BYTES_MAX} bytes in it, found a claim of ${BLOCK_BYTES_MAX + 1}`,
    );
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(BLOCK_BYTES_MAX / 2);
  });

  it('a packed line that does not end is refused', async () => {
    const disk = new MemoryDisk();
    const block = await deflatePacker(Buffer.alloc(BLOCK_BYTES_MAX / 2 + 1, 'x'));
    disk.write('00000001.tape.gz', Buffer.concat([block, block, block]));
    expect(JSON.stringify(verifyTape(disk.open()).fault)).toContain('found one that goes on');
  });

  it('a line longer than a block is packed in a block of its own', async () => {
    const disk = new MemoryDisk();
    const journal = journalOn(disk.open(), { packer: deflatePacker });
    for (const size of [10, 3_000_000, 20, 1_500_000]) journal.writeInput(frame(`{"text":"${'x'.repeat(size)}"}`));
    await journal.close('done');
    expect(disk.fileNames()).toEqual(['00000001.tape.gz']);
    expect([...new TapeReader(disk.open()).entries()]).toHaveLength(6);
  });

  it('a tape is complete after a crash between any two steps of closing and packing', async () => {
    const sizes = new Set<number>();
    for (let step = 0; step < 60; step++) {
      const disk = new MemoryDisk();
      const storage = disk.open();
      disk.faults.dieBeforeOperation = step;
      const journal = journalOn(storage, { segmentBytesMax: 1500, packer: deflatePacker });
      const done: JournalEntry[] = [];
      try {
        for (const thing of things) {
          writeAll(journal, [thing]);
          done.push(thing);
        }
        await journal.close('done');
      } catch {
        await journal.close('dead').catch(() => undefined);
      }
      // Frames may be buffered; commands never are.
      const lastCommands = done.findLastIndex((thing) => 'commands' in thing) + 1;
      const found = readAll(disk.open());
      expect(found, `step ${step}`).toEqual(things.slice(0, Math.max(found.length, lastCommands)));
      const next = journalOn(disk.open(), { packer: deflatePacker });
      next.writeInput(start('s2'));
      await next.close('done');
      expect(readAll(disk.open())).toEqual([...found, { input: start('s2') }]);
      expect(
        disk.fileNames().every((name) => /^\d{8}\.tape\.gz$/.test(name)),
        disk.fileNames().join(' '),
      ).toBe(true);
      sizes.add(found.length);
    }
    expect(sizes.size).toBeGreaterThan(5);
  });

  it('a file that cannot be packed stays as it was, and this is reported', async () => {
    const disk = new MemoryDisk();
    const { journal, notes } = journalWithNotices(disk.open(), {
      packer: () => Promise.reject(new Error('no thread')),
    });
    journal.writeInput(start('s1'));
    await journal.close('done');
    expect(notes).toEqual([{ type: 'not-packed', file: '00000001.tape', reason: 'no thread' }]);
    expect(disk.fileNames()).toEqual(['00000001.tape']);
  });

  it('files are packed by the next session when this one crashes first', async () => {
    const disk = new MemoryDisk();
    const dying = journalOn(disk.open());
    writeAll(dying, things);
    const { journal, notes } = journalWithNotices(disk.open(), { packer: deflatePacker });
    await journal.close('nothing happened');
    expect(notes.map(({ type }) => type)).toEqual(['packed']);
    expect(disk.fileNames()).toEqual(['00000001.tape.gz']);
  });
});

describe('a tape with a retention', () => {
  it('a tape loses its oldest files beyond its maximum size, reports it, and can be read from the rest', async () => {
    const disk = new MemoryDisk();
    const { journal, notes } = journalWithNotices(disk.open(), { segmentBytesMax: 1000, keep: { bytesMax: 3000 } });
    writeAll(journal, things);
    await journal.close('done');
    const removed = notes.filter(({ type }) => type === 'removed').map(({ file }) => file);
    expect(removed.length).toBeGreaterThan(2);
    expect(removed).toEqual(removed.toSorted());
    expect(removed[0]).toBe('00000001.tape');
    expect(disk.usedBytes).toBeLessThan(3000 + 2000);
    const left = readAll(disk.open());
    expect(left).toEqual(things.slice(-left.length));
  });

  it('a file that is removed while it is packed, or before, stays removed, and is no trouble', async () => {
    const disk = new MemoryDisk();
    let goOn = (): void => undefined;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const packer: BlockPacker = async (lines) => {
      begin();
      await gate;
      return deflatePacker(lines);
    };
    const options = { segmentBytesMax: 1000, keep: { bytesMax: 3000 }, packer };
    const { journal, notes } = journalWithNotices(disk.open(), options);
    const filled = Math.ceil(things.length / 4);
    writeAll(journal, things.slice(0, filled));
    await begun;
    writeAll(journal, things.slice(filled));
    goOn();
    await journal.close('done');
    const [first = ''] = disk.fileNames();
    const removed = notes.filter(({ type }) => type === 'removed').map(({ file }) => file);
    expect(removed.length).toBeGreaterThan(2);
    expect(removed.every((name) => name < first)).toBe(true);
    expect(notes.filter(({ type }) => type === 'not-packed')).toEqual([]);
    const left = readAll(disk.open());
    expect(left).toEqual(things.slice(-left.length));
  });

  it('a tape loses files whose last entry is too old', async () => {
    const disk = new MemoryDisk();
    const { journal, notes } = journalWithNotices(disk.open(), { segmentAgeMax: MINUTE, keep: { ageMax: 4 * MINUTE } });
    writeAll(journal, things);
    await journal.close('done');
    expect(notes.map(({ type }) => type)).toContain('removed');
    const [first] = [...new TapeReader(disk.open()).entries()];
    expect((first?.at ?? 0) - AT).toBeGreaterThanOrEqual(3 * MINUTE);
    expect((first?.at ?? 0) - AT).toBeLessThanOrEqual(6 * MINUTE);
  });
});
