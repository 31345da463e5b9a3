// The latch: its content survives a crash at any moment, and a file that cannot be read halts.
import * as fc from 'fast-check';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type StrategyName, strategyName, ticker } from '../../../src/domain/ids.ts';
import {
  type Halt,
  type HaltScope,
  type HaltedBy,
  type SavedLedgers,
  NOTHING_UNRESOLVED,
} from '../../../src/domain/operator-order.ts';
import { dollars, micros } from '../../../src/domain/units.ts';
import { Halts, scopeKey } from '../../../src/execution/operator/halts.ts';
import { HALT_FILE, Latch } from '../../../src/runtime/saved/latch.ts';
import { fileStorage } from '../../../src/tape/journal/file-storage.ts';
import { BEGIN, aHalt } from '../../support/engine/builders.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';

const latchOf = (disk: MemoryDisk): Latch => new Latch(disk.open(), () => BEGIN);
const put = (disk: MemoryDisk, name: string, text: string): void =>
  disk.open().replaceFile(name, new TextEncoder().encode(text));

const NO_BOOKS: SavedLedgers = { at: BEGIN, session: '', strategies: [], books: [], others: [], orders: [], fills: [] };
const ACCOUNT: HaltScope = { type: 'account' };
const NAMES = ['a', 'a/b', '../a', 'ü %', 'HALT'];
const scopes: fc.Arbitrary<HaltScope> = fc.oneof(
  fc.constant<HaltScope>(ACCOUNT),
  fc.constantFrom(...NAMES).map((name): HaltScope => ({ type: 'strategy', strategy: strategyName(name) })),
  fc.constantFrom(...NAMES).map((name): HaltScope => ({ type: 'market', ticker: ticker(name) })),
);
const halts: fc.Arbitrary<Halt> = fc.record({
  scope: scopes,
  by: fc.constantFrom<HaltedBy>('operator', 'risk', 'watchdog', 'fault'),
  reason: fc.string(),
  since: fc.integer({ min: 0 }).map(micros),
});

