// The journal's guarantees to its owner: input comes back unchanged, and damage is never accepted.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TapeFault } from '../../../src/tape/format/tape-fault.ts';
import { TapeReader } from '../../../src/tape/journal/tape-reader.ts';
import type { Storage } from '../../../src/tape/journal/storage.ts';
import { FakeScheduler } from '../../support/transport/fake-scheduler.ts';
import { DiskDeath, MemoryDisk } from '../../support/tapes/memory-storage.ts';
import {
  AT,
  MANIFEST,
  answer,
  frame,
  journalOn,
  place,
  read,
  readAll,
  start,
  journalWithNotices,
  writeAll,
  journalEntries,
} from '../../support/tapes/journal-entries.ts';

const faultOf = (storage: Storage): TapeFault | null => {
  try {
    for (const _ of new TapeReader(storage).entries());
    return null;
  } catch (fault) {
    if (fault instanceof TapeFault) return fault;
    throw fault;
  }
};

const kindsOf = (storage: Storage): string[] => [...new TapeReader(storage).entries()].map(({ kind }) => kind);
const lineOf = (bytes: Uint8Array, at: number): number =>
  bytes.subarray(0, at).filter((byte) => byte === 10).length + 1;

/** A closed tape of one file. */
async function someTape(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const journal = journalOn(disk.open());
  journal.writeInput(start('s1'));
  journal.writeCommands([read(1), place(2)]);
  journal.writeInput(frame('{"type":"ticker","n":1}'));
  journal.writeInput(frame('{"type":"ticker","n":2}'));
  journal.writeInput(answer(place(2), { type: 'unknown', reason: 'timeout' }));
  journal.writeCommands([read(3)]);
  await journal.close('done');
  return disk;
}
const ONLY = '00000001.tape';

