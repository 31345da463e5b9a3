// The facts of a data folder whose bot does not run, as they are read every second.
import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { BotFolder } from '../../src/console/bots/bot-folder.ts';
import { fileStorage } from '../../src/tape/journal/file-storage.ts';
import { journalOn, start } from '../support/tapes/journal-entries.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-bot-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('reads a damaged journal once, until its last file changes', async () => {
  const bot = new BotFolder(folder, { needsWatchdog: false });
  const ended = () => bot.readFacts({ isAbsent: true }).ended;
  const journal = journalOn(fileStorage(join(folder, 'journal')));
  journal.writeInput(start('s1'));
  await journal.close('stopped');
  const file = join(folder, 'journal', '00000001.tape');
  const bytes = readFileSync(file);
  writeFileSync(file, Buffer.from(bytes).fill('x', 100, 110));
  expect(ended()).toBeNull();
  // A second reading would find the end.
  writeFileSync(file, bytes);
  expect(ended()).toBeNull();
  writeFileSync(file, bytes.subarray(0, -1));
  expect(ended()).toBeNull();
  writeFileSync(file, bytes);
  expect(ended()).toMatchObject({ isOrderly: true, text: 'in order' });
});

it('takes the last entry of the journal for a sign of life, though no file was made since', () => {
  const journal = join(folder, 'journal');
  const [hours, minute] = [Date.UTC(2026, 10, 21, 8) / 1000, 60];
  writeFileSync(join(folder, 'books.json'), '{}');
  writeFileSync(join(journal, 'lock'), '');
  for (const path of [join(journal, 'lock'), journal, join(folder, 'books.json')]) utimesSync(path, hours, hours);
  const file = join(journal, '00000001.tape');
  utimesSync(file, hours + minute, hours + minute);
  expect(statSync(journal).mtimeMs).toBe(hours * 1000);
  expect(new BotFolder(folder, { needsWatchdog: false }).readFacts({ isAbsent: true }).changedUs).toBe(
    (hours + minute) * 1e6,
  );
});

it('gives a halt of the file HALT the time of that file, not the time of an earlier halt with the same reason', () => {
  const bot = new BotFolder(folder, { needsWatchdog: false });
  const halts = () => bot.readFacts({ isAbsent: true }).halts;
  const file = join(folder, 'HALT');
  const haltAt = (seconds: number): void => {
    writeFileSync(file, 'by hand\n');
    utimesSync(file, seconds, seconds);
  };
  const seconds = Date.UTC(2026, 10, 21, 8) / 1000;
  haltAt(seconds);
  expect(halts()).toEqual([{ scope: 'account', by: 'operator', reason: 'by hand', sinceUs: seconds * 1e6 }]);
  // Nothing reads the folder between the resume and the next halt.
  rmSync(file);
  haltAt(seconds + 3600);
  expect(halts()).toEqual([{ scope: 'account', by: 'operator', reason: 'by hand', sinceUs: (seconds + 3600) * 1e6 }]);
  rmSync(file);
  writeFileSync(join(folder, 'halt.account.risk.json'), 'damaged');
  const [first] = halts();
  expect(halts()).toEqual([first]);
  rmSync(join(folder, 'halt.account.risk.json'));
  expect(halts()).toEqual([]);
});

it('says what the watchdog of the last session did after the bot died', () => {
  const log = join(folder, 'watchdog.log');
  const strike = () => new BotFolder(folder, { needsWatchdog: false }).readFacts({ isAbsent: true }).strike;
  expect(strike()).toBeNull();
  const lines = [
    { level: 30, time: '2026-11-21T08:00:00.000Z', deadlineMs: 5000, msg: 'watching' },
    { level: 50, time: '2026-11-21T08:00:10.000Z', cause: 'died', last: null, msg: 'the bot died: canceling' },
    { level: 40, time: '2026-11-21T08:00:11.000Z', isCanceled: true, msg: 'cancel sent outside the engine' },
    { level: 40, time: '2026-11-21T08:00:12.000Z', isDone: true, canceled: 1, left: [], trouble: null, msg: 'no more' },
    { level: 30, time: '2026-11-21T08:00:12.000Z', why: 'died', msg: 'the watch is over' },
  ].map((line) => JSON.stringify(line));
  writeFileSync(log, `${'x'.repeat(100_000)}\n${lines.join('\n')}\n`);
  expect(strike()).toEqual({ atUs: Date.UTC(2026, 10, 21, 8, 0, 12) * 1000, isDone: true, canceled: 1 });
  // The next session has a watchdog of its own.
  writeFileSync(log, `${[...lines, lines[0]].join('\n')}\n`);
  expect(strike()).toBeNull();
});