describe('the latch', () => {
  it('gives a halt its own time after another process has lifted the one before', () => {
    const storage = new MemoryDisk().open();
    const [watchdog, bot] = [new Latch(storage, () => BEGIN), new Latch(storage, () => BEGIN)];
    watchdog.writeHalt({ scope: ACCOUNT, by: 'watchdog', reason: 'hung', since: micros(1) });
    bot.liftHalts(ACCOUNT);
    watchdog.writeHalt({ scope: ACCOUNT, by: 'watchdog', reason: 'hung', since: micros(2) });
    expect(bot.readHalts()).toMatchObject([{ reason: 'hung', since: 2 }]);
  });

  it('names the operator’s later reason last, so that a restarted bot keeps it', () => {
    const disk = new MemoryDisk();
    const latch = latchOf(disk);
    latch.writeHalt({ scope: ACCOUNT, by: 'operator', reason: 'by hand', since: BEGIN });
    latch.writeHaltFile('the books look odd');
    const halts = new Halts();
    for (const halt of latchOf(disk).readHalts()) halts.addHalt(halt);
    expect(halts.listHalts()).toEqual([{ scope: ACCOUNT, by: 'operator', reason: 'the books look odd', since: BEGIN }]);
  });

  it('returns to a new process every halt that was written and not lifted', () => {
    fc.assert(
      fc.property(fc.array(halts), scopes, (written, lifted) => {
        const disk = new MemoryDisk();
        const first = latchOf(disk);
        for (const halt of written) first.writeHalt(halt);
        const key = (halt: Halt): string => `${scopeKey(halt.scope)} ${halt.by}`;
        const expected = new Map<string, Halt>();
        for (const halt of written) {
          const known = expected.get(key(halt));
          if (known === undefined) expected.set(key(halt), halt);
          else if (halt.by === 'operator') expected.set(key(halt), { ...known, reason: halt.reason });
        }
        expect(new Set(latchOf(disk).readHalts())).toEqual(new Set(expected.values()));
        latchOf(disk).liftHalts(lifted);
        for (const [name, { scope }] of expected) if (scopeKey(scope) === scopeKey(lifted)) expected.delete(name);
        expect(new Set(latchOf(disk).readHalts())).toEqual(new Set(expected.values()));
      }),
    );
  });

  it('holds the whole halt or nothing, wherever the process dies while writing', () => {
    for (let operation = 0; operation < 3; operation++) {
      const disk = new MemoryDisk();
      const dying = latchOf(disk);
      disk.faults.dieBeforeOperation = operation;
      let hasDied = false;
      try {
        dying.writeHalt(aHalt());
      } catch {
        hasDied = true;
      }
      expect(latchOf(disk).readHalts()).toEqual(hasDied ? [] : [aHalt()]);
    }
  });

  it('a plain file that repeats a saved halt is no second halt, and both end together', () => {
    const disk = new MemoryDisk();
    const saved = aHalt({ scope: ACCOUNT, by: 'operator', reason: 'odd' });
    latchOf(disk).writeHalt(saved);
    put(disk, HALT_FILE, 'odd\n');
    expect(latchOf(disk).readHalts()).toEqual([saved]);
    put(disk, HALT_FILE, 'another reason\n');
    expect(latchOf(disk).readHalts()).toHaveLength(2);
    expect(latchOf(disk).liftHalts(ACCOUNT)).toHaveLength(2);
    expect(latchOf(disk).readHalts()).toEqual([]);
  });

  it('anyone may set the latch by a plain file, whatever its content', () => {
    for (const [text, reason] of [
      ['it looks odd\n', 'it looks odd'],
      ['two\r\nlines\u001b[31m', 'two lines [31m'],
      ['\n\u0000', 'the file HALT exists'],
      ['', 'the file HALT exists'],
    ] as const) {
      const disk = new MemoryDisk();
      put(disk, HALT_FILE, text);
      expect(latchOf(disk).readHalts()).toEqual([{ scope: ACCOUNT, by: 'operator', reason, since: BEGIN }]);
      expect(latchOf(disk).liftHalts(ACCOUNT)).toHaveLength(1);
      expect(latchOf(disk).readHalts()).toEqual([]);
    }
  });

  it('halts the account for an unreadable halt, and a resume of the account clears it', () => {
    for (const text of ['', '{', '[]', '{"scope":{"type":"account"}}', JSON.stringify({ ...aHalt(), by: 'nobody' })]) {
      const disk = new MemoryDisk();
      put(disk, 'halt.strategy=a.fault.json', text);
      expect(latchOf(disk).readRestoredState(NOTHING_UNRESOLVED).halts).toMatchObject([
        { scope: ACCOUNT, by: 'fault' },
      ]);
      expect(latchOf(disk).readRestoredState(NOTHING_UNRESOLVED).halts[0]?.reason).toContain(
        'halt.strategy=a.fault.json is damaged',
      );
      latchOf(disk).liftHalts(ACCOUNT);
      expect(latchOf(disk).readRestoredState(NOTHING_UNRESOLVED).halts).toEqual([]);
    }
  });

  it('halts the account when loss figures or overrides cannot be read, until a resume drops them', () => {
    for (const name of ['losses.json', 'overrides.json', 'books.json', 'sessions.json']) {
      const disk = new MemoryDisk();
      put(disk, name, '{"day":');
      const { halts: carried, losses, overrides } = latchOf(disk).readRestoredState(NOTHING_UNRESOLVED);
      expect(carried).toMatchObject([{ scope: ACCOUNT, by: 'fault' }]);
      expect(carried[0]?.reason).toContain(`${name} is damaged`);
      expect([losses, overrides]).toEqual([null, []]);
      latchOf(disk).liftHalts(ACCOUNT);
      expect(latchOf(disk).readRestoredState(NOTHING_UNRESOLVED).halts).toEqual([]);
    }
  });

  it('returns the sessions that ran here with their strategies, up to a maximum', () => {
    const disk = new MemoryDisk();
    const [maker, taker] = ['maker', 'taker'].map(strategyName) as [StrategyName, StrategyName];
    for (let number = 1; number <= 250; number++)
      latchOf(disk).writeSession({ session: `s${number}`, strategies: number % 2 === 0 ? [maker, taker] : [taker] });
    const known = latchOf(disk).readSessions();
    expect(known).toHaveLength(200);
    expect(known.slice(-2)).toEqual([
      { session: 's249', strategies: [taker] },
      { session: 's250', strategies: [maker, taker] },
    ]);
    expect(latchOf(disk).readRestoredState(NOTHING_UNRESOLVED).sessions?.at(-1)).toBe('s250');
  });

  it('returns the session from the saved ledgers when there is no file of sessions', () => {
    const disk = new MemoryDisk();
    const maker = strategyName('maker');
    latchOf(disk).writeLedgers({ ...NO_BOOKS, session: 'old', strategies: [maker] });
    expect(latchOf(disk).readSessions()).toEqual([{ session: 'old', strategies: [maker] }]);
    latchOf(disk).writeSession({ session: 'new', strategies: [] });
    expect(
      latchOf(disk)
        .readSessions()
        .map(({ session }) => session),
    ).toEqual(['old', 'new']);
  });

  it('restores loss figures and overrides', () => {
    const disk = new MemoryDisk();
    const losses = {
      day: '2026-11-21',
      dayEquity: dollars(100),
      dayMarkEquity: dollars(101),
      peakEquity: dollars(120),
    };
    const override = { limit: 'orderQtyMax', value: 500, strategy: null, until: BEGIN, reason: 'a busy day' };
    latchOf(disk).writeLosses(losses);
    latchOf(disk).writeOverrides([override]);
    expect(latchOf(disk).readRestoredState(NOTHING_UNRESOLVED)).toEqual({
      ...NOTHING_UNRESOLVED,
      halts: [],
      losses,
      overrides: [override],
      sessions: [],
    });
  });

  it('restores the profits with which the day of each market began', () => {
    const disk = new MemoryDisk();
    const dayMarkets = { day: '2026-11-21', profits: [{ ticker: ticker('M-0'), profit: dollars(-1.5) }] };
    latchOf(disk).writeLedgers({ ...NO_BOOKS, dayMarkets });
    expect(latchOf(disk).readRestoredState(NOTHING_UNRESOLVED).books?.dayMarkets).toEqual(dayMarkets);
  });

  it('blocks within a scope that another process has halted since', () => {
    const disk = new MemoryDisk();
    const storage = disk.open();
    const latch = new Latch(storage, () => BEGIN);
    expect(latch.blockingHalt(strategyName('maker'), ticker('M-0'))).toBeNull();
    storage.replaceFile(HALT_FILE, new Uint8Array());
    latch.readHalts();
    expect(latch.blockingHalt(strategyName('maker'), ticker('M-0'))).toMatchObject({ by: 'operator' });
  });
});

