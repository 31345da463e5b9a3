// Notices as events for people: every notice that matters has a severity, a place and one plain line.
import { describe, expect, it } from 'vitest';
import { FLAT } from '../../../src/domain/position.ts';
import { cents, contracts, dollars, fromMillis, micros, money, qty } from '../../../src/domain/units.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { type EventDraft, eventOf } from '../../../src/runtime/follow/live-events.ts';
import { Orders } from '../../../src/state/account/orders.ts';
import { M0, MAKER, aFill, aHalt, aMarket, aPlace, aReport, tickerTable } from '../../support/engine/builders.ts';

const order = new Orders().addOrder(aPlace(), 'test');
const account = { type: 'account' } as const;
const baseline = { day: '2026-11-23', dayEquity: dollars(1), peakEquity: dollars(1) };
const ledgers = { at: micros(0), session: 's', strategies: [], books: [], others: [], orders: [], fills: [] };
const intent = { type: 'place', market: M0, side: 'buy', price: cents(40), qty: contracts(10) } as const;
const override = { limit: 'orderQtyMax', value: 500, strategy: MAKER, until: micros(9), reason: 'test' };

const EVENTS: readonly (readonly [Notice, Partial<EventDraft>])[] = [
  [
    { type: 'trust', market: M0, trust: 'suspect', reason: 'a gap' },
    { kind: 'feed', severity: 'info', ticker: 'M-0', text: 'book suspect: a gap' },
  ],
  [
    { type: 'trust', market: M0, trust: 'suspect', reason: 'crossed', isWrong: true },
    { kind: 'feed', severity: 'warning' },
  ],
  [
    { type: 'private-feed', isUp: false, reason: 'refused' },
    { kind: 'feed', severity: 'warning', text: 'private feed down: refused' },
  ],
  [
    { type: 'market', market: aMarket(0, { status: 'closed' }), before: 'active' },
    { kind: 'market', severity: 'info', ticker: 'M-0', text: 'active → closed' },
  ],
  [
    { type: 'settled', market: aMarket(0, { result: 'yes' }), held: contracts(3), paid: dollars(3) },
    { kind: 'settlement', ticker: 'M-0', text: 'settled yes: held +3, paid $3.00' },
  ],
  [
    { type: 'order', order, from: 'in-flight', to: 'rejected', why: 'post only' },
    {
      kind: 'other',
      severity: 'warning',
      ticker: 'M-0',
      strategy: 'maker',
      clientOrderId: 'c-1',
      text: 'order rejected: post only',
    },
  ],
  [
    { type: 'fill', order, fill: aFill(), position: FLAT },
    {
      kind: 'fill',
      severity: 'info',
      strategy: 'maker',
      text: 'bought 4 at 40¢ as maker, fee $0.01',
      fill: { side: 'buy', price: 4000, qty: 400 },
    },
  ],
  [
    { type: 'fill', order: null, fill: aFill({ side: 'sell' }), position: FLAT },
    {
      kind: 'fill',
      severity: 'warning',
      strategy: null,
      text: 'sold 4 at 40¢ as maker, fee $0.01, by an unknown order',
    },
  ],
  [
    { type: 'unexpected-order', report: aReport() },
    { kind: 'other', severity: 'warning', text: 'an order that this session did not place rests: v-1' },
  ],
  [
    { type: 'canceled-for-us', order },
    { kind: 'other', severity: 'info', clientOrderId: 'c-1' },
  ],
  [
    { type: 'alarm', code: 'feed-age', at: micros(0), text: 'silent for 6000 ms', figures: {} },
    { kind: 'alarm', severity: 'warning', text: 'feed-age: silent for 6000 ms' },
  ],
  [
    { type: 'override', at: micros(0), change: 'refused', override, why: 'it is looser' },
    {
      kind: 'operator',
      severity: 'warning',
      text: 'override of orderQtyMax to 5 for strategy maker refused: it is looser',
    },
  ],
  [
    { type: 'override', at: micros(0), change: 'begun', override, why: 'x' },
    { severity: 'info', strategy: 'maker' },
  ],
  [
    { type: 'feed', isUp: true, reason: 'connection 2' },
    { kind: 'feed', severity: 'info', text: 'feed up: connection 2' },
  ],
  [{ type: 'feed', isUp: false, reason: 'cut' }, { severity: 'warning' }],
  [
    { type: 'barred', reason: 'another session' },
    { kind: 'phase', severity: 'critical' },
  ],
  [
    { type: 'phase', phase: 'trading', why: 'known' },
    { kind: 'phase', severity: 'info', text: 'session trading: known' },
  ],
  [
    {
      type: 'halt',
      halt: aHalt({ scope: { type: 'strategy', strategy: MAKER }, by: 'fault', reason: 'boom' }),
      isCarried: false,
    },
    { kind: 'halt', severity: 'critical', strategy: 'maker', text: 'strategy maker halted by fault: boom' },
  ],
  [
    { type: 'halt', halt: aHalt({ scope: account }), isCarried: true },
    { text: 'account is still halted by fault: Error: boom' },
  ],
  [
    { type: 'resumed', scope: { type: 'market', ticker: aMarket(0).ticker }, reason: 'looked', lifted: [] },
    { kind: 'resume', severity: 'warning', ticker: 'M-0', text: 'market M-0 resumed, which was not halted: looked' },
  ],
  [
    { type: 'withdrawn', scope: account, reason: 'test', orders: 3 },
    { kind: 'operator', severity: 'warning', text: 'account: canceling 3 orders: test' },
  ],
  [
    { type: 'flattening', reason: 'test', positions: 2 },
    { kind: 'operator', text: 'closing 2 positions: test' },
  ],
  [
    { type: 'flattened', why: 'all closed', unclosed: [] },
    { severity: 'warning', text: 'closing has ended, all closed' },
  ],
  [
    { type: 'flattened', why: 'no bids', unclosed: [{ market: M0, qty: contracts(2), why: 'empty' }] },
    { severity: 'critical', text: 'closing has ended, no bids; still held: +2 M-0 (empty)' },
  ],
  [
    { type: 'rate-limited', budget: 'trade', retryAfter: fromMillis(1500) },
    {
      kind: 'other',
      severity: 'warning',
      text: 'the venue refused a trade request for rate, which says to wait 1500 ms',
    },
  ],
  [{ type: 'rate-limited', budget: 'read', retryAfter: null }, { text: 'the venue refused a read request for rate' }],
  [{ type: 'read-failed', what: 'balance', reason: '503', isRefused: false }, { text: 'reading balance failed: 503' }],
  [
    { type: 'position-drift', market: M0, ours: contracts(1), theirs: contracts(2) },
    { kind: 'drift', severity: 'critical', ticker: 'M-0', text: "position differs: ours 1, the venue's 2" },
  ],
  [
    { type: 'cash-drift', ours: dollars(1), theirs: money(1) },
    { kind: 'drift', severity: 'critical', text: "cash differs: ours $1.00, the venue's $0.000001" },
  ],
  [
    { type: 'reconciled', why: 'equal' },
    { kind: 'drift', severity: 'info', text: 'equal to the venue: equal' },
  ],
];

