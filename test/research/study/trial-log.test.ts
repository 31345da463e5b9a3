// The file of a study: torn lines are cut at every byte, damaged ones are refused, and one process writes at a time.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TrialLine, readTrialLine, trialLineText } from '../../../src/research/study/trial-lines.ts';
import { TrialLog, readTrialLines } from '../../../src/research/study/trial-log.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const HASH = 'ab'.repeat(32);
const LINES: readonly TrialLine[] = [
  { kind: 'proposed', n: 0, hash: HASH, params: { x: 1.5, mode: 'é"\n', isOn: true } },
  { kind: 'failed', n: 0, hash: HASH, reason: 'strategy', error: 'it threw', spentMs: 12 },
];
const file = (): string => join(folder, 'trials.jsonl');
const write = (lines: readonly TrialLine[]): void => {
  const log = new TrialLog(folder);
  for (const line of lines) log.append(line);
  log.close();
};

describe('a line of a study', () => {
  it('is read back as it was written', () => {
    for (const line of LINES) expect(readTrialLine(trialLineText(line).trimEnd())).toEqual(line);
  });

  it('is refused when any of its bytes differs', () => {
    const text = trialLineText(LINES[0]!).trimEnd();
    for (let at = 0; at < text.length; at += 1) {
      const other = text[at] === '1' ? '2' : '1';
      expect(readTrialLine(text.slice(0, at) + other + text.slice(at + 1)), `byte ${at}`).toBeNull();
    }
  });
});

describe('the file of a study', () => {
  it('loses only the torn part of its last line, wherever it was cut', () => {
    write(LINES);
    const bytes = readFileSync(file());
    const first = bytes.indexOf(10) + 1;
    for (let size = 0; size < bytes.length; size += 1) {
      writeFileSync(file(), bytes.subarray(0, size));
      const log = new TrialLog(folder);
      expect(log.opened).toEqual(size < first ? [] : LINES.slice(0, 1));
      expect(log.cutBytes).toBe(size < first ? size : size - first);
      for (const line of LINES.slice(log.opened.length)) log.append(line);
      log.close();
      expect(readFileSync(file())).toEqual(bytes);
    }
  });

  it('keeps no part of a line for which the disk had no room, also when a trial ends after it', () => {
    const [first, end] = LINES;
    const text = trialLineText(first!);
    const disk = new MemoryDisk();
    disk.faults = { capacityBytes: text.length + 60 };
    const log = new TrialLog('study', disk.open());
    log.append(first!);
    expect(() => log.append({ ...end!, error: 'x'.repeat(100) } as TrialLine)).toThrow(/trials\.jsonl: .*ENOSPC/);
    disk.faults = {};
    expect(() => log.append(end!)).toThrow(/ENOSPC/);
    log.close();
    const again = new TrialLog('study', disk.open());
    expect(again.opened).toEqual([first]);
    again.append(end!);
    again.close();
    expect(readTrialLines('study', disk.open())).toEqual(LINES);
  });

  it('is refused when a whole line is damaged, by its number', () => {
    write(LINES);
    const text = readFileSync(file(), 'utf8');
    writeFileSync(file(), text.replace('it threw', 'it drew'));
    expect(() => new TrialLog(folder)).toThrow(/trials\.jsonl:2: expected a line of a study, found damage/);
    // The lock was released.
    writeFileSync(file(), text);
    expect(readTrialLines(folder)).toEqual(LINES);
    write([]);
  });

  it('is refused when a line is missing or there twice, which would give later trials the parameters of others', () => {
    const OTHER = 'cd'.repeat(32);
    const [first, end] = LINES;
    const second: TrialLine = { kind: 'proposed', n: 1, hash: OTHER, params: { x: 2 } };
    const isMissing =
      /trials\.jsonl:1: expected the proposal of trial #0, found that of #1: a line is missing, or there twice$/;
    const isTwice =
      /trials\.jsonl:2: expected the proposal of trial #1, found that of #0: a line is missing, or there twice$/;
    const hasNoTrial =
      /trials\.jsonl:2: expected the end of a trial that is proposed above, found that of #0: a line is missing$/;
    for (const [lines, message] of [
      [[second], isMissing],
      [[first!, first!], isTwice],
      [[{ ...second, n: 0 }, end!], hasNoTrial],
    ] as const) {
      writeFileSync(file(), lines.map(trialLineText).join(''));
      expect(() => readTrialLines(folder)).toThrow(message);
      expect(() => new TrialLog(folder)).toThrow(message);
    }
  });

  it('is written by one process at a time, and read by any', () => {
    const log = new TrialLog(folder);
    log.append(LINES[0]!);
    expect(() => new TrialLog(folder)).toThrow(/is in use by process/);
    expect(readTrialLines(folder)).toEqual(LINES.slice(0, 1));
    log.close();
  });
});