describe('a journal', () => {
  it('a journal returns all entries in order', () => {
    fc.assert(
      fc.property(journalEntries, fc.integer({ min: 200, max: 5000 }), (things, segmentBytesMax) => {
        const disk = new MemoryDisk();
        const journal = journalOn(disk.open(), { segmentBytesMax });
        writeAll(journal, things);
        journal.flush();
        expect(readAll(disk.open())).toEqual(things);
      }),
    );
  });

  it('a journal begins with a header of the session and its manifest, and ends with the reason of its end', async () => {
    const disk = await someTape();
    const [first, ...others] = [...new TapeReader(disk.open()).entries()].map((entry) => ({
      kind: entry.kind,
      seq: entry.seq,
      payload: JSON.parse(entry.kind.startsWith('frame') ? '0' : entry.payload.toString()) as unknown,
    }));
    const header = { form: 1, segment: 1, session: 's1', of: 'journal', chain: 0, manifest: MANIFEST };
    expect(first).toEqual({ kind: 'segment', seq: 1, payload: header });
    expect(others.at(-1)).toEqual({ kind: 'end', seq: 8, payload: { reason: 'done' } });
  });

  it('a journal keeps a frame unchanged, and in base64 when it is not one line of text', () => {
    const disk = new MemoryDisk();
    const journal = journalOn(disk.open());
    journal.writeInput(frame('{"a":"é"}'));
    journal.writeInput(frame('two\nlines'));
    journal.writeInput({ ...frame(''), bytes: new Uint8Array([0xff]) } as never);
    journal.flush();
    const text = new TextDecoder().decode(disk.read(ONLY));
    expect(text).toContain(' frame {"a":"é"}\n');
    expect(text).toContain(' frame64 dHdvCmxpbmVz\n');
    expect(text).toContain(' frame64 /w==\n');
  });

  it('a journal has written an order, and everything before it, when its command was accepted', () => {
    const disk = new MemoryDisk();
    const journal = journalOn(disk.open());
    journal.writeInput(start('s1'));
    journal.writeInput(frame('{"n":1}'));
    journal.writeCommands([place(1)]);
    disk.killProcess();
    expect(kindsOf(disk.open())).toEqual(['segment', 'event', 'frame', 'commands']);
  });

  it('a journal writes inputs without commands soon after, in one write', () => {
    const disk = new MemoryDisk();
    const timers = new FakeScheduler();
    const journal = journalOn(disk.open(), { timers });
    journal.writeInput(start('s1'));
    journal.writeInput(frame('{"n":1}'));
    expect(disk.fileNames()).toEqual([]);
    timers.advance(50);
    expect(disk.operations).toBe(1);
    expect(kindsOf(disk.open())).toEqual(['segment', 'event', 'frame']);
  });

  it('a journal writes at once when its buffer is large', () => {
    const disk = new MemoryDisk();
    const journal = journalOn(disk.open());
    journal.writeInput(frame('x'.repeat(65_536)));
    expect(disk.usedBytes).toBeGreaterThan(65_536);
  });

  it('a journal takes lines longer than its buffers', () => {
    const disk = new MemoryDisk();
    const journal = journalOn(disk.open());
    writeAll(journal, [{ input: start('s1') }, { input: frame('y'.repeat(3_000_000)) }, { input: frame('z') }]);
    journal.flush();
    const [, , long, last] = [...new TapeReader(disk.open()).entries()].map(({ payload }) => payload.toString());
    expect(long === 'y'.repeat(3_000_000)).toBe(true);
    expect(last).toBe('z');
  });

  it("a journal's copied and borrowed entries are equal, chunk after chunk", () => {
    const disk = new MemoryDisk();
    const journal = journalOn(disk.open());
    const texts = Array.from({ length: 4000 }, (_, number) => `${number} ${'z'.repeat((number * 37) % 700)}`);
    writeAll(journal, [{ input: start('s1') }, ...texts.map((text) => ({ input: frame(text) }))]);
    journal.flush();
    const own = [...new TapeReader(disk.open()).entries()].slice(2).map(({ payload }) => payload.toString());
    const borrowed: string[] = [];
    new TapeReader(disk.open()).forEachEntry(({ payload }) => borrowed.push(payload.toString()));
    expect(disk.usedBytes).toBeGreaterThan(1_000_000);
    expect(own).toEqual(texts);
    expect(borrowed.slice(2)).toEqual(texts);
  });

  it('a journal syncs before an order is sent when so configured, and for no cancel or read', () => {
    const disk = new MemoryDisk();
    const storage = disk.open();
    const synced: string[] = [];
    storage.syncFile = (name) => void synced.push(name);
    const journal = journalOn(storage, { sync: true });
    journal.writeInput(start('s1'));
    journal.writeCommands([read(1)]);
    expect(synced).toEqual([]);
    journal.writeCommands([read(2), place(3)]);
    expect(synced).toEqual([ONLY]);
  });

  it('a journal that syncs can be read after a crash of the machine that lost all that was not synced', () => {
    const disk = new MemoryDisk();
    const storage = disk.open();
    const synced = new Map<string, Uint8Array>();
    storage.syncFile = (name) => void synced.set(name, disk.read(name));
    const journal = journalOn(storage, { sync: true, segmentBytesMax: 3000 });
    journal.writeInput(start('s1'));
    for (let id = 1; id <= 40; id++) {
      for (let n = 0; n < id % 7; n++)
        journal.writeInput(frame(`{"type":"ticker","n":${n},"of":"${'x'.repeat(200)}"}`));
      journal.flush();
      if (id % 5 === 0) journal.writeCommands([place(id)]);
    }
    const crashed = new MemoryDisk();
    for (const name of disk.fileNames()) crashed.write(name, synced.get(name) ?? new Uint8Array());
    expect(crashed.fileNames().length).toBeGreaterThan(5);
    expect(kindsOf(crashed.open()).filter((kind) => kind === 'commands')).toHaveLength(8);
  });

  it('a journal continues in a new file after another session', async () => {
    const disk = await someTape();
    const journal = journalOn(disk.open());
    journal.writeInput(start('s2', AT + 5));
    await journal.close('done');
    const storage = disk.open();
    expect(faultOf(storage)).toBeNull();
    expect(storage.listFiles()).toEqual([ONLY, '00000002.tape']);
    expect([...new TapeReader(storage).entries()].map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(kindsOf(storage)).toHaveLength(11);
  });

  it('a journal leaves no file when it had no input', async () => {
    const disk = new MemoryDisk();
    await journalOn(disk.open()).close('nothing happened');
    expect(disk.fileNames()).toEqual([]);
  });

  it('a journal refuses input after it was closed', async () => {
    const journal = journalOn(new MemoryDisk().open());
    await journal.close('done');
    expect(() => journal.writeInput(frame('x'))).toThrow('is closed');
  });
});

describe('a damaged tape', () => {
  it('a tape is refused after any flipped bit, and the line is named', async () => {
    const disk = await someTape();
    const bytes = disk.read(ONLY);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      disk.flipBit(ONLY, bit);
      const fault = faultOf(disk.open());
      expect(fault, `bit ${bit}`).toBeInstanceOf(TapeFault);
      expect(fault).toMatchObject({ file: ONLY, line: lineOf(bytes, bit >> 3) });
      disk.flipBit(ONLY, bit);
    }
    expect(faultOf(disk.open())).toBeNull();
  });

  it('a tape is refused when a line is missing, doubled or out of place, and the line is named', async () => {
    const disk = await someTape();
    const lines = new TextDecoder().decode(disk.read(ONLY)).trimEnd().split('\n');
    const findLine = (changed: readonly string[]): number | null => {
      disk.write(ONLY, new TextEncoder().encode(changed.map((line) => `${line}\n`).join('')));
      return faultOf(disk.open())?.line ?? null;
    };
    for (let at = 0; at < lines.length; at++) {
      // A tape without its last line looks like one that was not closed: this cannot be detected.
      const isLast = at === lines.length - 1;
      expect(findLine(lines.toSpliced(at, 1)), `without ${at}`).toBe(isLast ? null : at + 1);
      expect(findLine(lines.toSpliced(at, 0, lines[at] ?? '')), `${at} twice`).toBe(at + 2);
      if (!isLast) expect(findLine(lines.toSpliced(at, 2, lines[at + 1] ?? '', lines[at] ?? ''))).toBe(at + 1);
    }
  });

  it('a fault names the entry, the expected and the found value', async () => {
    const disk = await someTape();
    const bytes = disk.read(ONLY);
    const at = new TextDecoder().decode(bytes).indexOf('"n":2');
    disk.flipBit(ONLY, at * 8 + 16);
    expect(faultOf(disk.open())?.message).toMatch(
      /^00000001\.tape, line 5, entry 5: expected checksum [0-9a-f]{8}, found [0-9a-f]{8}$/,
    );
  });

  it("a missing file, and a file in another's place, are detected", async () => {
    const disk = await someTape();
    for (const session of ['s2', 's3']) {
      const journal = journalOn(disk.open());
      journal.writeInput(start(session));
      await journal.close('done');
    }
    const [second, third] = [disk.read('00000002.tape'), disk.read('00000003.tape')];
    disk.delete('00000002.tape');
    expect(faultOf(disk.open())?.message).toContain('00000003.tape, entry 9: expected file 2 before it, found 1');
    disk.write('00000002.tape', third);
    expect(faultOf(disk.open())?.message).toContain('expected the header of file 2, found that of 3');
    disk.write('00000002.tape', second);
    expect(faultOf(disk.open())).toBeNull();
  });

  it('the next session refuses a damaged tape and changes nothing', async () => {
    const disk = await someTape();
    disk.flipBit(ONLY, 8 * 300);
    const before = disk.read(ONLY);
    const { operations } = disk;
    expect(() => journalOn(disk.open())).toThrow(TapeFault);
    expect(disk.operations).toBe(operations);
    expect(disk.read(ONLY)).toEqual(before);
  });
});

