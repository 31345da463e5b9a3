// Notices in the log, each at its level, with the ids that connect the lines of one order.
import { describe, expect, it } from 'vitest';
import { FLAT } from '../../../src/domain/position.ts';
import { cents, contracts, dollars, fromMillis, micros, money } from '../../../src/domain/units.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { logTo } from '../../../src/log.ts';
import { noticeLogger } from '../../../src/runtime/session/notice-log.ts';
import { Orders } from '../../../src/state/account/orders.ts';
import {
  BEGIN,
  M0,
  MAKER,
  aFill,
  aHalt,
  aMarket,
  aPlace,
  aReport,
  tickerTable,
} from '../../support/engine/builders.ts';

const order = (state: 'working' | 'rejected' | 'unknown') => ({ ...new Orders().addOrder(aPlace(), 'test'), state });
const intent = { type: 'place', market: M0, side: 'buy', price: cents(40), qty: contracts(10) } as const;

/** The engine's time at the next notice. */
let now = BEGIN;

/** The log lines of some notices, without their times. Each comes a second after the one before it. */
function logged(...notices: readonly Notice[]): Record<string, unknown>[] {
  const lines: string[] = [];
  const observe = noticeLogger(logTo({ write: (line) => lines.push(line) }, 'trace'), tickerTable(1), () => now);
  for (const notice of notices) {
    now = micros(now + 1_000_000);
    observe(notice);
  }
  return lines.map((line) => {
    const { time: _time, level, ...rest } = JSON.parse(line) as { time: string; level: number };
    return { level: LEVELS[level], ...rest };
  });
}

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };

const ROWS: readonly (readonly [Notice, object])[] = [
  [
    { type: 'order', order: order('working'), from: 'in-flight', to: 'working', why: 'accepted' },
    {
      level: 'debug',
      clientOrderId: 'c-1',
      venueOrderId: null,
      strategy: 'maker',
      ticker: 'M-0',
      from: 'in-flight',
      to: 'working',
      msg: 'order working: accepted',
    },
  ],
  [
    { type: 'order', order: order('rejected'), from: 'in-flight', to: 'rejected', why: 'post only cross' },
    { level: 'warn', to: 'rejected', msg: 'order rejected: post only cross' },
  ],
  [
    { type: 'order', order: order('unknown'), from: 'in-flight', to: 'unknown', why: 'no answer' },
    { level: 'warn', to: 'unknown', msg: 'order unknown: no answer' },
  ],
  [
    { type: 'fill', fill: aFill({ fee: money(17_325) }), order: order('working'), position: FLAT },
    {
      level: 'info',
      clientOrderId: 'c-1',
      strategy: 'maker',
      tradeId: 't-1',
      ticker: 'M-0',
      side: 'buy',
      price: '0.4000',
      qty: '4.00',
      fee: '0.017325',
      liquidity: 'maker',
      position: '0.00',
      msg: 'fill',
    },
  ],
  [
    { type: 'unexpected-order', report: aReport() },
    { level: 'warn', venueOrderId: 'v-1', msg: 'an order of another session rests: canceling it' },
  ],
  [
    { type: 'approved', strategy: MAKER, intent, clientOrderId: aPlace().clientOrderId },
    { level: 'debug', strategy: 'maker', clientOrderId: 'c-1', msg: 'approved' },
  ],
  [
    { type: 'denied', strategy: MAKER, intent, denial: { code: 'book-not-live', trust: 'suspect' } },
    { level: 'debug', strategy: 'maker', code: 'book-not-live', msg: 'denied: the book is suspect, not live' },
  ],
  [
    { type: 'trust', market: M0, trust: 'live', reason: 'snapshot' },
    { level: 'info', ticker: 'M-0', msg: 'book live: snapshot' },
  ],
  [
    { type: 'trust', market: M0, trust: 'suspect', reason: 'a gap' },
    { level: 'warn', ticker: 'M-0', msg: 'book suspect: a gap' },
  ],
  [
    { type: 'market', market: aMarket(0, { status: 'closed' }), before: 'active' },
    { level: 'info', ticker: 'M-0', status: 'closed', before: 'active' },
  ],
  [
    { type: 'settled', market: aMarket(0), held: contracts(-3), paid: dollars(3) },
    { level: 'info', ticker: 'M-0', held: '-3.00', paid: '3.000000', msg: 'settled' },
  ],
  [
    { type: 'phase', phase: 'trading', why: 'the account is known' },
    { level: 'info', phase: 'trading', msg: 'session trading: the account is known' },
  ],
  [
    { type: 'halt', halt: aHalt(), isCarried: false },
    { level: 'error', scope: aHalt().scope, by: 'fault', isCarried: false, msg: 'halted: Error: boom' },
  ],
  [
    { type: 'resumed', scope: { type: 'account' }, reason: 'looked at', lifted: [] },
    { level: 'warn', scope: { type: 'account' }, lifted: [], msg: 'resumed: looked at' },
  ],
  [
    { type: 'withdrawn', scope: { type: 'account' }, reason: 'too much', orders: 3 },
    { level: 'warn', scope: { type: 'account' }, orders: 3, msg: 'canceling everything: too much' },
  ],
  [
    { type: 'forecast', strategy: MAKER, forecast: { type: 'forecast', market: M0, probability: cents(5) } },
    { level: 'debug', strategy: 'maker', msg: 'forecast' },
  ],
  [
    { type: 'rate-limited', budget: 'trade', retryAfter: fromMillis(1500) },
    { level: 'warn', budget: 'trade', retryAfterMs: 1500 },
  ],
  [
    { type: 'rate-limited', budget: 'read', retryAfter: null },
    { level: 'warn', budget: 'read', retryAfterMs: null },
  ],
  [
    { type: 'read-failed', what: 'balance', reason: '503', isRefused: false },
    { level: 'warn', what: 'balance', msg: 'read failed: 503' },
  ],
  [
    { type: 'position-drift', market: M0, ours: contracts(1), theirs: contracts(2) },
    { level: 'error', ticker: 'M-0', ours: '1.00', theirs: '2.00', msg: 'position drift' },
  ],
  [
    { type: 'cash-drift', ours: dollars(1), theirs: money(1) },
    { level: 'error', ours: '1.000000', theirs: '0.000001', msg: 'cash drift' },
  ],
  [
    { type: 'feed', isUp: true, reason: 'connection 2' },
    { level: 'info', msg: 'feed up: connection 2' },
  ],
  [
    { type: 'feed', isUp: false, reason: 'handshake refused with status 429; next attempt in 60 s' },
    { level: 'warn', msg: 'feed down: handshake refused with status 429; next attempt in 60 s' },
  ],
  [
    { type: 'alarm', code: 'feed-age', at: micros(0), text: 'silent for 6000 ms', figures: { ageMs: 6000 } },
    { level: 'warn', code: 'feed-age', ageMs: 6000, msg: 'alarm: silent for 6000 ms' },
  ],
  [
    { type: 'reconciled', why: 'equal' },
    { level: 'info', msg: 'reconciled: equal' },
  ],
];

