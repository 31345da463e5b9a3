// Records of `run --json`: ids, states and figures, and that docs/reference/run-records.md describes every member of each.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunRecord, noticeRecord } from '../../../src/cli/show/notice-record.ts';
import { strategyName } from '../../../src/domain/ids.ts';
import { FLAT } from '../../../src/domain/position.ts';
import { cents, contracts, dollars, fromMillis, micros, money } from '../../../src/domain/units.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { Orders } from '../../../src/state/account/orders.ts';
import { Presage, ROOT, isAccepted, isTrading, shippedConfig } from '../../e2e/presage.ts';
import { M0, MAKER, aFill, aHalt, aMarket, aPlace, tickerTable } from '../../support/engine/builders.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';
import { aSnapshot } from '../../support/sessions/session-snapshot.ts';
import { showDisplay } from './shown-display.ts';

const tickers = tickerTable(1);
const order = { ...new Orders().addOrder(aPlace(), 'test'), state: 'working' as const };
const intent = { type: 'place', market: M0, side: 'buy', price: cents(40), qty: contracts(10) } as const;
const scope = { type: 'account' } as const;

/** One notice of each type that becomes a record. */
const NOTICES: readonly Notice[] = [
  { type: 'phase', phase: 'trading', why: 'ready' },
  { type: 'order', order, from: 'in-flight', to: 'working', why: 'accepted' },
  { type: 'fill', fill: aFill(), order, position: FLAT },
  { type: 'fill', fill: aFill(), order: null, position: FLAT },
  { type: 'denied', strategy: MAKER, intent, denial: { code: 'stopping' } },
  { type: 'alarm', code: 'drift', at: micros(7), text: 'differs', figures: { ours: 1 } },
  { type: 'halt', halt: aHalt(), isCarried: false },
  { type: 'resumed', scope, reason: 'seen', lifted: [aHalt()] },
  { type: 'withdrawn', scope, reason: 'news', orders: 3 },
  { type: 'flattening', reason: 'news', positions: 2 },
  { type: 'flattened', why: 'done', unclosed: [{ market: M0, qty: contracts(1), why: 'no bid' }] },
  {
    type: 'override',
    at: micros(0),
    change: 'begun',
    why: 'asked',
    override: { limit: 'orderQtyMax', value: 500, strategy: null, until: micros(9e9), reason: 'thin' },
  },
  { type: 'feed', isUp: true, reason: 'connected' },
  { type: 'private-feed', isUp: false, reason: 'refused' },
  { type: 'trust', market: M0, trust: 'live', reason: 'snapshot' },
  { type: 'market', market: aMarket(0), before: null },
  { type: 'settled', market: aMarket(0, { result: 'yes' }), held: contracts(2), paid: dollars(2) },
  { type: 'rate-limited', budget: 'trade', retryAfter: fromMillis(5) },
  { type: 'read-failed', what: 'balance', reason: 'status 500', isRefused: false },
  { type: 'position-drift', market: M0, ours: contracts(2), theirs: contracts(1) },
  { type: 'cash-drift', ours: dollars(10), theirs: money(9_999_999) },
];

/** Members by record type, as the page describes them. */
function describedMembers(): ReadonlyMap<string, ReadonlySet<string>> {
  const page = readFileSync(join(ROOT, 'docs/reference/run-records.md'), 'utf8');
  const names = (text: string): string[] => [...text.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name);
  const sections = page.split(/^## /m).slice(1);
  const rowsOf = (section: string): string[] =>
    section
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) => names(line.split('|')[1] ?? ''));
  const common = rowsOf(sections[0] ?? '');
  const described = new Map<string, ReadonlySet<string>>();
  for (const section of sections.slice(1))
    for (const type of names(section.split('\n')[0] ?? ''))
      described.set(type, new Set([...common, ...rowsOf(section)]));
  return described;
}

const described = describedMembers();

/** Members of a record that the page does not describe. */
const undescribed = (record: RunRecord): string[] =>
  Object.keys(record)
    .filter((member) => described.get(record.type)?.has(member) !== true)
    .map((member) => `${record.type}.${member}`);

describe('a record', () => {
  it('of an order carries its ids and both states', () => {
    expect(noticeRecord(NOTICES[1]!, tickers)).toEqual({
      type: 'order',
      strategy: 'maker',
      clientOrderId: 'c-1',
      venueOrderId: null,
      ticker: 'M-0',
      side: 'buy',
      price: order.price,
      qty: order.qty,
      filledQty: 0,
      from: 'in-flight',
      to: 'working',
      why: 'accepted',
    });
  });

  it('of a fill carries the ids of order and trade, and the state of the order', () => {
    expect(noticeRecord(NOTICES[2]!, tickers)).toMatchObject({
      strategy: 'maker',
      clientOrderId: 'c-1',
      tradeId: 't-1',
      orderState: 'working',
      position: 0,
      fee: 10_000,
    });
    expect(noticeRecord(NOTICES[3]!, tickers)).toMatchObject({ strategy: null, clientOrderId: null, orderState: null });
  });

  it('of a denial carries the compared figures, and the market’s ticker', () => {
    const denial = { code: 'book-stale', ageMs: 9000, bookAgeMsMax: 5000 } as const;
    expect(noticeRecord({ type: 'denied', strategy: strategyName('s'), intent, denial }, tickers)).toEqual({
      type: 'denied',
      strategy: 's',
      code: 'book-stale',
      text: 'the book was last confirmed 9000 ms ago, bookAgeMsMax is 5000',
      ticker: 'M-0',
      count: 1,
      denial,
      intent,
    });
  });

  it('is not made of a notice that programs have no use for', () => {
    expect(noticeRecord({ type: 'reconciled', why: 'equal' }, tickers)).toBeNull();
  });
});

describe('docs/reference/run-records.md', () => {
  it('describes every member of the record of every notice, of snapshots and of the console', () => {
    const { display, writes } = showDisplay('json');
    for (const notice of NOTICES) display.showNotice(notice);
    display.showSnapshot(aSnapshot());
    display.showConsole({ type: 'listening', url: 'http://127.0.0.1:1' });
    const records = writes.map((line): RunRecord => JSON.parse(line));
    expect(records).toHaveLength(NOTICES.length + 2);
    for (const { at, atUs } of records) expect(Date.parse(String(at)) * 1000).toBe(atUs);
    expect(records.flatMap(undescribed)).toEqual([]);
  });

  it('describes no type that no notice has', () => {
    const printed = new Set(NOTICES.map(({ type }) => type as string));
    const others = [...described.keys()].filter((type) => !printed.has(type));
    expect(others).toEqual(['snapshot', 'console', 'gap', 'end']);
  });
});

describe('a session with --json', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'presage-records-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('prints only records that the page describes, with orders by id', { timeout: PATIENCE_MS }, async () => {
    const config = join(folder, 'demo.yaml');
    writeFileSync(config, shippedConfig('demo.yaml', folder));
    const bot = new Presage(['run', '--config', config, '--seed', '7', '--json']);
    await Promise.all([bot.line(isAccepted), bot.line(isTrading), bot.line(({ type }) => type === 'fill')]);
    expect(await bot.stop()).toBe(0);
    const records: readonly RunRecord[] = bot.lines;
    expect(records.flatMap(undescribed)).toEqual([]);
    expect(records.at(-1)?.type).toBe('end');
    const accepted = bot.lines.find(isAccepted);
    expect(accepted?.['clientOrderId']).toEqual(expect.any(String));
    expect(accepted?.['venueOrderId']).toEqual(expect.any(String));
  });
});
