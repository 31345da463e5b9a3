// The terminal page on terminals of every size: what it shows first, that it counts what it leaves out, and that scrolling
// reaches everything.
import { describe, expect, it } from 'vitest';
import type { PageContent } from '../../../src/cli/screen/page-content.ts';
import { type RenderedPage, renderPage } from '../../../src/cli/screen/page-layout.ts';
import { lineWidth, plainText } from '../../../src/cli/screen/page-line.ts';
import { FIRST_VIEW, type PageView } from '../../../src/cli/screen/page-view.ts';
import type { Ticker } from '../../../src/domain/ids.ts';
import { contracts, dollars, fromMillis, qty } from '../../../src/domain/units.ts';
import type { MarketLine } from '../../../src/report/account/session-snapshot.ts';
import { aHalt } from '../../support/engine/builders.ts';
import { aSnapshot } from '../../support/sessions/session-snapshot.ts';
import { NOON_MS } from '../show/shown-display.ts';

const NOON = fromMillis(NOON_MS);

const market = (n: number, over: Partial<MarketLine> = {}): MarketLine => ({
  ...aSnapshot().markets[1]!,
  ticker: `T-${String(n).padStart(4, '0')}` as Ticker,
  trust: 'live',
  ...over,
});

/** A page with 250 markets, 40 events, two halts and four codes of alarms. */
function busyContent(over: Partial<PageContent> = {}): PageContent {
  const markets = Array.from({ length: 250 }, (_, n) => market(n));
  markets[77] = market(77, { position: contracts(5) });
  markets[99] = market(99, { trust: 'suspect' });
  const codes = ['drift', 'feed-lag', 'feed-age', 'clock-step'] as const;
  return {
    snapshot: aSnapshot({ at: NOON, markets, halts: [aHalt(), aHalt({ scope: { type: 'account' }, by: 'risk' })] }),
    alarms: codes.map((code, n) => ({ code, text: `text of ${code}`, at: NOON, count: n + 1 })),
    events: Array.from({ length: 40 }, (_, n) => ({ at: NOON, text: `event ${n}`, tone: 'plain' as const })),
    console: null,
    ...over,
  };
}

function draw(content: PageContent, [width, height]: readonly [number, number], view: Partial<PageView> = {}) {
  const page: RenderedPage = renderPage(content, { ...FIRST_VIEW, ...view }, { width, height, hasKeys: true });
  return { ...page, text: page.lines.map(plainText) };
}

const SIZES = [
  [80, 24],
  [120, 40],
  [200, 60],
  [40, 12],
  [20, 5],
  [20, 2],
  [5, 1],
] as const;

