// Displays of a session: a page that redraws in place, plain lines, or JSON lines.
import { describe, expect, it } from 'vitest';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { strategyName } from '../../../src/domain/ids.ts';
import { M0, aHalt } from '../../support/engine/builders.ts';
import { aSnapshot } from '../../support/sessions/session-snapshot.ts';
import { NOON_MS, showDisplay } from './shown-display.ts';

const PHASE: Notice = { type: 'phase', phase: 'trading', why: 'ready' };
const SMALL: Notice = { type: 'trust', market: M0, trust: 'live', reason: 'snapshot' };

describe('the console beside a session', () => {
  const listening = { type: 'listening', url: 'http://127.0.0.1:8765/#login=x' } as const;
  const ended = { type: 'ended', why: 'it ended with 2: \u001B[2Jtaken' } as const;

  it('is a line of its own among plain lines', () => {
    const { display, writes } = showDisplay('lines');
    for (const news of [listening, ended]) display.showConsole(news);
    expect(writes[0]).toBe('console: http://127.0.0.1:8765/#login=x\n');
    expect(writes[1]).toContain('the console is gone, trading goes on: it ended with 2: ');
    expect(writes[1]).not.toContain('\u001B');
  });

  it('is a record in JSON', () => {
    const { display, writes } = showDisplay('json');
    for (const news of [listening, ended]) display.showConsole(news);
    expect(writes.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { type: 'console', url: listening.url, why: null },
      { type: 'console', url: null, why: ended.why },
    ]);
  });

  it('stays under the first line of the page', () => {
    const { display, writes } = showDisplay('page');
    display.showConsole(listening);
    for (const elapsedMs of [500, 1000]) display.showSnapshot(aSnapshot({ elapsedMs }));
    expect(writes.at(-1)?.split('\n')[1]).toContain('console: http://127.0.0.1:8765/#login=x');
  });
});

describe('plain lines', () => {
  it('show notices with the time, and the main figures every five seconds', () => {
    const { display, writes } = showDisplay('lines');
    display.showNotice(PHASE);
    for (const elapsedMs of [500, 1000, 5499, 5500]) display.showSnapshot(aSnapshot({ elapsedMs }));
    display.showNotice(SMALL);
    display.showNotice(PHASE);
    display.close();
    expect(`\n${writes.join('')}`).toMatchInlineSnapshot(`
      "
       0:00  session trading: ready
       0:00  trading: feed 12 ms, 1 orders, fills maker 1, taker 0, equity $999.930175 profit +$0.180175 | M-0 44¢/47.5¢ −3 | M-1 -/99¢
       0:05  trading: feed 12 ms, 1 orders, fills maker 1, taker 0, equity $999.930175 profit +$0.180175 | M-0 44¢/47.5¢ −3 | M-1 -/99¢
       0:05  session trading: ready
      "
    `);
  });

  it('show that the feed is down', () => {
    const { display, writes } = showDisplay('lines');
    display.showSnapshot(aSnapshot({ feed: { ...aSnapshot().feed, isUp: false }, strategies: [], markets: [] }));
    expect(writes.join('')).toContain('trading: feed DOWN, 1 orders, fills 0');
  });
});

describe('JSON lines', () => {
  it('are one record a line: notices, and a snapshot every second', () => {
    const { display, writes } = showDisplay('json');
    display.showNotice(PHASE);
    for (const elapsedMs of [0, 500, 999, 1000, 1500]) display.showSnapshot(aSnapshot({ elapsedMs }));
    display.showNotice({ type: 'reconciled', why: 'equal' });
    display.showNotice({ type: 'halt', halt: aHalt({ reason: 'Error: "quoted"\nand more' }), isCarried: false });
    display.close();
    expect(writes.every((line) => line.endsWith('\n') && line.indexOf('\n') === line.length - 1)).toBe(true);
    const records = writes.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records.map(({ type, elapsedMs }) => [type, elapsedMs])).toEqual([
      ['phase', 0],
      ['snapshot', 0],
      ['snapshot', 1000],
      ['halt', 1500],
    ]);
    expect(records.map(({ at, atUs }) => [at, atUs])[0]).toEqual(['2026-11-23T12:00:00.000Z', NOON_MS * 1000]);
    expect(records[1]).toMatchObject({
      at: '1970-01-12T13:47:45.000Z',
      atUs: 1_000_065_000_000,
      account: { cash: 998_302_675, profit: 180_175 },
      markets: [{ ticker: 'M-0', bid: { price: 4400, qty: 1200 } }, {}, {}],
      strategies: [
        { name: 'maker', denials: { stopping: 2, 'book-stale': 1 } },
        { haltedBy: 'TypeError: no such market' },
      ],
      surprises: { 'feed-gap': 2 },
    });
  });
});