describe('a latch on a real disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'presage-latch-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('notices what others write and remove, however often it checks and whatever the folder’s time says', () => {
    // A clock far ahead: every time of the folder is long past.
    let now = micros((Date.now() + 3_600_000) * 1000);
    const latch = new Latch(fileStorage(folder), () => now);
    const name = strategyName('maker');
    for (let round = 0; round < 20; round++) {
      now = micros(now + 1_000_000);
      writeFileSync(join(folder, HALT_FILE), 'odd');
      utimesSync(folder, 1000 + round, 1000 + round);
      latch.refreshHalts();
      latch.refreshHalts();
      expect(latch.blockingHalt(name, ticker('M-0'))?.reason).toBe('odd');
      rmSync(join(folder, HALT_FILE));
      utimesSync(folder, 2000 + round, 2000 + round);
      latch.refreshHalts();
      latch.refreshHalts();
      expect(latch.blockingHalt(name, ticker('M-0'))).toBeNull();
    }
  });

  it('reads a second halt that leaves the folder’s modification time unchanged', () => {
    // Two files within one tick of the file system's clock give the folder one modification time.
    const now = micros(Date.now() * 1000);
    const modified = new Date(now / 1000);
    const latch = new Latch(fileStorage(folder), () => now);
    const writeHalt = (strategy: string): void => {
      const halt = aHalt({ scope: { type: 'strategy', strategy: strategyName(strategy) } });
      new Latch(fileStorage(folder), () => now).writeHalt(halt);
      utimesSync(folder, modified, modified);
      latch.refreshHalts();
    };
    writeHalt('first');
    expect(latch.blockingHalt(strategyName('first'), ticker('M-0'))).not.toBeNull();
    expect(latch.blockingHalt(strategyName('second'), ticker('M-0'))).toBeNull();
    writeHalt('second');
    expect(latch.blockingHalt(strategyName('second'), ticker('M-0'))).not.toBeNull();
    latch.liftHalts({ type: 'strategy', strategy: strategyName('first') });
    latch.liftHalts({ type: 'strategy', strategy: strategyName('second') });
  });

  it.each([
    ['a link to a file', (path: string) => symlinkSync(join(folder, 'elsewhere'), path)],
    ['a broken link', (path: string) => symlinkSync('/nowhere/at/all', path)],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('%s of the name HALT halts the account, and is removed when that is lifted', (_, make) => {
    writeFileSync(join(folder, 'elsewhere'), 'the target of a link is not read');
    const latch = new Latch(fileStorage(folder), () => BEGIN);
    make(join(folder, HALT_FILE));
    const halt = { scope: ACCOUNT, by: 'operator', reason: 'the file HALT exists', since: BEGIN };
    expect(latch.readHalts()).toEqual([halt]);
    latch.refreshHalts();
    expect(latch.blockingHalt(strategyName('maker'), ticker('M-0'))).toEqual(halt);
    expect(() => latch.writeHaltFile('by hand')).not.toThrow();
    expect(latch.liftHalts(ACCOUNT)).toEqual([halt]);
    expect(latch.readHalts()).toEqual([]);
    expect(existsSync(join(folder, 'elsewhere'))).toBe(true);
  });

  it('reports that a folder HALT with content cannot be removed, and stays halted', () => {
    const place = mkdtempSync(join(folder, 'full-'));
    mkdirSync(join(place, HALT_FILE, 'deep'), { recursive: true });
    const latch = new Latch(fileStorage(place), () => BEGIN);
    expect(() => latch.liftHalts(ACCOUNT)).toThrow(/HALT: cannot be removed: ENOTEMPTY/);
    expect(latch.readHalts()).toHaveLength(1);
  });

  it('halts the account for a halt’s file that is a link', () => {
    const place = mkdtempSync(join(folder, 'linked-'));
    symlinkSync('/nowhere/at/all', join(place, 'halt.strategy=a.fault.json'));
    expect(new Latch(fileStorage(place), () => BEGIN).readHalts()).toMatchObject([{ scope: ACCOUNT, by: 'fault' }]);
  });

  it('writes, reads and lifts a halt whose name is longer than a file name may be, and keeps a similar one apart', () => {
    const place = mkdtempSync(join(folder, 'long-'));
    const latch = new Latch(fileStorage(place), () => BEGIN);
    const scopes = ['ü'.repeat(254), 'ü'.repeat(255)].map((name) => ({
      type: 'strategy' as const,
      strategy: strategyName(name),
    }));
    for (const scope of scopes) latch.writeHalt(aHalt({ scope }));
    const again = new Latch(fileStorage(place), () => BEGIN);
    expect(new Set(again.readHalts().map((halt) => halt.scope))).toEqual(new Set(scopes));
    again.liftHalts(scopes[0]!);
    expect(again.readHalts().map((halt) => halt.scope)).toEqual([scopes[1]]);
  });

  it('reads a halt with the longest name that earlier versions could write', () => {
    const place = mkdtempSync(join(folder, 'old-'));
    const longest = 'a'.repeat(255 - '.new'.length - 'halt.strategy=.fault.json'.length);
    const halt = aHalt({ scope: { type: 'strategy', strategy: strategyName(longest) } });
    writeFileSync(join(place, `halt.strategy=${longest}.fault.json`), JSON.stringify(halt));
    const latch = new Latch(fileStorage(place), () => BEGIN);
    expect(latch.readHalts()).toEqual([halt]);
    latch.writeHalt(halt);
    expect(readdirSync(place)).toHaveLength(1);
  });

  it('writes files that a new process reads', () => {
    const now = (): typeof BEGIN => BEGIN;
    new Latch(fileStorage(folder), now).writeHalt(aHalt());
    new Latch(fileStorage(folder), now).writeHaltFile('by hand');
    expect(new Latch(fileStorage(folder), now).readHalts().map(({ reason }) => reason)).toEqual([
      'Error: boom',
      'by hand',
    ]);
  });
});