const NO_EVENTS: readonly Notice[] = [
  { type: 'trust', market: M0, trust: 'live', reason: 'snapshot' },
  { type: 'market', market: aMarket(0), before: null },
  { type: 'market', market: aMarket(0), before: 'active' },
  { type: 'evicted', market: aMarket(0) },
  { type: 'order', order, from: 'in-flight', to: 'working', why: 'accepted' },
  { type: 'surprise', what: 'x', detail: 'y' },
  { type: 'losses', at: micros(0), standing: baseline, equity: dollars(1) },
  { type: 'books', at: micros(0), books: ledgers },
  { type: 'approved', strategy: MAKER, intent, clientOrderId: order.clientOrderId },
  { type: 'denied', strategy: MAKER, intent, denial: { code: 'stopping' } },
  { type: 'saved', strategy: MAKER, json: '{}' },
  { type: 'forecast', strategy: MAKER, forecast: { type: 'forecast', market: M0, probability: cents(5) } },
  { type: 'suspicion', market: null, ours: 1, theirs: qty(2), change: 'raised', why: 'x' },
];

describe('the event of a notice', () => {
  it.each(EVENTS.map(([notice, event]) => ({ type: notice.type, notice, event })))(
    'of type $type has a kind, a severity, a place and a text',
    ({ notice, event }) => {
      expect(eventOf(notice, tickerTable(1))).toMatchObject(event);
      expect(eventOf(notice, tickerTable(1))?.text).not.toMatch(/undefined|\[object/);
    },
  );

  it.each(NO_EVENTS.map((notice) => ({ type: notice.type, notice })))('of type $type is none', ({ notice }) => {
    expect(eventOf(notice, tickerTable(1))).toBe(null);
  });
});