describe('equal denials in JSON lines', () => {
  const denied = (market = M0, strategy = 'maker'): Notice => ({
    type: 'denied',
    strategy: strategyName(strategy),
    intent: { type: 'quote', market, bid: null, ask: null },
    denial: { code: 'book-stale', ageMs: 9000, bookAgeMsMax: 5000 },
  });

  it('are one record, then a number once a minute, and one at the end', () => {
    const { display, writes, pass } = showDisplay('json');
    const records = (): unknown[] => writes.splice(0).map((line) => JSON.parse(line) as unknown);
    for (let n = 0; n < 100; n++) display.showNotice(denied());
    display.showNotice(denied(M0, 'taker'));
    expect(records()).toMatchObject([
      { type: 'denied', strategy: 'maker', count: 1, denial: { code: 'book-stale' } },
      { type: 'denied', strategy: 'taker', count: 1 },
    ]);
    pass(60_000);
    display.showSnapshot(aSnapshot());
    expect(records()).toMatchObject([
      { type: 'denied', strategy: 'maker', code: 'book-stale', ticker: 'M-0', count: 99, spanMs: 60_000 },
      { type: 'snapshot' },
    ]);
    display.showNotice(denied());
    display.close();
    expect(records()).toMatchObject([{ type: 'denied', strategy: 'maker', count: 1, spanMs: 0 }]);
  });
});

describe('the page', () => {
  const visible = (text: string): string[] => text.replaceAll(/\p{Cc}\[[?\d;]*[A-Za-z]/gu, '').split('\n');

  it('is drawn on the alternate screen and restores the main one', () => {
    const { display, writes } = showDisplay('page');
    display.showSnapshot(aSnapshot());
    display.close();
    expect(writes[0]).toBe('\u001B[?1049h\u001B[?25l');
    expect(writes[1]?.startsWith('\u001B[H')).toBe(true);
    expect(writes[2]).toBe('\u001B[?25h\u001B[?1049l');
  });

  it('fits a small terminal, and says how much is not shown', () => {
    const { display, writes } = showDisplay('page', { columns: 30, rows: 6 });
    display.showSnapshot(aSnapshot());
    const lines = visible(writes.at(-1) ?? '');
    expect(lines).toHaveLength(6);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(30);
    expect(lines[5]).toMatch(/^and \d+ more lines/);
  });

  it('is drawn again at each key and each change of size', () => {
    const { display, writes, press, resize } = showDisplay('page', { columns: 80, rows: 10 });
    display.showSnapshot(aSnapshot());
    const before = writes.length;
    press('?');
    expect(visible(writes.at(-1) ?? '').join('\n')).toContain('one row up or down');
    press('?');
    resize(80, 40);
    expect(visible(writes.at(-1) ?? '')).toHaveLength(40);
    expect(writes.length).toBe(before + 3);
  });

  it('asks once for the end at q, and at each Ctrl-C', () => {
    const { display, stops, press } = showDisplay('page');
    display.showSnapshot(aSnapshot());
    press('qq');
    expect(stops()).toBe(1);
    press('\u0003');
    expect(stops()).toBe(2);
    display.close();
    press('\u0003');
    expect(stops()).toBe(2);
  });

  it('is colored where colors are on, and says the same without them', () => {
    const drawn = (isColored: boolean): string => {
      const { display, writes } = showDisplay('page', { isColored });
      display.showNotice({ type: 'halt', halt: aHalt(), isCarried: false });
      display.showSnapshot(aSnapshot({ halts: [aHalt()] }));
      return writes.at(-1) ?? '';
    };
    expect(drawn(true)).toContain('\u001B[1;31m!!! strategy maker is HALTED');
    for (const code of ['1m', '2m', '1;31m']) expect(drawn(false)).not.toContain(`\u001B[${code}`);
    expect(visible(drawn(true))).toEqual(visible(drawn(false)));
  });
});
