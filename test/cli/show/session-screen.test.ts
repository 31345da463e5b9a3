// The page and the lines shown while a session runs.
import { describe, expect, it } from 'vitest';
import { noticeRecord, noticeText, renderPage } from '../../../src/cli/show/session-screen.ts';
import { strategyName } from '../../../src/domain/ids.ts';
import { FLAT } from '../../../src/domain/position.ts';
import { cents, contracts, dollars, fromMillis, micros, money, qty } from '../../../src/domain/units.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { Orders } from '../../../src/state/account/orders.ts';
import { M0, MAKER, aFill, aHalt, aMarket, aPlace, aReport, tickerTable } from '../../support/engine/builders.ts';
import { aSnapshot } from '../../support/sessions/session-snapshot.ts';

const tickers = tickerTable(1);
const order = (state: 'rejected' | 'unknown' | 'working') => ({ ...new Orders().addOrder(aPlace(), 'test'), state });
const intent = { type: 'place', market: M0, side: 'buy', price: cents(40), qty: contracts(10) } as const;

describe('the page', () => {
  it('shows the session, its markets, the account and the strategies in columns', () => {
    expect(`\n${renderPage(aSnapshot(), ['the latest', 'the last one']).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      presage  1:05  trading   feed up, 12 ms old   budget left reads 17/18, trades 4/9   orders 1

      market     status     book       bid          ask  our bid  our ask  position
      M-0        active     live  44¢ × 12  47.5¢ × 2.5  43¢ × 5        -        −3
      M-1        active  suspect         -      99¢ × 1        -        -         0
      M-2     finalized        -         -            -        -        -         0

      account  cash $998.302675  reserved $2.15  positions $1.6275  equity $999.930175  drift 0
      profit   +$0.180175  (realized +$0.25, unrealized −$0.0525, fees $0.017325)

      strategy  orders  fills  contracts       fees  canceled  denied    state
      maker          7      1        3.5  $0.017325         0       3  running
      taker          0      0          0      $0.00         0       0   HALTED

      the latest
      the last one
      "
    `);
  });

  it('shows the feed’s lag, that private messages are missing, and the clock’s offset', () => {
    const feed = { ...aSnapshot().feed, lagMs: 350, privateFault: 'fills: refused' };
    const head = (offsetMs: number | null, loopLateMs: number): string | undefined =>
      renderPage(aSnapshot({ feed, clock: { offsetMs, boundMs: 40, loopLateMs } }), [])[0];
    expect(head(null, 0)).toContain('feed up, 12 ms old, 350 ms late, PRIVATE DOWN   budget');
    expect(head(12, 0)).toContain('   clock +12 ± 40 ms   budget');
    expect(head(-12, 250)).toContain('   clock -12 ± 40 ms   OUR LOOP 250 ms late   budget');
  });

  it('shows differences from the venue’s figures, and whether they are explained', () => {
    const drift = { ageMs: 900, qty: contracts(3), cash: money(1_500_000), isDrift: false };
    const line = (of: typeof drift | { ageMs: null; qty: typeof drift.qty; cash: typeof drift.cash; isDrift: false }) =>
      renderPage(aSnapshot({ drift: of }), []).find((one) => one.startsWith('account'));
    expect(line(drift)).toContain('drift 3 contracts, $1.50, being investigated');
    expect(line({ ...drift, isDrift: true })).toContain('drift 3 contracts, $1.50: UNEXPLAINED');
    expect(line({ ...drift, ageMs: null, isDrift: false })).toContain('drift not compared yet');
  });

  it('shows in capitals that the feed is down', () => {
    const feed = { ...aSnapshot().feed, isUp: false };
    expect(renderPage(aSnapshot({ feed }), [])[0]).toContain('feed DOWN');
  });

  it('continues on the next line on a narrow terminal, without cutting off head or account', () => {
    const lines = renderPage(aSnapshot({ halts: [aHalt({ reason: 'a reason of many words '.repeat(9) })] }), [], 79);
    expect(lines[0]).toBe('presage  1:05  trading   feed up, 12 ms old');
    expect(lines[1]).toBe('         budget left reads 17/18, trades 4/9   orders 1');
    const at = lines.findIndex((line) => line.startsWith('account'));
    expect(lines.slice(at, at + 2)).toEqual([
      'account  cash $998.302675  reserved $2.15  positions $1.6275',
      '         equity $999.930175  drift 0',
    ]);
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(79);
  });

  it('can be rendered without markets and strategies', () => {
    const lines = renderPage(aSnapshot({ markets: [], strategies: [] }), []);
    expect(lines).toHaveLength(9);
  });
});

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

  it('includes its figures in integer units for a fill', () => {
    const fill = aFill({ fee: money(17_325) });
    expect(noticeRecord({ type: 'fill', fill, order: null, position: FLAT }, tickers)).toEqual({
      type: 'fill',
      strategy: null,
      ticker: 'M-0',
      side: 'buy',
      price: 4000,
      qty: 400,
      fee: 17_325,
      liquidity: 'maker',
      tradeId: 't-1',
    });
  });

  it('includes its code and figures for an alarm', () => {
    const alarm: Notice = {
      type: 'alarm',
      code: 'rejects-per-minute',
      at: micros(7),
      text: '31 rejects in a minute',
      figures: { rejects: 31 },
    };
    expect(noticeRecord(alarm, tickers)).toEqual(alarm);
  });

  it('includes its code and the compared figures for a denial', () => {
    const denial = { code: 'book-stale', ageMs: 9000, bookAgeMsMax: 5000 } as const;
    expect(noticeRecord({ type: 'denied', strategy: strategyName('s'), intent, denial }, tickers)).toEqual({
      type: 'denied',
      strategy: 's',
      code: 'book-stale',
      text: 'the book was last confirmed 9000 ms ago, bookAgeMsMax is 5000',
      intent,
    });
  });

  it('is left out of the data when it is too minor', () => {
    expect(noticeRecord({ type: 'reconciled', why: 'equal' }, tickers)).toBeNull();
  });
});