describe('the page', () => {
  it('shows a quiet session', () => {
    const { text } = draw({ ...busyContent(), snapshot: aSnapshot({ at: NOON }), alarms: [], events: [] }, [100, 24]);
    expect(`\n${text.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      presage  1:05  trading   equity $999.930175   profit +$0.180175   12:00:00Z
      money    cash $998.302675   reserved $2.15   positions $1.6275   realized +$0.25
               unrealized −$0.0525   fees $0.017325   drift 0
      health   feed up, 12 ms old   budget left reads 17/18, trades 4/9   orders 1

      strategy    state  orders  fills  contracts       fees  canceled  denied
      taker      HALTED       0      0          0      $0.00         0       0
      maker     running       7      1        3.5  $0.017325         0       3

      events: none yet

      market     status     book       bid          ask  our bid  our ask  position
      M-0        active     live  44¢ × 12  47.5¢ × 2.5  43¢ × 5        -        −3
      M-1        active  suspect         -      99¢ × 1        -        -         0
      M-2     finalized        -         -            -        -        -         0








      ↑↓ scroll  / filter  o ours  ? help  q stop
      "
    `);
  });

  it('shows halts, alarms and money before markets, and counts what it leaves out', () => {
    const { text } = draw(busyContent(), [80, 40]);
    expect(`\n${text.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      presage  1:05  trading   HALTS 2   alarms 10   equity $999.930175
               profit +$0.180175   12:00:00Z
      !!! strategy maker is HALTED by fault: Error: boom
      !!! the account is HALTED by risk: Error: boom
      ! 12:00:00Z alarm drift: text of drift
      ! 12:00:00Z alarm feed-lag, 2 times: text of feed-lag
      ! 12:00:00Z alarm feed-age, 3 times: text of feed-age
      ! earlier alarms: clock-step 4
      money    cash $998.302675   reserved $2.15   positions $1.6275   realized +$0.25
               unrealized −$0.0525   fees $0.017325   drift 0
      health   feed up, 12 ms old   budget left reads 17/18, trades 4/9   orders 1

      strategy    state  orders  fills  contracts       fees  canceled  denied
      taker      HALTED       0      0          0      $0.00         0       0
      maker     running       7      1        3.5  $0.017325         0       3

      events, and 34 earlier
      12:00:00Z  event 34
      12:00:00Z  event 35
      12:00:00Z  event 36
      12:00:00Z  event 37
      12:00:00Z  event 38
      12:00:00Z  event 39

      market  status     book  bid      ask  our bid  our ask  position
      T-0077  active     live    -  99¢ × 1        -        -        +5
      T-0099  active  suspect    -  99¢ × 1        -        -         0
      T-0000  active     live    -  99¢ × 1        -        -         0
      T-0001  active     live    -  99¢ × 1        -        -         0
      T-0002  active     live    -  99¢ × 1        -        -         0
      T-0003  active     live    -  99¢ × 1        -        -         0
      T-0004  active     live    -  99¢ × 1        -        -         0
      T-0005  active     live    -  99¢ × 1        -        -         0
      T-0006  active     live    -  99¢ × 1        -        -         0
      T-0007  active     live    -  99¢ × 1        -        -         0
      T-0008  active     live    -  99¢ × 1        -        -         0
      T-0009  active     live    -  99¢ × 1        -        -         0
      T-0010  active     live    -  99¢ × 1        -        -         0
      and 237 more markets
      ↑↓ scroll  / filter  o ours  ? help  q stop
      "
    `);
  });

  it.each(SIZES)('is never wider or higher than %i × %i', (width, height) => {
    for (const content of [busyContent(), busyContent({ alarms: [], events: [] })])
      for (const view of [
        {},
        { isHelp: true },
        { scroll: 1e9 },
        { isTyping: true, filter: 'T-0' },
        { isOursOnly: true },
      ]) {
        const { lines } = draw(content, [width, height], view);
        expect(lines.length).toBeLessThanOrEqual(height);
        for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(width);
      }
  });

  it.each(SIZES.slice(0, 5))('reaches every market, halt and alarm by scrolling on %i × %i', (width, height) => {
    const content = busyContent();
    const seen = new Set<string>();
    const { range } = draw(content, [width, height]);
    for (let scroll = 0; scroll < range.max + range.page; scroll += range.page)
      for (const line of draw(content, [width, height], { scroll }).text) seen.add(line);
    const all = [...seen].join('\n');
    for (const { ticker } of content.snapshot.markets) expect(all).toContain(ticker);
    for (const wanted of ['HALTED', 'drift', 'equity', 'reserved', 'event 39', 'maker', 'taker'])
      expect(all).toContain(wanted);
  });

  it('counts exactly what is above and below the rows on the screen', () => {
    for (const scroll of [0, 7, 1e9]) {
      const { text } = draw(busyContent(), [120, 40], { scroll });
      const shown = text.filter((line) => line.startsWith('T-')).length;
      const [, below = '0', above = '0'] =
        /^and (?:(\d+) more markets?(?: below, |$))?(?:(\d+)(?: more markets?)? above)?$/.exec(text.at(-2) ?? '') ?? [];
      expect(shown + Number(below) + Number(above)).toBe(250);
      expect(Number(above)).toBe(Math.min(scroll, 250 - shown));
    }
  });

  it('puts our markets first, then untrusted books, then the others, settled ones last', () => {
    const over = { status: 'finalized' as const, trust: 'rebuilding' as const };
    const markets = [
      market(1, over),
      market(2),
      market(3, { trust: 'suspect' }),
      market(4, { position: qty(1) }),
      market(5, { ...over, position: qty(1) }),
    ];
    const { text } = draw(busyContent({ snapshot: aSnapshot({ markets }) }), [120, 50]);
    const tickers = text.flatMap((line) => /^T-\d+/.exec(line) ?? []);
    expect(tickers).toEqual(['T-0004', 'T-0005', 'T-0003', 'T-0002', 'T-0001']);
  });

  it('says nothing of the book of a market that is past its close', () => {
    const markets = [
      market(1, { status: 'closed', trust: 'rebuilding' }),
      market(2, { status: 'finalized', trust: 'rebuilding' }),
      market(3, { trust: 'rebuilding' }),
    ];
    const { text } = draw(busyContent({ snapshot: aSnapshot({ markets }) }), [120, 50]);
    const rows = text.filter((line) => /^T-\d+/.test(line));
    expect(rows.map((line) => line.includes('rebuilding'))).toEqual([true, false, false]);
  });

  it('shows only what passes the filter, in any case of letters', () => {
    const { text } = draw(busyContent(), [120, 50], { filter: 't-024' });
    expect(text.filter((line) => line.startsWith('T-'))).toHaveLength(10);
    expect(text).toContain('events: none with this text');
    expect(text.at(-1)).toContain('with “t-024” only');
    const none = draw(busyContent(), [120, 50], { filter: 'nothing' }).text;
    expect(none).toContain('markets: none of 250 is shown by this filter');
    const ours = draw(busyContent(), [120, 50], { isOursOnly: true }).text;
    expect(ours.filter((line) => line.startsWith('T-')).map((line) => line.slice(0, 6))).toEqual(['T-0077']);
    expect(ours.at(-1)).toContain('our markets only');
  });

  it('keeps money on the screen while markets scroll', () => {
    for (const size of [SIZES[0], SIZES[1]])
      expect(draw(busyContent(), size, { scroll: 100 }).text[0]).toContain('presage');
    expect(draw(busyContent(), [120, 40], { scroll: 100 }).text.join('\n')).toContain('reserved');
  });

  it('offers no keys where none can be read', () => {
    const { lines } = renderPage(busyContent(), FIRST_VIEW, { width: 80, height: 24, hasKeys: false });
    expect(lines.map(plainText).join('\n')).not.toContain('q stop');
  });

  it('can be rendered without markets and strategies', () => {
    const { text } = draw(busyContent({ snapshot: aSnapshot({ markets: [], strategies: [] }), events: [] }), [80, 30]);
    expect(text).toContain('markets: none yet');
    expect(text).toContain('events: none yet');
  });

  it('shows 10,000 markets without rendering those off the screen', () => {
    const markets = Array.from({ length: 10_000 }, (_, n) => market(n));
    let read = 0;
    const bid = (): null => {
      read += 1;
      return null;
    };
    const counted = markets.map((each) => Object.defineProperty({ ...each }, 'bid', { get: bid }));
    draw(busyContent({ snapshot: aSnapshot({ markets: counted }) }), [120, 40], { scroll: 5000 });
    draw(busyContent({ snapshot: aSnapshot({ markets: counted }) }), [80, 12], { scroll: 5000 });
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(100);
  });
});