describe('the log', () => {
  it.each(ROWS.map(([notice, line]) => ({ type: notice.type, notice, line })))(
    'writes a notice of $type at its level, with its ids',
    ({ notice, line }) => {
      expect(logged(notice)).toHaveLength(1);
      expect(logged(notice)[0]).toMatchObject(line);
    },
  );

  it('warns of each kind of surprise once, then logs it at debug', () => {
    const surprise = (what: string): Notice => ({ type: 'surprise', what, detail: 'seen' });
    const lines = logged(
      surprise('type weather'),
      surprise('type weather'),
      surprise('feed-gap'),
      surprise('feed-gap'),
    );
    expect(lines.map(({ level, what }) => [level, what])).toEqual([
      ['warn', 'type weather'],
      ['debug', 'type weather'],
      ['warn', 'feed-gap'],
      ['debug', 'feed-gap'],
    ]);
  });

  it('writes a denial of a halted account once, a count each minute, and the rest at the end', () => {
    const denial = { code: 'halted', scope: 'account', by: 'operator', reason: 'test' } as const;
    const denied: Notice = { type: 'denied', strategy: MAKER, intent, denial };
    const stopped: Notice = { type: 'phase', phase: 'stopped', why: 'test' };
    const lines = logged(...Array.from({ length: 100 }, () => denied), stopped);
    expect(lines.map(({ msg }) => msg)).toEqual([
      'denied: the account is halted by operator: test',
      'denied 59 more times in 60 s: the account is halted by operator: test',
      'denied 40 more times in 40 s: the account is halted by operator: test',
      'session stopped: test',
    ]);
    expect(lines[1]).toMatchObject({ level: 'debug', strategy: 'maker', code: 'halted', count: 59 });
  });
});