describe('after a crash in the middle of a write', () => {
  it('after a crash every whole line is there, the torn one is cut and reported, and the tape continues', () => {
    fc.assert(
      fc.property(journalEntries, fc.nat(3000), (things, dieAfterBytes) => {
        const disk = new MemoryDisk();
        const journal = journalOn(disk.open(), { segmentBytesMax: 700 });
        disk.faults.dieAfterBytes = dieAfterBytes;
        try {
          writeAll(journal, things);
          journal.flush();
        } catch (fault) {
          expect((fault as Error).cause).toBeInstanceOf(DiskDeath);
        }
        const survivors = readAll(disk.open());
        expect(survivors).toEqual(things.slice(0, survivors.length));
        const torn = new TapeReader(disk.open());
        for (const _ of torn.entries());
        const next = journalWithNotices(disk.open());
        expect(next.notes).toEqual(
          torn.tornTail === null ? [] : [{ type: 'cut', file: torn.tornTail.file, bytes: torn.tornTail.tornBytes }],
        );
        next.journal.writeInput(start('s2'));
        next.journal.flush();
        expect(readAll(disk.open())).toEqual([...survivors, { input: start('s2') }]);
      }),
    );
  });

  it('a tail torn at any byte leaves all whole lines', async () => {
    const whole = await someTape();
    const bytes = whole.read(ONLY);
    for (let length = 0; length <= bytes.length; length++) {
      const disk = new MemoryDisk();
      disk.write(ONLY, bytes.subarray(0, length));
      const lines = bytes.subarray(0, length).filter((byte) => byte === 10).length;
      expect([...new TapeReader(disk.open()).entries()]).toHaveLength(lines);
      const { journal } = journalWithNotices(disk.open());
      journal.writeInput(start('s2'));
      journal.flush();
      expect(faultOf(disk.open())).toBeNull();
      expect([...new TapeReader(disk.open()).entries()]).toHaveLength(lines + 2);
    }
  });
});

