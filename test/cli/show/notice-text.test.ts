// Notices as lines for people.
import { describe, expect, it } from 'vitest';
import { noticeText, noticeTone } from '../../../src/cli/show/notice-text.ts';
import { FLAT } from '../../../src/domain/position.ts';
import { cents, contracts, dollars, fromMillis, micros, money, qty } from '../../../src/domain/units.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { Orders } from '../../../src/state/account/orders.ts';
import { M0, MAKER, aFill, aHalt, aMarket, aPlace, aReport, tickerTable } from '../../support/engine/builders.ts';

const tickers = tickerTable(1);
const order = (state: 'rejected' | 'unknown' | 'working') => ({ ...new Orders().addOrder(aPlace(), 'test'), state });
const intent = { type: 'place', market: M0, side: 'buy', price: cents(40), qty: contracts(10) } as const;

const NOTICES: readonly (readonly [Notice, string | null])[] = [
  [{ type: 'phase', phase: 'trading', why: 'the account is known' }, 'session trading: the account is known'],
  [
    { type: 'fill', fill: aFill({ fee: money(17_325) }), order: order('working'), position: FLAT },
    'maker bought 4 M-0 at 40¢ as maker, fee $0.017325',
  ],
  [
    { type: 'fill', fill: aFill({ side: 'sell', liquidity: 'taker' }), order: null, position: FLAT },
    'unknown order sold 4 M-0 at 40¢ as taker, fee $0.01',
  ],
  [
    { type: 'settled', market: aMarket(0, { result: 'yes' }), held: contracts(-2), paid: dollars(0) },
    'M-0 settled yes: held −2, paid $0.00',
  ],
  [{ type: 'market', market: aMarket(0, { status: 'closed' }), before: 'active' }, 'M-0 is closed'],
  [{ type: 'trust', market: M0, trust: 'live', reason: 'snapshot' }, null],
  [
    {
      type: 'override',
      at: micros(0),
      change: 'begun',
      why: 'asked',
      override: { limit: 'orderQtyMax', value: 3000, strategy: null, until: micros(9), reason: 'asked' },
    },
    'override of orderQtyMax to 30 for the account begun: asked',
  ],
  [{ type: 'trust', market: M0, trust: 'suspect', reason: 'sequence' }, 'book of M-0 is suspect: sequence'],
  [{ type: 'halt', halt: aHalt(), isCarried: false }, 'strategy maker HALTED by fault: Error: boom'],
  [
    { type: 'halt', halt: aHalt({ scope: { type: 'account' }, by: 'operator', reason: 'enough' }), isCarried: true },
    'the account STILL HALTED by operator: enough; no order in it until `presage resume`',
  ],
  [
    { type: 'resumed', scope: { type: 'market', ticker: aMarket(0).ticker }, reason: 'seen', lifted: [] },
    'market M-0 resumed, which was not halted: seen',
  ],
  [
    { type: 'withdrawn', scope: { type: 'account' }, reason: 'too much', orders: 3 },
    'the account: 3 orders canceled: too much',
  ],
  [{ type: 'rate-limited', budget: 'trade', retryAfter: fromMillis(5) }, 'the venue refused a trade request for rate'],
  [{ type: 'position-drift', market: M0, ours: contracts(2), theirs: qty(150) }, 'DRIFT in M-0: ours 2, theirs 1.5'],
  [{ type: 'cash-drift', ours: dollars(10), theirs: money(9_999_999) }, 'DRIFT in cash: ours $10.00, theirs $9.999999'],
  [
    { type: 'read-failed', what: 'balance', reason: 'status 500', isRefused: false },
    'reading balance failed: status 500',
  ],
  [
    { type: 'order', order: order('rejected'), from: 'in-flight', to: 'rejected', why: 'refused' },
    'order c-1 in M-0 is rejected: refused',
  ],
  [
    { type: 'order', order: order('unknown'), from: 'in-flight', to: 'unknown', why: 'no answer' },
    'order c-1 in M-0 is unknown: no answer',
  ],
  [{ type: 'order', order: order('working'), from: 'in-flight', to: 'working', why: 'accepted' }, null],
  [{ type: 'approved', strategy: MAKER, intent, clientOrderId: aPlace().clientOrderId }, null],
  [{ type: 'denied', strategy: MAKER, intent, denial: { code: 'stopping' } }, null],
  [{ type: 'unexpected-order', report: aReport() }, null],
  [{ type: 'forecast', strategy: MAKER, forecast: { type: 'forecast', market: M0, probability: cents(5) } }, null],
  [{ type: 'reconciled', why: 'equal' }, null],
  [{ type: 'feed', isUp: true, reason: 'connection 2' }, null],
  [{ type: 'feed', isUp: false, reason: 'cut' }, 'the feed is down: cut'],
  [
    { type: 'alarm', code: 'feed-age', at: micros(0), text: 'silent for 6000 ms', figures: { ageMs: 6000 } },
    'ALARM feed-age: silent for 6000 ms',
  ],
];

describe('a notice', () => {
  it.each(NOTICES.map(([notice, text]) => ({ notice, text })))('is rendered in one line: $text', ({ notice, text }) => {
    expect(noticeText(notice, tickers)).toBe(text);
  });

  it('is one line without control characters, whatever its reason holds', () => {
    const reason = 'Error: one\r\n\ttwo \u001B[2Jthree\u009B4m';
    const text = noticeText({ type: 'read-failed', what: 'orders', reason, isRefused: false }, tickers);
    expect(text).toBe('reading orders failed: Error: one two  [2Jthree 4m');
  });
});

describe('the tone of a notice', () => {
  it('lets halts and drift stand out, and shows the side of a fill', () => {
    const tones = NOTICES.filter(([, text]) => text !== null).map(([notice]) => `${notice.type} ${noticeTone(notice)}`);
    expect(tones).toContain('halt alarm');
    expect(tones).toContain('cash-drift alarm');
    expect(tones).toContain('fill bid');
    expect(tones).toContain('fill ask');
    expect(tones).toContain('feed alarm');
  });
});