describe('the state of feed, clock and account', () => {
  const textOf = (over: Parameters<typeof aSnapshot>[0]): string =>
    draw(busyContent({ snapshot: aSnapshot(over) }), [200, 60]).text.join('\n');

  it('shows the feed’s lag, that private messages are missing, and the clock’s offset', () => {
    const feed = { ...aSnapshot().feed, lagMs: 350, privateFault: 'fills: refused' };
    expect(textOf({ feed })).toContain('feed up, 12 ms old, 350 ms late, PRIVATE DOWN   budget');
    expect(textOf({ clock: { offsetMs: 12, boundMs: 40, loopLateMs: 0 } })).toContain('   clock +12 ± 40 ms   budget');
    expect(textOf({ clock: { offsetMs: -12, boundMs: 40, loopLateMs: 250 } })).toContain(
      '   clock -12 ± 40 ms   OUR LOOP 250 ms late   budget',
    );
    expect(textOf({ feed: { ...feed, isUp: false } })).toContain('feed DOWN');
  });

  it('shows differences from the venue’s figures, and whether they are explained', () => {
    const drift = { ageMs: 900, qty: contracts(3), cash: dollars(1.5), isDrift: false };
    expect(textOf({ drift })).toContain('drift 3 contracts, $1.50, being investigated');
    expect(textOf({ drift: { ...drift, isDrift: true } })).toContain('drift 3 contracts, $1.50: UNEXPLAINED');
    expect(textOf({ drift: { ...drift, ageMs: null } })).toContain('drift not compared yet');
  });
});