describe('a journal on a full disk', () => {
  const fill = (capacityBytes: number) => {
    const disk = new MemoryDisk();
    disk.faults.capacityBytes = capacityBytes;
    const journal = journalOn(disk.open());
    const caught = (() => {
      try {
        journal.writeInput(start('s1'));
        for (let id = 1; id < 100; id++) journal.writeCommands([place(id)]);
      } catch (fault) {
        return fault;
      }
      return null;
    })();
    return { disk, journal, caught };
  };

  it('a journal throws when the disk is full, and at every later call', () => {
    const { journal, caught } = fill(2000);
    expect(caught).toBeInstanceOf(TapeFault);
    expect(caught).toMatchObject({ file: ONLY });
    expect(String(caught)).toContain('ENOSPC');
    expect(() => journal.writeInput(frame('x'))).toThrow(caught);
    expect(() => journal.writeCommands([])).toThrow(caught);
    expect(() => journal.flush()).toThrow(caught);
  });

  it('a journal keeps every whole line and no part of one, at whatever byte the disk is full', () => {
    const whole = fill(Infinity).disk.read(ONLY);
    for (let capacityBytes = 0; capacityBytes < 3000; capacityBytes += 7) {
      const { disk } = fill(capacityBytes);
      const fits = whole.subarray(0, capacityBytes).lastIndexOf(10) + 1;
      expect(Buffer.compare(disk.read(ONLY), whole.subarray(0, fits)), `full at ${capacityBytes}`).toBe(0);
    }
  });

  it('a failed background write is reported at the next call', () => {
    const disk = new MemoryDisk();
    disk.faults.capacityBytes = 10;
    const timers = new FakeScheduler();
    const journal = journalOn(disk.open(), { timers });
    journal.writeInput(frame('x'));
    timers.advance(1000);
    expect(() => journal.writeInput(frame('y'))).toThrow(/ENOSPC/);
  });

  it('a failed journal closes without another error', async () => {
    const { journal } = fill(500);
    await expect(journal.close('fault')).resolves.toBeUndefined();
  });
});
